//! Encoding of column values: enums as names, lists as packed varints.
use crawl::{
    Allowance, Digest, Fault, FaultKind, Form, Outcome, PageNo, Reason, Signal, SignalSource, Span,
    State, Time,
};

/// Enums stored by name.
pub(crate) trait Named: Copy + PartialEq + 'static {
    const NAMES: &'static [(Self, &'static str)];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(value, _)| *value == self).map_or("", |(_, name)| name)
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(value, _)| *value)
    }
}

impl Named for State {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Linked, "linked"), (Self::Held, "held"), (Self::Gone, "gone")];
}

impl Named for Reason {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Refresh, "refresh"),
        (Self::Sample, "sample"),
        (Self::Discover, "discover"),
        (Self::First, "first"),
    ];
}

impl Named for Form {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Html, "html"),
        (Self::Text, "text"),
        (Self::Sitemap, "sitemap"),
        (Self::Feed, "feed"),
        (Self::Xml, "xml"),
        (Self::Other, "other"),
        (Self::Moved, "moved"),
        (Self::Pdf, "pdf"),
    ];
}

/// WARC record type of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordForm {
    /// The whole response.
    Response,
    /// Headers only; an earlier response has the payload.
    Revisit,
}

impl Named for RecordForm {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Response, "response"), (Self::Revisit, "revisit")];
}

/// Unit of a budget without a limit.
pub(crate) const VISITS: &str = "visits";

/// Unit of a budget.
pub fn budget_unit(budget: Allowance) -> &'static str {
    match budget {
        Allowance::Visits(_) => VISITS,
        Allowance::Bytes(_) => "bytes",
        Allowance::Time(_) => "milliseconds",
    }
}

/// A budget as a number of its unit.
pub fn budget_value(budget: Allowance) -> u64 {
    match budget {
        Allowance::Visits(visits) => u64::from(visits),
        Allowance::Bytes(bytes) => bytes.min(i64::MAX as u64),
        Allowance::Time(time) => time.millis().unsigned_abs(),
    }
}

/// The budget of a number and its unit; `None` for an unknown unit, or more visits than there can be.
pub(crate) fn budget(value: u64, unit: &str) -> Option<Allowance> {
    Some(match unit {
        VISITS => Allowance::Visits(value.try_into().ok()?),
        "bytes" => Allowance::Bytes(value),
        "milliseconds" => Allowance::Time(Span::from_millis(value.try_into().ok()?)),
        _ => return None,
    })
}

/// Name of an outcome.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::First => "first",
        Outcome::Same => "same",
        Outcome::Changed(_) => "changed",
        Outcome::Missing => "missing",
        Outcome::Gone => "gone",
        Outcome::Failed => "failed",
        Outcome::Unreached => "unreached",
        Outcome::Refused => "refused",
    }
}

/// How much changed, if the outcome is a change.
pub(crate) fn change_of(outcome: Outcome) -> Option<f64> {
    if let Outcome::Changed(change) = outcome { Some(f64::from(change)) } else { None }
}

pub(crate) fn outcome(name: &str, change: Option<f64>) -> Option<Outcome> {
    Some(match (name, change) {
        ("first", None) => Outcome::First,
        ("same", None) => Outcome::Same,
        ("changed", Some(change)) => Outcome::Changed(change as f32),
        ("missing", None) => Outcome::Missing,
        ("gone", None) => Outcome::Gone,
        ("failed", None) => Outcome::Failed,
        ("unreached", None) => Outcome::Unreached,
        ("refused", None) => Outcome::Refused,
        _ => return None,
    })
}

/// A fault from its two columns. Either both are null or none is.
pub(crate) fn fault(kind: Option<&str>, why: Option<String>) -> Result<Option<Fault>, ()> {
    match (kind.map(FaultKind::by_name), why) {
        (None, None) => Ok(None),
        (Some(Some(kind)), Some(why)) => {
            let is_old = kind == FaultKind::Robots && why.starts_with(NO_ROBOTS);
            let kind = if is_old { kind_of_text(&why) } else { kind };
            Ok(Some(Fault { kind, why }))
        }
        _ => Err(()),
    }
}

/// How older versions began the text where the robots.txt of a host could not be fetched. The kind was
/// then `robots`, as where robots.txt forbids a page.
pub(crate) const NO_ROBOTS: &str = "robots.txt cannot be reached: ";

/// The kind of a failure that was written down as text alone.
fn kind_of_text(why: &str) -> FaultKind {
    let texts = [
        ("has no address", FaultKind::Name),
        ("no secure connection", FaultKind::Tls),
        (" within ", FaultKind::Timeout),
        ("the server answers", FaultKind::Server),
    ];
    texts.iter().find(|(text, _)| why.contains(text)).map_or(FaultKind::Connect, |(_, kind)| *kind)
}

/// Why a robots.txt could not be fetched, for its column: the kind and the text.
pub(crate) fn robots_why(fault: &Fault) -> String {
    format!("{}: {}", fault.kind.name(), fault.why)
}

/// Reads what [`robots_why`] wrote. Older versions wrote the text alone.
pub(crate) fn robots_fault(why: String) -> Fault {
    let parts = why.split_once(": ");
    match parts.and_then(|(kind, text)| Some((FaultKind::by_name(kind)?, text.to_owned()))) {
        Some((kind, why)) => Fault { kind, why },
        None => Fault { kind: kind_of_text(&why), why },
    }
}

pub(crate) fn digest(bytes: &[u8]) -> Option<Digest> {
    bytes.try_into().ok().map(|bytes| Digest(u128::from_be_bytes(bytes)))
}

/// Delta-encodes numbers as zigzag varints.
pub(crate) fn pack(numbers: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let (mut out, mut before) = (vec![], 0_i64);
    for number in numbers {
        push_varint(&mut out, number.wrapping_sub(before));
        before = number;
    }
    out
}

pub(crate) fn unpack(mut packed: &[u8]) -> Option<Vec<i64>> {
    let (mut numbers, mut before) = (vec![], 0_i64);
    while !packed.is_empty() {
        before = before.wrapping_add(take_varint(&mut packed)?);
        numbers.push(before);
    }
    Some(numbers)
}

pub(crate) fn pack_pages(pages: &[PageNo]) -> Vec<u8> {
    pack(pages.iter().map(|page| i64::from(page.0)))
}

pub(crate) fn unpack_pages(packed: &[u8]) -> Option<Vec<PageNo>> {
    let page = |number: i64| u32::try_from(number).ok().map(PageNo);
    unpack(packed)?.into_iter().map(page).collect()
}

pub(crate) fn unpack_sketch(packed: &[u8]) -> Option<Vec<u32>> {
    unpack(packed)?.into_iter().map(|number| u32::try_from(number).ok()).collect()
}

/// Precedes signals of several sources. Signals of sitemaps alone begin with a page number instead,
/// which is not negative.
const WITH_SOURCES: i64 = -1;

/// Pages and dates alternately, each delta-encoded against the previous one of its kind. Where not
/// all signals are of sitemaps, [`WITH_SOURCES`] comes first, and each signal's source before its page.
pub(crate) fn pack_signals(signals: &[Signal]) -> Vec<u8> {
    let (mut out, mut page, mut date) = (vec![], 0_i64, 0_i64);
    let has_sources = signals.iter().any(|signal| signal.source != SignalSource::Sitemap);
    if has_sources {
        push_varint(&mut out, WITH_SOURCES);
    }
    for signal in signals {
        if has_sources {
            push_varint(&mut out, signal.source.index() as i64);
        }
        push_varint(&mut out, i64::from(signal.page.0) - page);
        push_varint(&mut out, signal.changed.millis().wrapping_sub(date));
        (page, date) = (i64::from(signal.page.0), signal.changed.millis());
    }
    out
}

pub(crate) fn unpack_signals(mut packed: &[u8]) -> Option<Vec<Signal>> {
    let (mut signals, mut page, mut date) = (vec![], 0_i64, 0_i64);
    let mut rest = packed;
    let has_sources = !packed.is_empty() && take_varint(&mut rest)? == WITH_SOURCES;
    if has_sources {
        packed = rest;
    }
    while !packed.is_empty() {
        let source = if has_sources { take_varint(&mut packed)? } else { 0 };
        page = page.wrapping_add(take_varint(&mut packed)?);
        date = date.wrapping_add(take_varint(&mut packed)?);
        let source = *SignalSource::ALL.get(usize::try_from(source).ok()?)?;
        let page = PageNo(u32::try_from(page).ok()?);
        signals.push(Signal { page, changed: Time::from_millis(date), source });
    }
    Some(signals)
}

/// Appends a zigzag varint (LEB128).
fn push_varint(out: &mut Vec<u8>, number: i64) {
    let mut rest = (number.wrapping_shl(1) ^ (number >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn take_varint(packed: &mut &[u8]) -> Option<i64> {
    let mut bits = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = packed.split_first()?;
        *packed = rest;
        bits |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((bits >> 1) as i64 ^ -((bits & 1) as i64));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reads_back<T: Named + std::fmt::Debug>() {
        for (value, name) in T::NAMES {
            assert_eq!((value.name(), T::by_name(name)), (*name, Some(*value)));
        }
        assert_eq!(T::by_name("nonsense"), None);
    }

    #[test]
    fn every_word_reads_back() {
        reads_back::<State>();
        reads_back::<Reason>();
        reads_back::<Form>();
        reads_back::<RecordForm>();
        let changed = Outcome::Changed(0.1);
        for each in [Outcome::First, Outcome::Same, changed, Outcome::Missing, Outcome::Gone] {
            assert_eq!(outcome(outcome_name(each), change_of(each)), Some(each));
        }
        assert_eq!(outcome("changed", None), None);
    }

    #[test]
    fn why_a_robots_txt_could_not_be_fetched_reads_back_also_from_older_versions() {
        let fault = Fault { kind: FaultKind::Tls, why: "no secure connection to a: x".to_owned() };
        assert_eq!(robots_fault(robots_why(&fault)), fault);
        assert_eq!(robots_fault(fault.why.clone()), fault);
        let old = format!("{NO_ROBOTS}a.example has no address");
        let read = super::fault(Some("robots"), Some(old)).unwrap().unwrap();
        assert_eq!(read.kind, FaultKind::Name);
        let rule = Some("robots.txt says \"Disallow: /\"".to_owned());
        assert_eq!(super::fault(Some("robots"), rule).unwrap().unwrap().kind, FaultKind::Robots);
    }

    #[test]
    fn a_list_of_neighbours_takes_a_byte_each() {
        let pages: Vec<PageNo> = (1_000_000..1_000_100).map(PageNo).collect();
        assert!(pack_pages(&pages).len() < 104);
    }

    #[test]
    fn what_is_cut_off_is_not_read() {
        let packed = pack([5, 1_000_000]);
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(unpack_pages(&pack([-1])), None);
    }

    proptest! {
        #[test]
        fn numbers_read_back(numbers in prop::collection::vec(any::<i64>(), 0..20)) {
            prop_assert_eq!(unpack(&pack(numbers.iter().copied())), Some(numbers));
        }

        #[test]
        fn signals_read_back(
            signals in prop::collection::vec((any::<u32>(), any::<i64>(), 0..SignalSource::ALL.len()), 0..9),
        ) {
            let signal = |(page, date, source)| Signal {
                page: PageNo(page),
                changed: Time::from_millis(date),
                source: SignalSource::ALL[source],
            };
            let signals: Vec<Signal> = signals.into_iter().map(signal).collect();
            prop_assert_eq!(unpack_signals(&pack_signals(&signals)), Some(signals));
        }
    }
}
