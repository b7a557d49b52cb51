//! What is stored of the boilerplate.
//!
//! The state as a whole is stored when a cycle begins, the state of a page at each visit that brought a
//! snapshot. Both together give back the samples exactly, also after a crash within a cycle: a level
//! only rises by a visit, and the state of its page has the new level.
use crawl::HostNo;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The state as a whole.
#[derive(Serialize, Deserialize)]
pub(super) struct Whole(pub(super) Vec<OfHost>);

/// What is known of one host besides its pages.
#[derive(Serialize, Deserialize)]
pub(super) struct OfHost {
    pub(super) host: HostNo,
    pub(super) level: u8,
    pub(super) boilerplate: Vec<u32>,
    pub(super) former: Vec<u32>,
}

/// The state of one page.
#[derive(Serialize, Deserialize)]
pub(super) struct OfPage {
    /// The level of the host's sample.
    pub(super) level: u8,
    /// The page's marks; empty where it is not sampled.
    pub(super) marks: Vec<u32>,
}

pub(super) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers and lists can always be encoded")
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
