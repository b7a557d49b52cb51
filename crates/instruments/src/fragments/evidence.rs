//! What dead fragments say about the pages that still hold them.

/// What became of a dead fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Death {
    /// Visits that found it gone.
    pub gone: u32,
    /// Visits that found it still there, after the first that found it gone.
    pub stayed: u32,
    /// The groups in which it was found gone, by the number of the group modulo 64.
    pub(super) gone_in: u64,
    /// The groups in which it was found to have stayed.
    pub(super) stayed_in: u64,
}

/// The evidence of dead fragments that a held page is out of date.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// From 0, none, to 4, a fragment was gone wherever it was looked for in the page's group. 3: gone
    /// on some pages of the group and not on others; 2: gone in other groups only; 1: the same, and
    /// still there on a page of the group.
    pub class: u8,
    /// The share of visits that found the fragment gone.
    pub share: f32,
}

impl Death {
    /// What the death says about a page of a group that still holds the fragment.
    pub fn evidence(&self, group: u32) -> Evidence {
        let bit = 1_u64 << (group % 64);
        let class = match (self.gone_in & bit != 0, self.stayed_in & bit != 0) {
            (true, false) => 4,
            (true, true) => 3,
            (false, false) => 2,
            (false, true) => 1,
        };
        let (gone, stayed) = (self.gone as f32, self.stayed as f32);
        Evidence { class, share: (gone + 0.3) / (gone + stayed + 0.6) }
    }
}

impl Evidence {
    /// The stronger of two.
    pub(super) fn max(self, other: Self) -> Self {
        let is_stronger = (other.class, other.share) > (self.class, self.share);
        if is_stronger { other } else { self }
    }
}
