//! The instruments that a policy needs.
use std::{
    any::{Any, TypeId},
    fmt::Debug,
    sync::Arc,
};

/// A request for an instrument, such as "features, with a window of eight visits".
///
/// Every instrument defines its own type, so a new instrument changes nothing here.
pub trait Need: Any + Clone + Debug + Send + Sync {
    /// A request that satisfies both, for two policies that share a budget.
    #[must_use]
    fn join(&self, other: &Self) -> Self;
}

/// The needs of a policy: at most one request per instrument.
#[derive(Clone, Debug, Default)]
pub struct Needs(Vec<Requested>);

type Erased = Arc<dyn Any + Send + Sync>;

#[derive(Clone, Debug)]
struct Requested {
    value: Erased,
    join: fn(&Erased, &Erased) -> Erased,
}

impl Requested {
    fn need_type(&self) -> TypeId {
        (*self.value).type_id()
    }
}

fn join<N: Need>(one: &Erased, other: &Erased) -> Erased {
    match (one.downcast_ref::<N>(), other.downcast_ref::<N>()) {
        (Some(one), Some(other)) => Arc::new(one.join(other)),
        // `and` only joins requests of the same type.
        _ => Arc::clone(one),
    }
}

impl Needs {
    /// No needs.
    pub fn none() -> Self {
        Self::default()
    }

    /// These needs and one more.
    #[must_use]
    pub fn with<N: Need>(self, need: N) -> Self {
        self.and(&Self(vec![Requested { value: Arc::new(need), join: join::<N> }]))
    }

    /// Needs that satisfy both.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for theirs in &other.0 {
            match self.0.iter_mut().find(|ours| ours.need_type() == theirs.need_type()) {
                Some(ours) => ours.value = (ours.join)(&ours.value, &theirs.value),
                None => self.0.push(theirs.clone()),
            }
        }
        self
    }

    /// The request of this type, if there is one.
    pub fn find<N: Need>(&self) -> Option<&N> {
        self.0.iter().find_map(|need| need.value.downcast_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Visits(usize);
    #[derive(Clone, Debug, PartialEq)]
    struct Colour(&'static str);

    impl Need for Visits {
        fn join(&self, other: &Self) -> Self {
            Self(self.0.max(other.0))
        }
    }

    impl Need for Colour {
        fn join(&self, _: &Self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn needs_of_two_policies_are_joined_by_type() {
        let one = Needs::none().with(Visits(3)).with(Colour("red"));
        let other = Needs::none().with(Colour("blue")).with(Visits(8));
        let both = one.and(&other);
        assert_eq!(both.find::<Visits>(), Some(&Visits(8)));
        assert_eq!(both.find::<Colour>(), Some(&Colour("red")));
        assert_eq!(Needs::none().find::<Visits>(), None);
    }
}
