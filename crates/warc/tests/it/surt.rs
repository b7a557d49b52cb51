//! Keys against those of the `surt` package, version 0.3.1, made once with
//! `json.dumps([url, surt.surt(url)])` for each line of `surt_vectors.jsonl`. Where the package
//! fails, the key is the address itself, as in cdxj-indexer.
use proptest::prelude::*;
use warc::cdxj::surt;

#[test]
fn keys_are_those_of_the_surt_package() {
    let mut wrong = Vec::new();
    for line in include_str!("surt_vectors.jsonl").lines() {
        let (address, key): (String, String) = serde_json::from_str(line).unwrap();
        if surt(&address) != key {
            wrong.push(format!("{address:?}: {} instead of {key}", surt(&address)));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

proptest! {
    #[test]
    fn every_address_has_a_key(address in ".{0,200}") {
        prop_assert!(!surt(&address).is_empty());
    }

    #[test]
    fn the_key_of_a_page_does_not_depend_on_how_its_host_is_written(
        name in "[a-v][a-z0-9-]{0,20}", path in "[A-Za-z0-9/._~-]{0,40}",
    ) {
        let plain = surt(&format!("http://{name}.example/{path}"));
        let shouted = surt(&format!("HTTPS://WWW.{}.Example:443/{path}#top", name.to_uppercase()));
        prop_assert_eq!(plain, shouted);
    }
}
