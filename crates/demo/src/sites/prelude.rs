//! What every generator of a site needs.
pub(super) use std::sync::Arc;

pub(super) use crawl::Time;
pub(super) use serde::Deserialize;

pub(super) use super::{
    Era, Item, add_archive, add_items, add_paged, births, births_with_stock, edited, slug, still,
};
pub(super) use crate::list::{Entry, List, Order};
pub(super) use crate::moments::{DAY, HOUR, civil, day_words, later, minute_words};
pub(super) use crate::page::{Block, End, Form, Noindex, Page};
pub(super) use crate::phrases::Voice;
pub(super) use crate::random::{Draws, Random};
pub(super) use crate::site::Site;
pub(super) use crate::words::{Topic, person};
