//! Software manuals: unchanged for days, then a release changes many pages in the same second.
use super::prelude::*;

/// The parameters of a manual.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    pages_per_chapter: usize,
    /// The mean number of days between releases.
    release_days: f64,
    /// The share of pages that a release edits.
    edited: f64,
    /// Whether every page shows the version, so that a release changes all of them.
    versioned: bool,
}

/// The page of each chapter with this number moves to a new path with the first release.
const MOVING: usize = 5;

struct Release {
    at: Time,
    version: String,
}

pub(super) fn fill(site: &mut Site, params: &Params) {
    let (spec, born) = (site.spec, site.era.long_ago());
    let releases = releases(site, params);
    let mut chapters = Vec::new();
    for (group, (folder, label)) in spec.groups.iter().enumerate() {
        let (path, random) = (spec.group_path(group), site.random.of(folder));
        let mut entries = Vec::new();
        for number in 0..params.pages_per_chapter {
            let random = random.at(number as u64);
            let moves = number == MOVING;
            add_guide(site, params, random, &path, moves, &releases, &mut entries);
        }
        let topic = Topic::any(&mut random.of("topic").draws());
        let blocks = vec![
            still(random, Voice::Manual, &topic, 1),
            Block::List(List::new("In this chapter", entries, Order::Given)),
        ];
        chapters.push(Entry::fixed(&path, label));
        site.add(Page::html(path, label, born, blocks));
    }
    let notes = add_releases(site, &releases);
    let front = vec![
        Block::List(List::new("Chapters", chapters, Order::Given)),
        Block::List(List::new("Newest release", notes, Order::Newest).limit(1).dated()),
        site.house(),
    ];
    site.add_front(&spec.name, front);
}

/// The last releases before the start and those after it.
fn releases(site: &Site, params: &Params) -> Vec<Release> {
    let mut draws = site.random.of("releases").draws();
    let mut at = site.era.before(params.release_days * 3.4);
    let mut releases = Vec::new();
    let (mut major, mut minor) = (3, 6);
    while at < site.era.end {
        releases.push(Release { at, version: format!("{major}.{minor}") });
        // Somewhat regular: nobody releases twice in a day.
        let days = params.release_days * (0.4 + 1.2 * draws.unit());
        at = later(at, (days * DAY as f64) as i64);
        minor += 1;
        if minor == 10 {
            (major, minor) = (major + 1, 0);
        }
    }
    releases
}

fn add_guide(
    site: &mut Site,
    params: &Params,
    random: Random,
    folder: &str,
    moves: bool,
    releases: &[Release],
    entries: &mut Vec<Entry>,
) {
    let mut draws = random.of("guide").draws();
    let topic = Topic::draw_from(&mut draws, &["bird", "plant", "gear"]);
    let title = Voice::Manual.title(&topic, &mut draws);
    let path = site.free_path(format!("{folder}{}", slug(&title)));
    let edits = releases.iter().filter(|_| draws.happens(params.edited));
    let edits: Vec<Time> = edits.map(|release| release.at).collect();
    let mut blocks = Vec::new();
    if params.versioned {
        let versions = releases.iter().map(|release| (release.at, release.version.clone()));
        blocks.push(Block::Value("Version", versions.collect()));
    }
    blocks.push(edited(random, Voice::Manual, &topic, draws.between(3, 6), edits));
    blocks.push(Block::Fixed(format!(
        "<pre><code>shore --station \"{}\" --limit {}\n</code></pre>",
        topic.place,
        draws.between(2, 90)
    )));
    if let Some(last) = entries.last() {
        let before = Entry::fixed(&last.target, &last.title);
        blocks.push(Block::List(List::new("Before this", [before], Order::Given)));
    }
    let born = site.era.long_ago();
    let page = Page::html(&path, &title, born, blocks);
    let entry = Entry::new(&path, &title, born);
    let moving = releases.iter().find(|release| moves && site.era.start < release.at);
    let Some(Release { at, .. }) = moving else {
        entries.push(entry);
        site.add(page);
        return;
    };
    let new_path = site.free_path(format!("{path}-explained"));
    site.add(page.moved(new_path.clone(), *at));
    site.add(page.until(Some((*at, End::Moved(301, new_path.clone())))));
    entries.push(Entry { until: Some(*at), ..entry.clone() });
    entries.push(Entry { target: new_path, from: *at, ..entry });
}

/// Adds a page of notes for each release, a list of them, and a redirect to the newest.
fn add_releases(site: &mut Site, releases: &[Release]) -> Vec<Arc<Entry>> {
    let mut entries = Vec::new();
    for release in releases {
        let random = site.random.of(&release.version);
        let topic = Topic::any(&mut random.of("topic").draws());
        let title = format!("Release {}", release.version);
        let path = format!("/releases/{}", release.version.replace('.', "-"));
        let date = format!("<p>Released on {}.</p>", day_words(release.at));
        let blocks = vec![Block::Fixed(date), still(random, Voice::Manual, &topic, 3)];
        entries.push(Arc::new(Entry::new(&path, &title, release.at)));
        site.add(Page::html(path, title, release.at, blocks));
    }
    let born = entries[0].from;
    let list = List::new("", entries.clone(), Order::Newest).dated();
    site.add_list("/releases/", "Releases", born, list);
    let targets = entries.iter().map(|entry| (entry.from, entry.target.clone())).collect();
    site.add(Page::new("/latest", "", born, Form::Redirect(302, targets)));
    entries
}
