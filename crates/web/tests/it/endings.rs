//! How a cycle ends: by its deadline, by being told to stop, or by an error of its caller.
use std::{
    thread,
    time::{Duration, Instant},
};

use crawl::{Answer, Arrival, Error, FaultKind, Span, World};
use web::Settings;

use crate::{
    server::{Server, dead_host, page, silence, silent_host},
    worlds::{fetch, fetch_until_end, hasty, patient, request, settings, world},
};

fn slow() -> Server {
    Server::new(|asked, stream| {
        if asked.host == "a.example" {
            thread::sleep(Duration::from_millis(100));
        }
        page(stream, "fine")
    })
}

#[test]
fn a_slow_host_and_dead_ones_do_not_hold_up_the_others() {
    let server = slow();
    let (_listener, silent) = silent_host();
    let mut settings = settings(&server);
    settings.resolve.insert("c.example".to_owned(), dead_host());
    settings.resolve.insert("d.example".to_owned(), silent);
    let mut world = world(settings);
    let count = 60;
    let addresses: Vec<String> = (0..count)
        .flat_map(|n| ["a", "b", "c", "d"].map(|host| format!("http://{host}.example/{n}")))
        .collect();
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let begun = Instant::now();
    world.set_deadline(Some(world.now() + Span::from_millis(1_500)));
    let fetched = fetch(&mut world, &addresses);
    // The deadline, and the grace for the request that the silent host was asked in time.
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    let reached = |host: usize| {
        let answers = fetched.captures.iter().skip(host).step_by(4);
        answers.filter(|capture| matches!(capture.answer, Answer::Content(_))).count()
    };
    assert_eq!(reached(1), count, "a host that is fine is visited in full");
    assert!((1..30).contains(&reached(0)), "a slow host as far as the time goes");
    let last = &fetched.captures[4 * (count - 1)..];
    assert!(matches!(last[0].answer, Answer::Unreached));
    assert_eq!(fetched.kind(4 * (count - 1) + 2), FaultKind::Connect);
    assert!(matches!(last[3].answer, Answer::Unreached));
}

#[test]
fn what_cannot_begin_before_the_deadline_is_not_reached() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let mut world = world(Settings { delay: Span::from_days(2), ..settings(&server) });
    world.set_deadline(Some(world.now() + Span::from_days(1)));
    // robots.txt is asked for, and the page would have to wait for two days.
    let fetched = fetch(&mut world, &["http://a.example/1", "http://a.example/2"]);
    assert!(fetched.captures.iter().all(|one| matches!(one.answer, Answer::Unreached)));
    assert_eq!(world.backing_off(), ["a.example"]);
    assert_eq!((server.robots(), server.paths().len()), (1, 0));
    world.set_deadline(Some(world.now()));
    let fetched = fetch(&mut world, &["http://b.example/"]);
    assert!(matches!(fetched.captures[0].answer, Answer::Unreached));
    assert_eq!(server.log().len(), 1);
}

#[test]
fn a_stop_lets_what_is_under_way_arrive_and_begins_nothing_more() {
    let server = slow();
    let mut world = patient(&server);
    let stopper = world.stopper();
    let mut arrived = 0;
    let requests = (0..50).map(|n| request(n, &format!("http://a.example/{n}"))).collect();
    let ended = world.fetch(requests, &mut |arrival| {
        if let Arrival::Capture(capture) = arrival {
            assert!(matches!(capture.answer, Answer::Content(_)));
            arrived += 1;
            stopper.stop();
        }
        Ok(vec![request(99, "http://b.example/never")])
    });
    assert!(matches!(ended, Err(Error::Interrupted)));
    assert_eq!(arrived, server.paths().len(), "what was asked for has arrived");
    assert!(arrived <= 3);
    // It stays stopped.
    let (fetched, ended) = fetch_until_end(&mut world, vec![request(0, "http://b.example/")]);
    assert!(matches!(ended, Err(Error::Interrupted)) && fetched.captures.is_empty());
    let begun = Instant::now();
    let then = world.now() + Span::from_days(1);
    world.wait_until(then);
    assert!(begun.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_stop_does_not_wait_for_a_host_that_says_nothing() {
    let server = Server::new(|asked, stream| {
        if asked.path == "/silent" { Ok(silence(stream)) } else { page(stream, "fine") }
    });
    let mut world = patient(&server);
    let stopper = world.stopper();
    let requests = vec![request(0, "http://a.example/silent"), request(1, "http://b.example/fine")];
    let begun = Instant::now();
    let mut arrived = vec![];
    let ended = world.fetch(requests, &mut |arrival| {
        if let Arrival::Capture(capture) = arrival {
            arrived.push(capture.page.0);
            stopper.stop();
        }
        Ok(vec![])
    });
    assert!(matches!(ended, Err(Error::Interrupted)));
    // The three seconds it gets are fewer than the ten it would have had.
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    assert_eq!(arrived, [1], "what was cut is not a failure of the page");
}

#[test]
fn an_error_of_the_caller_ends_everything_at_once() {
    let server = slow();
    let mut world = patient(&server);
    let requests: Vec<_> = (0..50).map(|n| request(n, &format!("http://a.example/{n}"))).collect();
    let ended = world.fetch(requests.clone(), &mut |arrival| match arrival {
        Arrival::Capture(_) => Err(Error::Unrequested { address: "x".to_owned() }),
        Arrival::Host(_) => Ok(vec![]),
    });
    assert!(matches!(ended, Err(Error::Unrequested { .. })));
    assert!(server.paths().len() < 5);
    // The world can be used again.
    let fetched = fetch(&mut world, &["http://b.example/again"]);
    assert_eq!(fetched.text(0), "fine");
}

#[test]
fn what_an_arrival_leads_to_is_fetched_in_the_same_call() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let mut world = hasty(&server);
    let mut arrived = 0;
    let ended = world.fetch(vec![request(0, "http://a.example/0")], &mut |arrival| {
        let Arrival::Capture(_) = arrival else { return Ok(vec![]) };
        arrived += 1;
        let next = [("a", arrived), ("b", arrived + 1_000)];
        let next = next.map(|(host, n)| request(n, &format!("http://{host}.example/{n}")));
        Ok(if arrived < 40 { next.to_vec() } else { vec![] })
    });
    ended.unwrap();
    assert_eq!(arrived, 79);
}
