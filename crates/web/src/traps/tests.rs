use super::*;

/// Noon on 15 November 2026.
const NOW: Time = Time::from_millis(1_794_744_000_000);

fn limits() -> TrapLimits {
    TrapLimits::default()
}

fn refused(address: &str) -> Option<Trap> {
    Traps::new(limits()).refuses(address, NOW)
}

/// The state after `addresses` have been admitted.
fn knowing(limits: TrapLimits, addresses: &[&str]) -> Traps {
    let mut traps = Traps::new(limits);
    for address in addresses {
        traps.note(address);
    }
    traps
}

#[test]
fn ordinary_addresses_pass() {
    for address in [
        "https://news.example.org/",
        "https://news.example.org/2024/05/12/mayor-opens-bridge",
        "https://news.example.org/2024/05/12/",
        "https://news.example.org/article/20240512",
        "https://history.example.org/speech-1945-05-08.html",
        "https://journals.example.org/bulletin/1902-08-10/S0002-9904.pdf",
        "https://conference.example.org/getFile.py/access?contribId=19&sessionId=5&confId=9430",
        "https://shop.example.org/shoes?page=2",
        "https://shop.example.org/shoes?colour=red&colour=blue&size=42&sort=price&page=3",
        "https://docs.example.org/en/stable/reference/api/core/io/reader/buffered.html",
        "https://docs.example.org/api/v1/api/v2/api",
        "https://forum.example.org/viewtopic.php?t=90210&sid=7",
        "https://calendar.example.org/events/2027/06/",
        "https://films.example.org/search?year=1939",
        "https://gallery.example.org/item/20991231",
        "https://wiki.example.org/wiki/Main_Page_(2050)",
        "http://[2001:db8::1]:8080/a",
    ] {
        assert_eq!(refused(address), None, "{address}");
    }
}

#[test]
fn a_path_may_have_twenty_segments() {
    let path = |segments: u32| -> String {
        (0..segments).fold("https://a.org".to_owned(), |path, n| format!("{path}/part{n}"))
    };
    assert_eq!(refused(&path(20)), None);
    assert_eq!(refused(&format!("{}/", path(20))), None);
    assert_eq!(refused(&path(21)), Some(Trap::DeepPath(20)));
}

#[test]
fn a_segment_may_come_three_times() {
    assert_eq!(refused("https://a.org/en/en/en/x"), None);
    assert_eq!(refused("https://a.org/a/b/a/b/a/b/x"), None);
    for address in ["https://a.org/en/en/en/en", "https://a.org/x/a/b/a/b/a/b/a/b"] {
        assert_eq!(refused(address), Some(Trap::RepeatedSegment(3)), "{address}");
    }
}

#[test]
fn a_query_may_have_ten_parameters_and_a_name_three_times() {
    let query = |count: u32| -> String {
        (0..count).fold("https://a.org/?".to_owned(), |query, n| format!("{query}p{n}=1&"))
    };
    assert_eq!(refused(&query(10)), None);
    assert_eq!(refused(&query(11)), Some(Trap::ManyParameters(10)));
    assert_eq!(refused("https://a.org/?f[]=1&f[]=2&f[]=3"), None);
    assert_eq!(refused("https://a.org/?f[]=1&f[]=2&f[]=3&f[]=4"), Some(Trap::RepeatedParameter(3)));
}

#[test]
fn a_session_id_is_refused_wherever_it_hides() {
    for address in [
        "https://a.org/index.php?PHPSESSID=b8bd24b5cc4f2ad80b29e2cd1b2ddbc3",
        "https://a.org/list?page=2&phpsessid=1",
        "https://a.org/shop/view.jsp;jsessionid=0A1B2C3D4E5F.node7?item=4",
        "https://a.org/shop/view.jsp;JSESSIONID=0A1B2C3D4E5F",
        "https://a.org/forum/viewtopic.php?t=4&sid=5f4dcc3b5aa765d61d8327deb882cf99",
        "https://a.org/forum/showthread.php?s=5F4DCC3B5AA765D61D8327DEB882CF99&t=4",
        "https://a.org/?ASPSESSIONIDQQABCDEF=ABC",
        "https://a.org/(S(lit3py55t21z5v55vlm25s55))/orders.aspx",
        "https://a.org/catalog?osCsid=abc123",
    ] {
        assert_eq!(refused(address), Some(Trap::Session), "{address}");
    }
    for address in [
        "https://a.org/?s=shoes",
        "https://a.org/?sid=12",
        "https://a.org/wiki/PHPSESSID",
        "https://a.org/a;b=c/jsessionid",
        "https://a.org/set_(S(4))",
    ] {
        assert_eq!(refused(address), None, "{address}");
    }
}

#[test]
fn the_same_parameters_in_another_order_are_the_same_page() {
    let traps = knowing(limits(), &["https://a.org/list?sort=price&colour=red&page=2"]);
    let refused = |address: &str| traps.refuses(address, NOW);
    for permutation in [
        "https://a.org/list?colour=red&sort=price&page=2",
        "https://a.org/list?page=2&colour=red&sort=price",
        "https://a.org/list?sort=price&colour=red&page=2&",
    ] {
        assert_eq!(refused(permutation), Some(Trap::SameParameters), "{permutation}");
    }
    for other in [
        "https://a.org/list?sort=price&colour=red&page=2",
        "https://a.org/list?page=2&colour=red&sort=name",
        "https://a.org/list?page=2&colour=red",
        "https://a.org/list?page=2&colour=red&sort=price&sort=price",
        "https://a.org/other?page=2&colour=red&sort=price",
        "https://b.org/list?page=2&colour=red&sort=price",
    ] {
        assert_eq!(refused(other), None, "{other}");
    }
}

#[test]
fn the_queries_of_one_path_are_bounded() {
    let mut traps = Traps::new(TrapLimits { queries_per_path: 500, ..limits() });
    for page in 0..500 {
        let address = format!("https://a.org/search?q={page}");
        assert_eq!(traps.refuses(&address, NOW), None, "{address}");
        traps.note(&address);
    }
    assert_eq!(traps.refuses("https://a.org/search?q=more", NOW), Some(Trap::ManyQueries(500)));
    assert_eq!(traps.refuses("https://a.org/search", NOW), None);
    assert_eq!(traps.refuses("https://a.org/other?q=more", NOW), None);
    assert_eq!(traps.refuses("https://b.org/search?q=more", NOW), None);
}

#[test]
fn dates_far_ahead_or_before_1970_are_refused() {
    for (address, expected) in [
        ("https://a.org/calendar/2027/12/19", None),
        ("https://a.org/calendar/2027/12/20", None),
        ("https://a.org/calendar/2027/12/21", Some(Trap::FarFuture)),
        ("https://a.org/2031/05/12", Some(Trap::FarFuture)),
        ("https://a.org/2031-05/", Some(Trap::FarFuture)),
        ("https://a.org/events/2031-05-12-yoga", Some(Trap::FarFuture)),
        ("https://a.org/events?date=2031-05-12", Some(Trap::FarFuture)),
        ("https://a.org/events?year=2031&month=5", Some(Trap::FarFuture)),
        ("https://a.org/1970/01/01/", None),
        ("https://a.org/1969/12/31/", Some(Trap::FarPast)),
        ("https://a.org/1914/06/28/archduke-shot-in-sarajevo", None),
        ("https://a.org/events?month=1&year=1950", Some(Trap::FarPast)),
    ] {
        assert_eq!(refused(address), expected, "{address}");
    }
}

#[test]
fn a_date_is_judged_by_the_time_of_the_question() {
    let traps = Traps::new(limits());
    let later = Time::from_millis(NOW.millis() + 5 * 365 * MILLIS_PER_DAY);
    assert_eq!(traps.refuses("https://a.org/2031/05/12", later), None);
}

#[test]
fn the_pages_of_one_calendar_are_bounded_but_not_the_articles_of_a_year() {
    let few = TrapLimits { dated_pages: 3, ..limits() };
    let traps = knowing(
        few,
        &[
            "https://a.org/events/2024/05/12/",
            "https://a.org/events/2024/05/13/",
            "https://a.org/events/2024/5/14/",
            "https://a.org/2024/05/12/first-story",
            "https://a.org/2024/05/12/88431.html",
            "https://a.org/2024/05/12/88432.html",
            "https://a.org/2024/05/12/88433.html",
        ],
    );
    assert_eq!(traps.refuses("https://a.org/events/2024/05/15/", NOW), Some(Trap::Calendar(3)));
    assert_eq!(traps.refuses("https://a.org/2024/05/12/88434.html", NOW), None);
    assert_eq!(traps.refuses("https://a.org/rooms/2024/05/15/", NOW), None);
    assert_eq!(traps.refuses("https://b.org/events/2024/05/15/", NOW), None);
}

#[test]
fn the_pages_of_one_host_are_bounded() {
    let few = TrapLimits { pages_per_host: 2, ..limits() };
    let traps = knowing(few, &["https://a.org/1", "http://a.org/2", "https://b.org/1"]);
    assert_eq!(traps.refuses("https://a.org/3", NOW), Some(Trap::FullHost(2)));
    assert_eq!(traps.refuses("https://b.org/2", NOW), None);
    assert_eq!(traps.refuses("https://a.org:8080/3", NOW), None);
}

#[test]
fn a_page_without_a_query_or_a_date_costs_no_memory_of_its_own() {
    let mut traps = Traps::new(limits());
    for page in 0..1_000 {
        traps.note(&format!("https://a.org/pages/{page}/2024/05/12/story-{page}"));
        traps.note(&format!("https://a.org/list?page={page}"));
    }
    let kept = [
        traps.pages_of_host.len(),
        traps.queries_of_path.len(),
        traps.orders.len(),
        traps.pages_of_shape.len(),
    ];
    assert_eq!(kept, [1, 1, 0, 0]);
    assert_eq!(size_of::<([u16; 3], u16)>(), 8);
}

#[test]
fn says_what_is_wrong_in_plain_words() {
    let said = |trap: Trap| (trap.name(), trap.to_string());
    assert_eq!(
        said(Trap::RepeatedSegment(3)),
        ("repeated segment", "the same part comes more than 3 times in the path".to_owned())
    );
    assert_eq!(
        said(Trap::ManyQueries(500)).1,
        "500 pages that differ only in what follows the ? are known"
    );
}
