//! A site with a template: a menu above the text of each page, and a footer below it.
use std::sync::Arc;

use super::*;
use crate::read::read;
use crawl::{
    Cost, HostNo, Instrument, Outcome, PageNo, Pages, Recorded, Saved, Visited, testing::day,
};

/// The template of a site.
#[derive(Clone)]
struct Template {
    host: &'static str,
    menu: Vec<&'static str>,
    footer: Vec<&'static str>,
}

impl Template {
    fn new() -> Self {
        Self {
            host: "https://a.org",
            menu: vec!["Home", "Products", "About us"],
            footer: vec!["Imprint", "Privacy", "© 2025 Example"],
        }
    }

    fn page(&self, number: usize, text: &[&str]) -> Arc<Snapshot> {
        let runs = |runs: &[&str]| format!("<p>{}</p>", runs.join("</p><p>"));
        let (menu, footer) = (runs(&self.menu), runs(&self.footer));
        let body = format!("<title>Page {number}</title>{menu}{}{footer}", runs(text));
        Arc::new(read(&self.address(number), "text/html", body.as_bytes()))
    }

    fn address(&self, number: usize) -> String {
        format!("{}/{number}", self.host)
    }
}

/// A crawl of a site, as the instruments see it.
struct Site {
    template: Template,
    pages: Pages,
    instruments: Instruments,
}

impl Site {
    /// A site whose pages are all held: each has two lines of its own.
    fn new(pages: usize) -> Self {
        let template = Template::new();
        let mut site =
            Self { template, pages: Pages::default(), instruments: Instruments::default() };
        for number in 0..pages {
            site.pages.insert(&site.template.address(number), day(0));
        }
        site.instruments.insert(Boilerplate::new(&site.pages));
        (0..pages).for_each(|number| site.visit(number, &site.plain(number)));
        site.begin_cycle();
        site
    }

    fn plain(&self, number: usize) -> Arc<Snapshot> {
        let lines = [format!("Line one of {number}"), format!("Line two of {number}")];
        self.template.page(number, &lines.each_ref().map(String::as_str))
    }

    fn boilerplate(&mut self) -> &mut Boilerplate {
        self.instruments.find_mut().unwrap()
    }

    fn visit(&mut self, number: usize, new: &Arc<Snapshot>) {
        self.show(number, Outcome::Same, Some(new));
    }

    fn show(&mut self, number: usize, outcome: Outcome, new: Option<&Arc<Snapshot>>) -> Recorded {
        let address = self.template.address(number);
        let visit = Visited {
            page: PageNo(number as u32),
            host: HostNo(0),
            address: &address,
            at: day(1),
            outcome,
            new,
            cost: Cost::default(),
            shows_new_link: false,
        };
        self.boilerplate().visited(&visit).unwrap()
    }

    fn begin_cycle(&mut self) -> bool {
        self.boilerplate().update()
    }

    fn change(&self, old: &Snapshot, new: &Snapshot) -> f32 {
        let change = MainText.change(old, new, &self.instruments);
        let back = MainText.change(new, old, &self.instruments);
        assert_eq!(change.to_bits(), back.to_bits());
        change
    }

    /// The change of page 3 if the template becomes another.
    fn template_change(&self, change: impl FnOnce(&mut Template)) -> f32 {
        let mut template = self.template.clone();
        change(&mut template);
        let new = template.page(3, &["Line one of 3", "Line two of 3"]);
        assert_ne!(new.fingerprints.text, self.plain(3).fingerprints.text);
        self.change(&self.plain(3), &new)
    }

    /// The change of page 3 if its text becomes another.
    fn text_change(&self, text: &[&str]) -> f32 {
        self.change(&self.plain(3), &self.template.page(3, text))
    }

    /// What is boilerplate, and what is stored.
    fn summary(&mut self) -> (Vec<u8>, Vec<Option<Vec<u8>>>) {
        let pages: Vec<PageNo> = self.pages.numbers().collect();
        let boilerplate = self.boilerplate();
        (boilerplate.state(), pages.iter().map(|page| boilerplate.page_state(*page)).collect())
    }

    /// The same after a restart. `whole` is what was stored when the last cycle began.
    fn restarted(&mut self, whole: &[u8]) -> Self {
        let (_, states) = self.summary();
        let mut restored = Boilerplate::new(&self.pages);
        restored.restore(whole);
        for (page, state) in self.pages.numbers().zip(states) {
            if let Some(state) = state {
                assert!(restored.restore_page(page, Saved::State(&state)));
            }
        }
        Self {
            template: self.template.clone(),
            pages: self.pages.clone(),
            instruments: Instruments::default().with(restored),
        }
    }
}

#[test]
fn a_new_year_in_the_footer_is_no_change_at_the_first_visit_after_it() {
    let site = Site::new(12);
    assert!(site.template_change(|template| template.footer[2] = "© 2026 Example") == 0.0);
}

#[test]
fn a_new_entry_of_the_menu_is_no_change() {
    let site = Site::new(12);
    assert!(site.template_change(|template| template.menu.insert(1, "News")) == 0.0);
    assert!(site.template_change(|template| template.menu.swap(0, 1)) == 0.0);
    assert!(site.template_change(|template| _ = template.menu.remove(1)) == 0.0);
    assert!(site.template_change(|template| template.footer.push("Contact")) == 0.0);
}

#[test]
fn a_template_that_grows_by_much_counts_until_it_is_known() {
    let mut site = Site::new(12);
    let old = site.plain(3);
    site.template.footer = vec!["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"];
    assert!(site.change(&old, &site.plain(3)) > 0.0);
    (4..12).for_each(|number| site.visit(number, &site.plain(number)));
    site.begin_cycle();
    assert!(site.change(&old, &site.plain(3)) == 0.0);
}

#[test]
fn the_size_of_a_change_is_the_share_of_main_text_that_differs() {
    let site = Site::new(12);
    // Title and two lines on each side, of which one line differs.
    assert!((site.text_change(&["Line one of 3", "Other"]) - 2.0 / 6.0).abs() < 1e-6);
    assert!(
        (site.text_change(&["Line one of 3", "Line two of 3", "More"]) - 1.0 / 7.0).abs() < 1e-6
    );
}

#[test]
fn first_content_and_another_order_count() {
    let site = Site::new(12);
    let empty = site.template.page(3, &[]);
    assert!(site.change(&empty, &site.plain(3)) > 0.0);
    assert!(site.change(&site.plain(3), &empty) > 0.0);
    assert!(site.text_change(&["Line two of 3", "Line one of 3"]) > 0.0);
}

#[test]
fn text_among_the_template_counts_where_it_takes_the_place_of_text() {
    let site = Site::new(12);
    let short = site.template.page(3, &["One line"]);
    assert!(site.change(&short, &site.template.page(3, &["Another line"])) > 0.0);
}

#[test]
fn other_markup_around_the_same_text_is_no_change() {
    let read = |body: &str| read("https://a.org/x", "text/html", body.as_bytes());
    let (old, new) = (read("<p>one two"), read("<p>one <b>two</b>"));
    assert_ne!(old.runs, new.runs);
    assert!(MainText.change(&old, &new, Instruments::NONE) == 0.0);
}

#[test]
fn every_difference_counts_on_a_host_with_fewer_than_ten_pages() {
    let site = Site::new(FEWEST_PAGES - 1);
    assert!(site.template_change(|template| template.footer[2] = "© 2026 Example") > 0.0);
    assert!(site.text_change(&["Line one of 3", "Other"]) > 0.0);
    let site = Site::new(FEWEST_PAGES);
    assert!(site.template_change(|template| template.footer[2] = "© 2026 Example") == 0.0);
}

#[test]
fn pages_without_runs_are_compared_by_their_digest() {
    let feed = |title: &str| {
        let body = format!("<rss><channel><title>{title}</title></channel></rss>");
        read("https://a.org/feed", "application/rss+xml", body.as_bytes())
    };
    let site = Site::new(12);
    assert!(feed("a").runs.is_empty());
    assert!((site.change(&feed("a"), &feed("b")) - 1.0).abs() < f32::EPSILON);
    assert!((site.change(&feed("a"), &site.plain(3)) - 1.0).abs() < f32::EPSILON);
}

#[test]
fn a_run_becomes_boilerplate_above_a_half_and_ceases_below_two_fifths() {
    let mut site = Site::new(20);
    let banner = site.template.page(0, &["Banner"]).runs[4];
    let mut shows = |pages: usize| {
        for number in 0..20 {
            let text: &[&str] = if number < pages { &["Banner"] } else { &["Nothing"] };
            let page = site.template.page(number, text);
            site.visit(number, &page);
        }
        site.begin_cycle();
        site.boilerplate().contains(banner)
    };
    assert!(!shows(10));
    assert!(shows(11));
    assert!(shows(8));
    assert!(!shows(7));
    assert!(!shows(10));
}

#[test]
fn a_restart_gives_back_everything_at_any_time() {
    let mut site = Site::new(100);
    let whole = site.summary().0;
    // A run that is boilerplate only because it was.
    let mut banner = site.template.clone();
    banner.menu.push("Banner");
    let visit = |site: &mut Site, number: usize, with_banner: bool| {
        let template = if with_banner { banner.clone() } else { site.template.clone() };
        let page = template.page(number, &["Text"]);
        site.visit(number, &page);
    };
    (0..100).for_each(|number| visit(&mut site, number, number % 20 < 11));
    assert!(site.begin_cycle());
    let stored = site.summary().0;
    assert_ne!(whole, stored);
    // In the middle of a cycle, after which the process ends.
    (0..100).for_each(|number| visit(&mut site, number, number % 20 < 9));
    site.show(5, Outcome::Gone, None);
    let mut again = site.restarted(&stored);
    assert_eq!(site.begin_cycle(), again.begin_cycle());
    assert_eq!(site.summary(), again.summary());
}

#[test]
fn the_sample_is_bounded_and_does_not_depend_on_the_order_of_visits() {
    let mut site = Site::new(1_000);
    let mut backwards = Site::new(1_000);
    (0..1_000).rev().for_each(|number| backwards.visit(number, &backwards.plain(number)));
    backwards.begin_cycle();
    assert_eq!(site.summary(), backwards.summary());
    let sampled = site.summary().1.iter().flatten().filter(|state| state.len() > 8).count();
    assert!((FEWEST_PAGES..=64).contains(&sampled), "{sampled}");
    assert!(site.template_change(|template| template.footer[2] = "© 2026 Example") == 0.0);
}

#[test]
fn old_folders_are_filled_from_the_archive() {
    let mut site = Site::new(30);
    let mut filled = Boilerplate::new(&site.pages);
    for page in site.pages.numbers() {
        assert!(filled.restore_page(page, Saved::Held(&site.plain(page.index()))));
    }
    filled.update();
    assert_eq!(filled.state(), site.boilerplate().state());
}

#[test]
fn damaged_states_are_refused() {
    let site = Site::new(12);
    let mut boilerplate = Boilerplate::new(&site.pages);
    boilerplate.restore(&[0xff; 7]);
    assert!(!boilerplate.restore_page(PageNo(0), Saved::State(&[0, 0xff])));
    assert!(!boilerplate.restore_page(PageNo(99), Saved::State(&[0, 0])));
}

#[test]
fn hosts_do_not_mix() {
    let site = Site::new(12);
    let other = Template { host: "https://b.org", ..Template::new() };
    let mut changed = other.clone();
    changed.footer[2] = "© 2026 Example";
    assert!(site.change(&other.page(1, &["x"]), &changed.page(1, &["x"])) > 0.0);
}

#[test]
fn hostile_pages_are_compared() {
    let mut site = Site::new(12);
    let page = |lines: &dyn Fn(usize) -> String| {
        let lines: Vec<String> = (0..9_000).map(lines).collect();
        let body = format!("<p>{}</p>", lines.join("</p><p>"));
        Arc::new(read("https://a.org/3", "text/html", body.as_bytes()))
    };
    let equal = page(&|_| "x".to_owned());
    let different = page(&|line| format!("line {line}"));
    let reversed = page(&|line| format!("line {}", 9_000 - line));
    for one in [&equal, &different, &reversed] {
        site.visit(3, one);
        site.begin_cycle();
        for other in [&equal, &different, &reversed] {
            let change = site.change(one, other);
            assert_eq!(change > 0.0, one.runs != other.runs);
            assert!(change <= 1.0);
        }
    }
}

#[test]
fn the_boilerplate_of_a_text_is_found_from_the_stored_state() {
    let mut site = Site::new(12);
    let stored = Boilerplate::from_state(&site.summary().0);
    let page = site.plain(3);
    let text = &page.content.as_ref().unwrap().text;
    let parts = stored.parts(page.text_runs()).into_iter();
    let texts: Vec<&str> = parts.map(|part| text[part].trim()).collect();
    assert_eq!(texts, ["Home Products About us", "Imprint Privacy © 2025 Example"]);
    assert!(Boilerplate::default().parts(page.text_runs()).is_empty());
    assert!(Boilerplate::from_state(&[7]).is_empty());
}
