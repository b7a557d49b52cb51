//! The feature vectors of one page for some examples, and the kernel between them.
//!
//! A vector is the dense features followed by the shares of words, scaled to length one; the kernel is
//! (x.y + 1)^3. The paper only names a polynomial kernel of degree 3 (`docs/papers.md` A5.2-10).
use learn::svm::Kernel;

use super::word_vectors::{WordVector, WordVectors};

/// An example for which the page has no visit.
const NOTHING: u32 = u32::MAX;

/// One page at the times of some examples.
#[derive(Clone, Debug)]
pub(super) struct FeatureBlock {
    dense: Vec<f64>,
    width: usize,
    texts_of: Vec<u32>,
}

impl FeatureBlock {
    pub(super) fn new(rows: usize) -> Self {
        Self { dense: vec![], width: 0, texts_of: Vec::with_capacity(rows) }
    }

    /// Adds an example: its dense features and the number of its word vector.
    pub(super) fn push(&mut self, dense: &[f64], text: usize) {
        if self.width == 0 {
            self.width = dense.len();
            self.dense.resize(self.width * self.texts_of.len(), 0.0);
        }
        self.dense.extend_from_slice(dense);
        self.texts_of.push(text as u32);
    }

    /// Adds an example without features.
    pub(super) fn push_nothing(&mut self) {
        self.dense.resize(self.dense.len() + self.width, 0.0);
        self.texts_of.push(NOTHING);
    }

    /// The examples with features.
    pub(super) fn shown(&self) -> Vec<usize> {
        (0..self.texts_of.len()).filter(|&row| self.texts_of[row] != NOTHING).collect()
    }

    /// The dense features of an example.
    pub(super) fn dense(&self, row: usize) -> &[f64] {
        &self.dense[row * self.width..(row + 1) * self.width]
    }

    /// The products of all pairs of examples; 0 if one has no features.
    pub(super) fn products(&self, texts: &mut WordVectors) -> Kernel {
        texts.multiply();
        Kernel::new(self.texts_of.len(), |one, other| {
            let (text, other_text) = (self.texts_of[one], self.texts_of[other]);
            if text == NOTHING || other_text == NOTHING {
                return 0.0;
            }
            dot(self.dense(one), self.dense(other))
                + texts.product(text as usize, other_text as usize)
        })
    }

    /// Some of the examples, with their word vectors.
    pub(super) fn keep(&self, rows: &[usize], texts: &[WordVector]) -> StoredExamples {
        let mut kept = StoredExamples { block: Self::new(rows.len()), texts: vec![] };
        kept.block.width = self.width;
        let mut numbers = vec![NOTHING; texts.len()];
        for &row in rows {
            let text = self.texts_of[row];
            if text == NOTHING {
                kept.block.push_nothing();
                continue;
            }
            let number = &mut numbers[text as usize];
            if *number == NOTHING {
                *number = kept.texts.len() as u32;
                kept.texts.push(texts[text as usize].clone());
            }
            kept.block.push(self.dense(row), *number as usize);
        }
        kept
    }
}

/// Examples with their word vectors, to compare others with.
#[derive(Clone, Debug)]
pub(super) struct StoredExamples {
    block: FeatureBlock,
    texts: Vec<WordVector>,
}

impl StoredExamples {
    /// The square of the first example of `other`, a block of the same page. Adds its product with each of
    /// these examples to `products`; `None` if it has no features.
    pub(super) fn add_products(&self, other: &Self, products: &mut [f64]) -> Option<f64> {
        let text = *other.block.texts_of.first().filter(|text| **text != NOTHING)?;
        let (dense, text) = (other.block.dense(0), &other.texts[text as usize]);
        let of_texts: Vec<f64> = self.texts.iter().map(|own| own.product(text)).collect();
        for (row, product) in products.iter_mut().enumerate() {
            let own = self.block.texts_of[row];
            if own != NOTHING {
                *product += dot(self.block.dense(row), dense) + of_texts[own as usize];
            }
        }
        Some(dot(dense, dense) + text.product(text))
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The kernel of two examples from their product and their squares.
pub(super) fn cubed(product: f64, square: f64, other_square: f64) -> f64 {
    let scale = square * other_square;
    let cosine = if scale > 0.0 { product / scale.sqrt() } else { 0.0 };
    let base = cosine + 1.0;
    base * base * base
}

/// The kernel matrix from the matrix of products.
pub(super) fn cubic(products: &Kernel) -> Kernel {
    let squares: Vec<f64> = (0..products.size()).map(|row| products.row(row)[row]).collect();
    Kernel::new(products.size(), |one, other| {
        cubed(products.row(one)[other], squares[one], squares[other])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_brought_to_length_one() {
        // (3, 4) and (0, 5) have the cosine 4/5; a zero vector is similar to none, not even itself.
        let vectors: [[f64; 2]; 3] = [[3.0, 4.0], [0.0, 5.0], [0.0, 0.0]];
        let products = Kernel::new(3, |one, other| dot(&vectors[one], &vectors[other]));
        let kernel = cubic(&products);
        let expected = [[8.0, 5.832, 1.0], [5.832, 8.0, 1.0], [1.0, 1.0, 1.0]];
        for (row, expected) in expected.iter().enumerate() {
            for (found, expected) in kernel.row(row).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}
