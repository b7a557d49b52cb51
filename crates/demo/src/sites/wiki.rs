//! Encyclopaedias: a few articles are edited all the time, many hardly ever.
use super::prelude::*;
use crate::prose::{Replies, count_of};

/// The parameters of an encyclopaedia.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    /// Articles at the start.
    articles: usize,
    /// New articles a day.
    per_day: f64,
    /// Edits a day of an ordinary article; a few have hundreds of times as many.
    edits: f64,
    /// The shape of the Pareto distribution of the edit rates.
    shape: f64,
    /// Whether every article is about one bird in one place.
    birds: bool,
}

/// No article is edited more often than this in a day.
const MOST_EDITS: f64 = 9.0;
/// One article in this many had another name once.
const RENAMED: usize = 20;
/// One article in this many is talked about on a page of its own.
const TALKED: usize = 12;
/// One article in this many is given up some day, and its page says so.
const GIVEN_UP: usize = 60;

pub(super) fn fill(site: &mut Site, params: &Params) {
    let era = site.era;
    let mut births = vec![era.long_ago(); params.articles];
    births.extend(site.random.of("births").draws().instants(params.per_day, era.start, era.end));
    let items = add_items(site, births, ("articles", "group"), |site, item| {
        add_article(site, params, &item)
    });
    let articles = items.all;
    let recent = List::new("", articles.clone(), Order::Touched).limit(30);
    site.add_list("/recent", "Recent changes", era.long_ago(), recent);
    // Only the list of recent changes shows notes about edits.
    let articles = without_notes(&articles);
    add_letters(site, &articles);
    let newest = articles.iter().filter(|entry| entry.from > era.start).cloned();
    let front = vec![
        Block::List(List::new("New articles", newest, Order::Newest).limit(8).dated()),
        Block::List(List::new("Good articles", articles[..20].to_vec(), Order::Given)),
        site.house(),
    ];
    site.add_front(&site.spec.name, front);
}

fn add_article(site: &mut Site, params: &Params, item: &Item<'_>) -> Entry {
    let &Item { random, number, born, earlier, .. } = item;
    let era = site.era;
    let mut draws = random.of("article").draws();
    let topic = if params.birds { Topic::draw(&mut draws, "bird") } else { Topic::any(&mut draws) };
    let title = if params.birds {
        let mut title = format!("{} at {}", topic.subject, topic.place);
        title[..1].make_ascii_uppercase();
        title
    } else {
        Voice::Lexicon.title(&topic, &mut draws)
    };
    let path = site.free_path(format!("/wiki/{}", slug(&title)));
    let end = (number % GIVEN_UP == GIVEN_UP - 1)
        .then(|| draws.instants(0.05, era.start.max(born), era.end).first().copied())
        .flatten();
    let until = end.unwrap_or(era.end);
    let rate = (params.edits * draws.heavy(params.shape)).min(MOST_EDITS);
    // One date stands for all edits before the start.
    let touched = if born < era.start { era.before(1.0 + 300.0 * draws.unit()) } else { born };
    let edits = draws.instants(rate, era.start.max(born), until);
    let dates = [touched].iter().chain(&edits).map(|at| (*at, minute_words(*at))).collect();
    let note = |(made, at): (usize, &Time)| {
        (*at, format!("{}, last on {}", count_of(made + 1, "edit"), minute_words(*at)))
    };
    let notes = edits.iter().enumerate().map(note).collect();

    let see_also = (0..draws.between(3, 6)).filter(|_| !earlier.is_empty());
    let mut see_also: Vec<&Arc<Entry>> = see_also.map(|_| draws.pick(earlier)).collect();
    see_also.sort_by(|a, b| a.target.cmp(&b.target));
    see_also.dedup_by(|a, b| a.target == b.target);
    let mut links: Vec<Entry> =
        see_also.iter().map(|entry| Entry::fixed(&entry.target, &entry.title)).collect();
    if number % RENAMED == RENAMED - 1 {
        let old = path.replace("/wiki/", "/wiki/old-");
        links.push(Entry::fixed(&old, "The older name of this article"));
        let targets = vec![(born, path.clone())];
        site.add(Page::new(old, "", born, Form::Redirect(301, targets)));
    }
    if number.is_multiple_of(TALKED) {
        let talk = path.replace("/wiki/", "/talk/");
        links.push(Entry::fixed(&talk, "What is said about this article"));
        let times = draws.instants(rate, era.start.max(born), era.end);
        let (random, topic) = (random.of("talk"), topic.clone());
        let replies = Block::Replies(Replies { random, topic, noun: "remark", times });
        let page = Page::html(talk, format!("Talk: {title}"), born, vec![replies]);
        site.add(page.noindex(Noindex::Meta));
    }
    let blocks = vec![
        edited(random, Voice::Lexicon, &topic, draws.between(3, 7), edits),
        Block::List(List::new("See also", links, Order::Given)),
        Block::Value("Last edited", dates),
    ];
    let entry = Entry { until: end, notes, ..Entry::new(&path, &title, born) };
    site.add(Page::html(path, title, born, blocks).until(end.map(|at| (at, End::Gone))));
    entry
}

/// Adds a page for each first letter and one that lists the letters.
fn add_letters(site: &mut Site, articles: &[Arc<Entry>]) {
    let mut index = Vec::new();
    for letter in 'A'..='Z' {
        let under = articles.iter().filter(|entry| entry.title.starts_with(letter));
        let mut under: Vec<Arc<Entry>> = under.cloned().collect();
        if under.is_empty() {
            continue;
        }
        under.sort_by(|a, b| (&a.title, &a.target).cmp(&(&b.title, &b.target)));
        let path = format!("/letters/{}", letter.to_ascii_lowercase());
        let title = format!("Articles under {letter}");
        index.push(Entry::fixed(&path, &title));
        let list = List::new("", under, Order::Given);
        site.add_list(&path, &title, site.era.long_ago(), list);
    }
    let list = List::new("", index, Order::Given);
    site.add_list("/letters/", "By letter", site.era.long_ago(), list);
}

fn without_notes(entries: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
    let without = |entry: &Arc<Entry>| Arc::new(Entry { notes: Vec::new(), ..(**entry).clone() });
    entries.iter().map(without).collect()
}
