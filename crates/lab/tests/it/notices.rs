//! Simulated notices are as right as asked.

use lab::{
    notices::{NoticeModel, simulate},
    synthetic::{Kind, Spec, SyntheticWeb},
};

use crate::common::{DAY, truth_of};

#[test]
fn notices_have_the_recall_and_the_precision_asked_for() {
    let spec = Spec { kind: Kind::Poisson, pages: 400, seed: 1, weeks: 30 };
    let truth = truth_of(
        SyntheticWeb::new(spec).history(),
        DAY.times(7),
        extract::detect::by_name("digest").unwrap(),
    );
    let model = NoticeModel::Informed { recall: 0.9, precision: 0.5 };
    let notices = simulate(&truth, model, 1);
    let grid = truth.grid();
    let (mut changes, mut right) = (0, 0);
    let mut told: std::collections::BTreeSet<(crawl::Time, String)> =
        notices.iter().map(|(at, notice)| (*at, notice.address.clone())).collect();
    for cycle in 1..=grid.cycles {
        for (number, page) in truth.history().pages.iter().enumerate() {
            let (old, new) = (truth.reading(number, cycle - 1), truth.reading(number, cycle));
            if old.is_some() && !truth.same(old, new) {
                changes += 1;
                right += u32::from(told.remove(&(grid.instant(cycle), page.address.clone())));
            }
        }
    }
    let recall = f64::from(right) / f64::from(changes);
    let precision = f64::from(right) / notices.len() as f64;
    assert!((recall - 0.9).abs() < 0.02, "{recall}");
    assert!((precision - 0.5).abs() < 0.03, "{precision}");
    assert_eq!(simulate(&truth, model, 1), notices);
    assert_ne!(simulate(&truth, model, 2), notices);
}
