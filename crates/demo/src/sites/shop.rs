//! Shops: prices and stock move, some every day and most never; items come and go.
use super::prelude::*;

/// The parameters of a shop.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    /// Items at the start.
    items: usize,
    /// New items a day.
    per_day: f64,
    /// The mean time that an item stays, in days.
    stay: f64,
    /// Whether an item that is sold out redirects to its shelf; otherwise it is missing.
    redirects: bool,
}

/// Items shown on one page of a shelf.
const SHELF: usize = 24;
/// Items that the front page links with a query, so that the same item has two addresses.
const FEATURED: usize = 15;

pub(super) fn fill(site: &mut Site, params: &Params) {
    let age = |unit: f64| 0.5 + 300.0 * unit.powi(2);
    let births = births_with_stock(site, params.items, params.per_day, age);
    let mut featured = Vec::new();
    let items = add_items(site, births, ("items", "shelf"), |site, item| {
        let (mut page, entry) = item_page(site, params, &item);
        if item.number < FEATURED {
            let copy = page.copy(format!("{}?ref=front", page.path));
            featured.push(Entry { target: copy.path.clone(), ..entry.clone() });
            site.add(copy);
        }
        site.add(page);
        entry
    });
    add_paged(site, items.groups, Order::Newest, SHELF);
    for (path, title) in &site.spec.asides {
        let blocks = vec![Block::Fixed("<p>Nothing here yet.</p>".to_owned())];
        site.add(Page::html(path, title, site.era.long_ago(), blocks).noindex(Noindex::Meta));
    }
    let front = vec![
        Block::List(List::new("New in the shop", items.all, Order::Newest).limit(10).dated()),
        Block::List(List::new("We like these", featured, Order::Given)),
        site.house(),
    ];
    site.add_front(&site.spec.name, front);
}

fn item_page(site: &Site, params: &Params, item: &Item<'_>) -> (Page, Entry) {
    let &Item { random, born, .. } = item;
    let (era, number) = (site.era, 1_000 + item.number);
    let mut draws = random.of("item").draws();
    let topic = Topic::draw(&mut draws, "gear");
    let title = Voice::Shop.title(&topic, &mut draws);
    let path = format!("/item/{number}-{}", slug(&title));
    let end = later(born.max(era.start), draws.gap(params.stay * DAY as f64).max(HOUR));
    let how = if params.redirects {
        End::Moved(301, site.spec.group_path(item.group))
    } else {
        End::Missing
    };
    let end = (end < era.end).then_some((end, how));
    let until = end.as_ref().map(|(at, _)| *at);
    // Six in ten prices stand still, three move about once a fortnight, one moves every day.
    let per_day = match draws.below(10) {
        0..=5 => 0.0,
        6..=8 => 0.04 + 0.06 * draws.unit(),
        _ => 0.5 + draws.unit(),
    };
    let sold_per_day = if draws.happens(0.25) { 0.02 * draws.heavy(0.9).min(50.0) } else { 0.0 };
    let window = (era.start.max(born), until.unwrap_or(era.end));
    let prices = prices(per_day, born, window, &mut draws);
    let label = &site.spec.groups[item.group].1;
    let blocks = vec![
        Block::Fixed(format!("<p>{label}, item {number}</p>")),
        Block::Value("Price", prices.clone()),
        Block::Value("In stock", stock(sold_per_day, born, window, &mut draws)),
        still(random, Voice::Shop, &topic, draws.between(2, 4)),
    ];
    // Shelves show the price beside the item.
    let entry = Entry { until, notes: prices, ..Entry::new(&path, &title, born) };
    (Page::html(path, title, born, blocks).until(end), entry)
}

fn prices(
    per_day: f64,
    born: Time,
    window: (Time, Time),
    draws: &mut Draws,
) -> Vec<(Time, String)> {
    let mut price = draws.between(300, 20_000) as f64;
    let mut prices = vec![(born, crowns(price))];
    for at in draws.instants(per_day, window.0, window.1) {
        price *= 0.85 + 0.32 * draws.unit();
        prices.push((at, crowns(price)));
    }
    prices.dedup_by(|next, before| next.1 == before.1);
    prices
}

fn stock(per_day: f64, born: Time, window: (Time, Time), draws: &mut Draws) -> Vec<(Time, String)> {
    let mut left = draws.between(1, 40);
    let mut stock = vec![(born, left.to_string())];
    for at in draws.instants(per_day, window.0, window.1) {
        left = if left == 0 { draws.between(10, 40) } else { left - 1 };
        let words = if left == 0 { "sold out, more to come".to_owned() } else { left.to_string() };
        stock.push((at, words));
    }
    stock
}

fn crowns(price: f64) -> String {
    format!("{:.2} crowns", price / 100.0)
}
