//! Trains an SVM on the rows of a file and measures the time.
//!
//! ```text
//! cargo run --release -p learn --example svm -- FILE TRAIN ROWS COLUMNS GAMMA COST ROUNDS
//! ```
//!
//! The file has one row after another, little-endian double precision, each headed by its class: 1 or
//! 0. The SVM is trained on the first `TRAIN` of them with the kernel (GAMMA x.y + 1)^3, `ROUNDS` times;
//! the fastest counts. The decision values of all rows are written to `FILE.decisions`. `bench/svm.py`
//! compares them with scikit-learn.
#![expect(clippy::disallowed_methods, reason = "the example measures time")]

use std::error::Error;
use std::time::Instant;

use learn::svm::{Kernel, Svm};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, train, rows, columns, gamma, cost, rounds] = arguments.as_slice() else {
        return Err("usage: svm FILE TRAIN ROWS COLUMNS GAMMA COST ROUNDS".into());
    };
    let (train, rows, columns): (usize, usize, usize) =
        (train.parse()?, rows.parse()?, columns.parse()?);
    let (gamma, cost): (f64, f64) = (gamma.parse()?, cost.parse()?);
    let values = read(path)?;
    if values.len() != rows * (columns + 1) || train > rows {
        return Err("the file has another number of rows or columns".into());
    }
    let row = |row: usize| &values[row * (columns + 1) + 1..(row + 1) * (columns + 1)];
    let labels: Vec<bool> = (0..train).map(|row| values[row * (columns + 1)] > 0.5).collect();
    let value = |one: usize, other: usize| (gamma * dot(row(one), row(other)) + 1.0).powi(3);
    let fit = || {
        let start = Instant::now();
        let svm = Svm::fit(&Kernel::new(train, value), &labels, &vec![cost; train]);
        (start.elapsed().as_secs_f64(), svm)
    };
    let (mut seconds, svm) = fit();
    for _ in 1..rounds.parse()? {
        seconds = seconds.min(fit().0);
    }
    let decisions = (0..rows).map(|row| svm.decision(|other| value(row, other)));
    let bytes: Vec<u8> = decisions.flat_map(f64::to_le_bytes).collect();
    std::fs::write(format!("{path}.decisions"), bytes)?;
    println!("{{\"seconds\": {seconds}, \"supports\": {}}}", svm.support().count());
    Ok(())
}

/// The dot product of two rows, in four independent sums.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (ones, others) = (one.chunks_exact(4), other.chunks_exact(4));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (one, other) in ones.zip(others) {
        for part in 0..4 {
            sums[part] += one[part] * other[part];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn read(path: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let numbers = bytes.chunks_exact(8).map(|number| Ok(f64::from_le_bytes(number.try_into()?)));
    numbers.collect()
}
