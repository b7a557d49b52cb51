//! Blogs: a post now and then, comments while it is young, an archive by month.
use super::prelude::*;
use crate::prose::Replies;
use crate::spec::{Kind, SITES};

/// The parameters of a blog.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    /// The word list of its subjects.
    subjects: String,
    /// New posts a day.
    per_day: f64,
    /// The age of the oldest post at the start, in days.
    back: f64,
    /// Comments on an ordinary post; a few posts get far more.
    comments: f64,
    /// Whether each post has a page for printing with the post as its canonical address.
    prints: bool,
}

/// The mean delay of a comment, in milliseconds.
const COMMENT_DELAY: f64 = 3.0 * DAY as f64;

pub(super) fn fill(site: &mut Site, params: &Params) {
    let (spec, born) = (site.spec, site.era.long_ago());
    let births = births(site, params.per_day, params.back);
    let mut tags: Vec<(String, Vec<usize>)> = Vec::new();
    let items = add_items(site, births, ("posts", "group"), |site, item| {
        let (entry, tag) = add_post(site, params, &item);
        match tags.iter_mut().find(|(known, _)| *known == tag) {
            Some((_, tagged)) => tagged.push(item.number),
            None => tags.push((tag, vec![item.number])),
        }
        entry
    });
    let posts = items.all;
    add_tags(site, &tags, &posts);
    add_archive(site, ("%Y-%m", "%B %Y"), &posts);
    let friends = SITES.iter().filter(|other| matches!(other.kind, Kind::Blog(_)));
    let friends = friends.filter(|other| other.host != spec.host);
    let friends =
        friends.map(|other| Entry::fixed(&format!("http://{}/", other.host), &other.name));
    let front = vec![
        Block::List(List::new("Posts", posts.clone(), Order::Newest).limit(8).dated()),
        Block::List(List::new("Friends", friends, Order::Given)),
    ];
    site.add_front(&spec.name, front);
    let feed = List::new("", posts, Order::Newest).limit(10);
    site.add(Page::new("/atom.xml", "", born, Form::Atom(feed)));
}

/// Adds a post; gives its entry and its tag.
fn add_post(site: &mut Site, params: &Params, item: &Item<'_>) -> (Entry, String) {
    let &Item { random, born, .. } = item;
    let mut draws = random.of("post").draws();
    let topic = Topic::draw(&mut draws, &params.subjects);
    let title = Voice::Diary.title(&topic, &mut draws);
    let teaser = Voice::Diary.sentence(&topic, &mut draws);
    let path = site.free_path(format!("/posts/{}", slug(&title)));
    let count = (params.comments * draws.heavy(1.2) * draws.unit()).min(40.0) as usize;
    let mut times: Vec<Time> =
        (0..count).map(|_| later(born, draws.gap(COMMENT_DELAY).max(60_000))).collect();
    times.retain(|at| *at < site.era.end);
    times.sort_unstable();
    times.dedup();
    let mut links = vec![Entry::fixed(&format!("/tags/{}", slug(&topic.subject)), &topic.subject)];
    links.extend(item.earlier.last().map(|entry| Entry::fixed(&entry.target, &entry.title)));
    let mut blocks = vec![
        Block::Fixed(format!("<p class=\"date\">{}</p>", day_words(born))),
        still(random, Voice::Diary, &topic, draws.between(3, 6)),
        Block::List(List::new("See also", links, Order::Given)),
    ];
    let plain = blocks.clone();
    let random = random.of("comments");
    blocks.push(Block::Replies(Replies { random, topic: topic.clone(), noun: "comment", times }));
    if params.prints {
        let print = format!("{path}/print");
        let link = Entry::fixed(&print, "A page for printing");
        blocks.push(Block::List(List::new("", [link], Order::Given)));
        let mut page = Page::html(print, title.clone(), born, plain);
        page.canonical = Some(path.clone());
        site.add(page);
    }
    let entry = Entry { teaser, ..Entry::new(&path, &title, born) };
    site.add(Page::html(path, title, born, blocks));
    (entry, topic.subject)
}

/// Adds a list of the tags and a page for each, which asks not to be indexed.
fn add_tags(site: &mut Site, tags: &[(String, Vec<usize>)], posts: &[Arc<Entry>]) {
    let mut index = Vec::new();
    for (tag, tagged) in tags {
        let path = format!("/tags/{}", slug(tag));
        let from = posts[tagged[0]].from;
        index.push(Entry::new(&path, tag, from));
        let tagged = tagged.iter().map(|number| Arc::clone(&posts[*number]));
        let list = Block::List(List::new("", tagged, Order::Newest).dated());
        let title = format!("Posts about the {tag}");
        site.add(Page::html(path, title, from, vec![list]).noindex(Noindex::Meta));
    }
    index.sort_by(|a, b| a.title.cmp(&b.title));
    let list = List::new("", index, Order::Given);
    site.add_list("/tags/", "Tags", site.era.long_ago(), list);
}
