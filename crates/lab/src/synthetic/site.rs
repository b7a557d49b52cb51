//! The pages of a synthetic web, and the times at which they change.
use crawl::{Span, Time};

use super::{
    Kind, Spec, body, change,
    model::{self, Model},
};
use crate::{history::Window, rng::Rng};

/// Pages on one host.
const PAGES_PER_HOST: usize = 100;
/// Directories of one host.
const DIRECTORIES: usize = 4;
/// Pages of a host that are not leaves: the front page, the directories and the feed.
const HUBS: usize = 2 + DIRECTORIES;
/// Share of the leaves of a [`Kind::Hubs`] web that are born after its start.
const BORN_LATER: f64 = 0.4;
/// Share of these leaves that die.
const MORTAL: f64 = 0.1;
/// Leaves per group of a [`Kind::Followers`] web.
const GROUP: usize = 10;
/// The possible delays of a follower behind the first page of its group, in days.
const LAGS_DAYS: [i64; 3] = [1, 2, 3];

/// The pages of a synthetic web, in the byte order of their addresses.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) pages: Vec<SitePage>,
    /// The hosts, with positions in `pages`.
    pub(super) hosts: Vec<Host>,
    pub(super) seed: u64,
    window: Window,
    lists_births: bool,
}

/// The role of a page on its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Front,
    Feed,
    Directory(usize),
    Leaf(usize),
}

#[derive(Debug)]
pub(super) struct SitePage {
    pub(super) address: String,
    pub(super) host: usize,
    pub(super) role: Role,
    pub(super) born: Time,
    pub(super) dies: Option<Time>,
    /// Changes per day, if the rate is constant.
    pub(super) rate: Option<f64>,
    /// The times at which its own text changes.
    pub(super) changes: Vec<Time>,
    /// The news of its group, if it has one.
    pub(super) news: Option<News>,
}

/// News that the pages of a group show, each page with its own delay.
#[derive(Debug)]
pub(super) struct News {
    /// The name of the group.
    pub(super) group: String,
    /// The times at which the page shows new news.
    pub(super) times: Vec<Time>,
}

#[derive(Debug, Default)]
pub(super) struct Host {
    /// Its pages, in order of address.
    pub(super) pages: Vec<usize>,
    /// The times at which the layout of all its pages changes.
    pub(super) shocks: Vec<Time>,
    /// The same for each directory.
    pub(super) directory_shocks: [Vec<Time>; DIRECTORIES],
}

impl Model for Site {
    fn pages(&self) -> usize {
        self.pages.len()
    }

    fn address(&self, page: usize) -> &str {
        &self.pages[page].address
    }

    fn content_type(&self, page: usize) -> &'static str {
        if self.pages[page].role == Role::Feed { "application/rss+xml" } else { model::HTML }
    }

    fn change_times(&self, page: usize) -> Vec<Time> {
        self.times_of(page)
    }

    fn render(&self, page: usize, at: Time) -> Option<String> {
        body::render(self, self.seed, page, at)
    }

    fn rate(&self, page: usize) -> Option<f64> {
        self.pages[page].rate
    }
}

impl SitePage {
    pub(super) fn is_alive(&self, at: Time) -> bool {
        self.born <= at && self.dies.is_none_or(|dies| at < dies)
    }

    pub(super) fn directory(&self) -> Option<usize> {
        match self.role {
            Role::Directory(directory) | Role::Leaf(directory) => Some(directory),
            Role::Front | Role::Feed => None,
        }
    }
}

impl Site {
    pub(super) fn new(spec: Spec, window: Window) -> Self {
        let lists_births = spec.kind == Kind::Hubs;
        let mut pages: Vec<SitePage> = (0..spec.pages)
            .map(|number| page(spec, window, number / PAGES_PER_HOST, number % PAGES_PER_HOST))
            .collect();
        pages.sort_by(|a, b| a.address.cmp(&b.address));
        let count = spec.pages.div_ceil(PAGES_PER_HOST);
        let mut hosts: Vec<Host> = (0..count).map(|_| Host::default()).collect();
        for (number, page) in pages.iter().enumerate() {
            hosts[page.host].pages.push(number);
        }
        if spec.kind == Kind::Shocks {
            for (number, host) in hosts.iter_mut().enumerate() {
                let mut rng = Rng::named(spec.seed, &format!("shocks of host {number}"));
                host.shocks = change::poisson(&mut rng, change::HOST_SHOCKS_PER_DAY, window);
                host.directory_shocks = std::array::from_fn(|_| {
                    change::poisson(&mut rng, change::DIRECTORY_SHOCKS_PER_DAY, window)
                });
            }
        }
        Self { pages, hosts, seed: spec.seed, window, lists_births }
    }

    /// The times at which the body of a page changes, including birth and death.
    fn times_of(&self, number: usize) -> Vec<Time> {
        let page = &self.pages[number];
        let host = &self.hosts[page.host];
        let mut times = page.changes.clone();
        times.extend(page.news.iter().flat_map(|news| &news.times));
        times.extend(&host.shocks);
        if let Some(directory) = page.directory() {
            times.extend(&host.directory_shocks[directory]);
        }
        if self.lists_births {
            let listed = host.pages.iter().map(|&other| &self.pages[other]);
            let listed = listed.filter(|other| lists(page.role, other.role));
            times.extend(listed.flat_map(|other| [Some(other.born), other.dies]).flatten());
        }
        times.retain(|&at| page.is_alive(at) && at > self.window.start && at <= self.window.end);
        times.push(page.born);
        times.extend(page.dies.filter(|&dies| dies <= self.window.end));
        times.sort_unstable();
        times.dedup();
        times
    }

    /// The leaves that a hub lists at an instant, newest first.
    pub(super) fn listed(&self, number: usize, at: Time) -> Vec<usize> {
        let page = &self.pages[number];
        let leaves = self.hosts[page.host].pages.iter().copied();
        let mut listed: Vec<usize> = leaves
            .filter(|&other| lists(page.role, self.pages[other].role))
            .filter(|&other| self.pages[other].is_alive(at))
            .collect();
        listed.sort_by(|&a, &b| {
            let (a, b) = (&self.pages[a], &self.pages[b]);
            b.born.cmp(&a.born).then_with(|| a.address.cmp(&b.address))
        });
        let most = match page.role {
            Role::Front => 10,
            Role::Feed => 20,
            Role::Directory(_) => usize::MAX,
            Role::Leaf(_) => 0,
        };
        listed.truncate(most);
        listed
    }
}

/// Whether a page of one role lists pages of another. Front pages and feeds list all leaves of the
/// host, directories their own, so several hubs list the same new page.
fn lists(hub: Role, other: Role) -> bool {
    match (hub, other) {
        (Role::Front | Role::Feed, Role::Leaf(_)) => true,
        (Role::Directory(hub), Role::Leaf(leaf)) => hub == leaf,
        _ => false,
    }
}

fn page(spec: Spec, window: Window, host: usize, number: usize) -> SitePage {
    let base = format!("https://site{host:04}.example/");
    let (role, address) = match number {
        0 => (Role::Front, base),
        1 => (Role::Feed, format!("{base}feed.xml")),
        _ if number < HUBS => {
            let directory = number - 2;
            (Role::Directory(directory), format!("{base}d{directory}/"))
        }
        _ => {
            let directory = number % DIRECTORIES;
            (Role::Leaf(directory), format!("{base}d{directory}/p{number:02}.html"))
        }
    };
    let mut rng = Rng::named(spec.seed, &address);
    let leaf = matches!(role, Role::Leaf(_));
    let length = window.length().millis() as f64;
    let after = |rng: &mut Rng, from: Time| {
        let left = (window.end - from).millis() as f64;
        from + Span::from_millis((rng.unit() * left) as i64)
    };
    let (mut born, mut dies) = (window.start, None);
    if spec.kind == Kind::Hubs && leaf {
        if rng.unit() < BORN_LATER {
            born = window.start + Span::from_millis((rng.unit() * length) as i64);
        }
        dies = (rng.unit() < MORTAL).then(|| after(&mut rng, born)).filter(|&dies| dies > born);
    }
    let group = match role {
        Role::Directory(directory) | Role::Leaf(directory) => format!("{host}/d{directory}"),
        Role::Front | Role::Feed => format!("{host}/"),
    };
    let (rate, changes) = change::times(spec, &mut rng, &group, window);
    let news = (spec.kind == Kind::Followers && leaf)
        .then(|| news(spec, window, host, number - HUBS, &mut rng));
    SitePage { address, host, role, born, dies, rate, changes, news }
}

/// The news of a leaf: at random times for the first leaf of a group, some days later for the
/// others.
fn news(spec: Spec, window: Window, host: usize, leaf: usize, rng: &mut Rng) -> News {
    let group = format!("{host}/group {}", leaf / GROUP);
    let mut first = Rng::named(spec.seed, &format!("news of {group}"));
    let lag = if leaf.is_multiple_of(GROUP) { 0 } else { LAGS_DAYS[rng.below(LAGS_DAYS.len())] };
    let times = change::poisson(&mut first, change::NEWS_PER_DAY, window).into_iter();
    let times = times.map(|at| at + Span::from_days(lag)).filter(|&at| at <= window.end);
    News { group, times: times.collect() }
}
