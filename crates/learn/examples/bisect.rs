//! Clusters a file of numbers and measures time and memory.
//!
//! ```text
//! cargo run --release -p learn --example bisect -- \
//!   FILE ROWS COLUMNS CLUSTERS RESTARTS THREADS SEED
//! ```
//!
//! The file has one row after another, little-endian single precision. The cluster of each row is
//! written to `FILE.assignment`, little-endian 32 bit. `bench/clustering.py` uses the output.
#![expect(clippy::disallowed_methods, reason = "the example measures time")]
#![expect(clippy::disallowed_types, reason = "an example reads its rows from a file")]

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::time::Instant;

use learn::cluster::{Dense, Options, bisect};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, rows, columns, clusters, restarts, threads, seed] = arguments.as_slice() else {
        return Err("usage: bisect FILE ROWS COLUMNS CLUSTERS RESTARTS THREADS SEED".into());
    };
    let (rows, columns): (usize, usize) = (rows.parse()?, columns.parse()?);
    let options =
        Options { clusters: clusters.parse()?, restarts: restarts.parse()?, seed: seed.parse()? };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;

    let before = memory_bytes("VmRSS:")?;
    let matrix = Dense::new(columns, read(path, rows * columns)?);
    let loaded = memory_bytes("VmRSS:")?;
    let start = Instant::now();
    let clusters = bisect(matrix, &options);
    let seconds = start.elapsed().as_secs_f64();
    let peak = memory_bytes("VmHWM:")?;

    let mut file = BufWriter::new(File::create(format!("{path}.assignment"))?);
    for number in &clusters.assignment {
        file.write_all(&number.to_le_bytes())?;
    }
    file.flush()?;
    println!(
        "{{\"seconds\": {seconds}, \"tau\": {}, \"clusters\": {}, \"matrix_bytes\": {}, \
         \"before_bytes\": {before}, \"loaded_bytes\": {loaded}, \"peak_bytes\": {peak}}}",
        clusters.tau,
        clusters.count(),
        rows * columns * size_of::<f32>(),
    );
    Ok(())
}

/// Reads this many numbers without a second copy in memory.
fn read(path: &str, count: usize) -> Result<Vec<f32>, Box<dyn Error>> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut values = Vec::with_capacity(count);
    let mut bytes = [0; 4];
    for _ in 0..count {
        file.read_exact(&mut bytes)?;
        values.push(f32::from_le_bytes(bytes));
    }
    Ok(values)
}

/// The memory use of this process in bytes, now (`VmRSS:`) or the peak (`VmHWM:`).
fn memory_bytes(field: &str) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(field)).ok_or("no such field")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kilobytes * 1024)
}
