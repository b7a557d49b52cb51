//! What the best possible policy can expect on the webs of `lab/experiments/poisson.toml`.
//!
//! Run it with `cargo run --release -p lab --example poisson_optimum`. It prints the expected
//! time-average freshness of the optimal allocation (Cho and Garcia-Molina, TODS 2003) for each
//! budget, averaged over the webs: the number to set beside `freshness_mean` of `known-rates`.
use lab::{
    oracle::poisson_optimum,
    synthetic::{Kind, Spec, SyntheticWeb, USUAL_WEEKS},
};

const PAGES: usize = 500;
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

fn main() {
    // A synthetic web knows the rate at which each of its pages changes.
    let webs: Vec<Vec<f64>> = SEEDS
        .iter()
        .map(|&seed| Spec { kind: Kind::Poisson, pages: PAGES, seed, weeks: USUAL_WEEKS })
        .map(|spec| SyntheticWeb::new(spec).rates().expect("Poisson webs have rates"))
        .map(|rates| rates.into_iter().map(|(_, rate)| rate).collect())
        .collect();
    // A budget is a share of the pages, and a cycle is a day.
    for budget in [0.02, 0.05, 0.1, 0.2] {
        let visits_per_day = (budget * PAGES as f64).floor();
        let optima = webs.iter().map(|rates| poisson_optimum(rates, visits_per_day));
        println!("{budget}: {:.4}", optima.sum::<f64>() / webs.len() as f64);
    }
}
