//! Instruments measure pages beside the crawl loop, with the same code live and in the lab.
//!
//! An [`Instrument`](crawl::Instrument) sees every visit before it is logged. Policies request one with
//! [`crawl::Needs`] and read it from [`crawl::Known::instruments`].
//!
//! - [`fragments`]: parts of pages that other pages share, and which of them have changed.
//! - [`costs`]: the bytes and the time that a visit to a page takes.
//! - [`features`]: features of each held page and a window of its last visits.
//! - [`impact`]: the effect of a visit on search results, and how much searchers see each page.
//! - [`weights`]: what pages are worth by what the user says.
pub mod costs;
pub mod features;
pub mod fragments;
pub mod impact;
pub mod weights;

use std::sync::LazyLock;

use crawl::{Known, PageNo};

use self::{features::Features, impact::Impact};

static NO_FEATURES: LazyLock<Features> = LazyLock::new(Features::default);

/// Access to the instruments of this crate from what a policy knows.
pub trait Measured {
    /// The features of pages; empty where no policy needs them.
    fn features(&self) -> &Features;

    /// By page number, its share of all views of search results; empty where that is not measured.
    /// Pages beyond the end have none.
    fn exposures(&self) -> &[f32];

    /// A page's share of all views of search results.
    fn exposure(&self, page: PageNo) -> f32 {
        self.exposures().get(page.index()).copied().unwrap_or(0.0)
    }
}

impl Measured for Known<'_> {
    fn features(&self) -> &Features {
        self.instruments.find().unwrap_or(&NO_FEATURES)
    }

    fn exposures(&self) -> &[f32] {
        self.instruments.find::<Impact>().map_or(&[], Impact::exposures)
    }
}
