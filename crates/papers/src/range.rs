//! Policies in an experiment file: `LABEL = NAME:KEY=VALUE`, where a value may be a range of
//! integers that stands for one policy each.
/// The widest range; a wider one is a typing error.
const MOST_VALUES: i64 = 200;

/// A policy whose text is not parsed yet, with its label.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawPolicy {
    pub(crate) label: String,
    pub(crate) policy: String,
    /// Its value of the parameter on the axis.
    pub(crate) x: Option<i64>,
}

/// The policies of a text `LABEL = NAME:KEY=FIRST..LAST:KEY=VALUE`, where only the name is
/// required.
///
/// `axis` is the parameter on the horizontal axis of the figure. Policies that differ in it share a
/// label; policies of another range have its value in their label.
pub(crate) fn expand(text: &str, axis: Option<&str>) -> Result<Vec<RawPolicy>, String> {
    let (label, policy) = match text.split_once(" = ") {
        Some((label, policy)) => (Some(label.trim()), policy.trim()),
        None => (None, text.trim()),
    };
    if policy.is_empty() || label.is_some_and(str::is_empty) {
        return Err(format!("{text:?} is not a policy such as \"DB = directory-sample:d=1\""));
    }
    let parts: Vec<&str> = policy.split(':').collect();
    let mut ranges = vec![];
    for (place, part) in parts.iter().enumerate() {
        if let Some((key, first, last)) = range(part)? {
            ranges.push((place, key, first, last));
        }
    }
    let key_of = |part: &str| part.split_once('=').map(|(key, _)| key.to_owned());
    let on_axis = |part: &str| axis.is_some() && key_of(part).as_deref() == axis;
    let plain: Vec<&str> = parts.iter().copied().filter(|part| !on_axis(part)).collect();
    let label = label.map_or_else(|| plain.join(":"), str::to_owned);
    match ranges.as_slice() {
        [] => {
            let value =
                parts.iter().find(|part| on_axis(part)).and_then(|part| part.split_once('='));
            let x = value.and_then(|(_, value)| value.parse().ok());
            Ok(vec![RawPolicy { label, policy: policy.to_owned(), x }])
        }
        [(place, key, first, last)] => {
            let entry = |value: i64| {
                let mut parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
                parts[*place] = format!("{key}={value}");
                let policy = parts.join(":");
                if axis == Some(key.as_str()) {
                    return RawPolicy { label: label.clone(), policy, x: Some(value) };
                }
                let label = if label == plain.join(":") {
                    policy.clone()
                } else {
                    format!("{label} {key}={value}")
                };
                RawPolicy { label, policy, x: None }
            };
            Ok((*first..=*last).map(entry).collect())
        }
        _ => Err(format!("{policy:?} has two ranges; only one can be spread out")),
    }
}

/// The key and both ends of a part such as `d=-6..8`; `None` if its value is not a range.
fn range(part: &str) -> Result<Option<(String, i64, i64)>, String> {
    let Some((key, (first, last))) =
        part.split_once('=').and_then(|(key, value)| Some((key, value.split_once("..")?)))
    else {
        return Ok(None);
    };
    let Some((first, last)) = first.parse::<i64>().ok().zip(last.parse::<i64>().ok()) else {
        return Err(format!("{part:?} is not a range of whole numbers such as d=-6..8"));
    };
    let values = last.saturating_sub(first).saturating_add(1);
    if !(1..=MOST_VALUES).contains(&values) {
        return Err(format!(
            "{part:?} must go from a number to one that is not less, over at most {MOST_VALUES}"
        ));
    }
    Ok(Some((key.to_owned(), first, last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(text: &str, axis: Option<&str>) -> Vec<(String, String, Option<i64>)> {
        let policies = expand(text, axis).unwrap();
        policies.into_iter().map(|entry| (entry.label, entry.policy, entry.x)).collect()
    }

    fn entry(label: &str, policy: &str, x: Option<i64>) -> (String, String, Option<i64>) {
        (label.to_owned(), policy.to_owned(), x)
    }

    #[test]
    fn a_range_is_one_policy_for_each_of_its_numbers_both_ends_included() {
        let label = "directory-sample:chance=history";
        assert_eq!(
            spread("directory-sample:d=-1..1:chance=history", Some("d")),
            [
                entry(label, "directory-sample:d=-1:chance=history", Some(-1)),
                entry(label, "directory-sample:d=0:chance=history", Some(0)),
                entry(label, "directory-sample:d=1:chance=history", Some(1)),
            ]
        );
        let one = spread("LB = link-sample:d=3..3", Some("d"));
        assert_eq!(one, [entry("LB", "link-sample:d=3", Some(3))]);
    }

    #[test]
    fn labels_show_the_values_of_a_range_that_is_not_on_the_axis() {
        assert_eq!(
            spread("DB = directory-sample:d=0..1", None),
            [
                entry("DB d=0", "directory-sample:d=0", None),
                entry("DB d=1", "directory-sample:d=1", None),
            ]
        );
        let plain = spread("a:d=2..2", None);
        assert_eq!(plain, [entry("a:d=2", "a:d=2", None)]);
    }

    #[test]
    fn without_a_range_a_policy_is_itself() {
        assert_eq!(spread("random", Some("d")), [entry("random", "random", None)]);
        let text = "CLS = cluster-sample:weights=nad:dimensions=20:delta=0.1";
        let policy = "cluster-sample:weights=nad:dimensions=20:delta=0.1";
        assert_eq!(spread(text, Some("dimensions")), [entry("CLS", policy, Some(20))]);
    }

    #[test]
    fn invalid_ranges_are_errors() {
        let why = |text: &str| expand(text, Some("d")).unwrap_err();
        assert!(why("a:d=1..b").contains("\"d=1..b\" is not a range of whole numbers"));
        assert!(why("a:d=3..1").contains("must go from a number to one that is not less"));
        assert!(why("a:d=0..9999").contains("over at most 200"));
        assert!(why("a:d=0..1:e=0..1").contains("two ranges"));
        assert!(why("DB = ").contains("is not a policy"));
        assert!(why("").contains("is not a policy"));
    }
}
