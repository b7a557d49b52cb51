//! Measures how fast one address is crawled, links followed, nothing stored:
//!
//! ```text
//! cargo run --release -p web --example rate -- http://127.0.0.1:8080/ [PAGES]
//! ```
//!
//! Politeness is off, so this is for servers of your own on this machine.
use std::{env, sync::Arc, time::Instant};

use crawl::{Budget, Crawl, Known, MemoryRepository, Outcome, Plan, Policy, Span, World};
use extract::{detect, read::address};
use web::{
    Clock, LiveWorld, Settings,
    scope::{Scope, ScopeKind},
};

/// Plans nothing: the crawl only follows links.
#[derive(Clone)]
struct Nothing;

impl Policy for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn plan(&mut self, _: &Known<'_>, _: Budget) -> Plan {
        Plan::default()
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let seed = arguments.next().ok_or("give the address to start at")?;
    let seed = address::canonical(&seed).ok_or("not an http or https address")?;
    let most = arguments.next().map_or(Ok(u32::MAX), |most| most.parse())?;
    let settings = Settings {
        delay: Span::default(),
        response_multiple: 0.0,
        allowed: vec!["127.0.0.1".to_owned(), "localhost".to_owned()],
        ..Settings::default()
    };
    settings.check_contact([seed.as_str()])?;
    let world = LiveWorld::new(settings, Clock::real(), vec![], vec![])?;
    let scope = Scope::new(ScopeKind::Host, std::slice::from_ref(&seed));
    let detector = detect::by_name("digest").ok_or("the detector is gone")?;
    let repository = MemoryRepository::default();
    let mut crawl = Crawl::new(world, Box::new(Nothing), repository, Arc::from(detector));
    crawl.admits = Box::new(move |address| scope.admits(address));
    crawl.pages.insert(&seed, crawl.world.now());
    let (mut kept, mut other) = (0, 0);
    let begun = Instant::now();
    let visited = crawl.follow(Budget(most), &mut |seen| {
        let count = if seen.outcome == Outcome::First { &mut kept } else { &mut other };
        *count += 1;
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let rate = f64::from(visited) / seconds;
    println!("{visited} visits in {seconds:.2} s: {rate:.0}/s; {kept} kept, {other} not");
    Ok(())
}
