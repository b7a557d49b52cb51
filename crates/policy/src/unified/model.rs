//! Small boosted trees, evaluated by a few lines.
//!
//! `bench/fit_unified.py` fits them and writes them as text: a line `tree`, then its nodes, one on each
//! line, the root first. A node is `column threshold left right` (values up to the threshold go left) or
//! `leaf value`.
use super::features::{COLUMNS, COUNT};

/// A sum of trees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    nodes: Vec<Node>,
    roots: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    Split { column: u8, threshold: f32, left: u32, right: u32 },
    Leaf(f32),
}

impl Model {
    /// Reads the trees of a text; `None` where it is not as described.
    pub fn parse(text: &str) -> Option<Self> {
        let mut model = Self::default();
        let mut start = 0;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line == "tree" {
                start = model.nodes.len() as u32;
                model.roots.push(start);
                continue;
            }
            let mut words = line.split(' ');
            let first = words.next()?;
            let node = if first == "leaf" {
                Node::Leaf(words.next()?.parse().ok()?)
            } else {
                let column = COLUMNS.iter().position(|column| *column == first)? as u8;
                let threshold = words.next()?.parse().ok()?;
                let mut child = || Some(start + words.next()?.parse::<u32>().ok()?);
                Node::Split { column, threshold, left: child()?, right: child()? }
            };
            model.nodes.push(node);
        }
        model.is_sound().then_some(model)
    }

    /// Whether every child comes after its parent, so that every path ends.
    fn is_sound(&self) -> bool {
        let count = self.nodes.len() as u32;
        let is_sound = |(place, node): (usize, &Node)| match *node {
            Node::Leaf(_) => true,
            Node::Split { left, right, .. } => {
                left.min(right) > place as u32 && left.max(right) < count
            }
        };
        self.nodes.iter().enumerate().all(is_sound) && self.roots.iter().all(|&root| root < count)
    }

    /// The sum of the trees for a row.
    pub(super) fn sum(&self, row: &[f32; COUNT]) -> f64 {
        let mut sum = 0.0;
        for &root in &self.roots {
            let mut at = root as usize;
            loop {
                match self.nodes[at] {
                    Node::Leaf(value) => {
                        sum += f64::from(value);
                        break;
                    }
                    Node::Split { column, threshold, left, right } => {
                        let goes_left = row[usize::from(column)] <= threshold;
                        at = if goes_left { left } else { right } as usize;
                    }
                }
            }
        }
        sum
    }

    /// Whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_added_up() {
        let text = "# two trees\ntree\nage 1.5 1 2\nleaf -0.5\nrate 0 3 4\nleaf 1\nleaf 2\ntree\nleaf 0.25\n";
        let model = Model::parse(text).unwrap();
        let mut row = [0.0; COUNT];
        assert!((model.sum(&row) - (-0.25)).abs() < 1e-9);
        row[0] = 2.0;
        assert!((model.sum(&row) - (1.25)).abs() < 1e-9);
        row[3] = 0.1;
        assert!((model.sum(&row) - (2.25)).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for text in
            ["tree", "tree\nage 1 0 0", "tree\nage 1 1 2\nleaf 1", "tree\nnone 1 1 2", "leaf"]
        {
            assert_eq!(Model::parse(text), None, "{text}");
        }
        assert_eq!(Model::parse(""), Some(Model::default()));
    }
}
