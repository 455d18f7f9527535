//! Successors in the product: what processes do, once for each way the claim can go.

use unpick_store::Span;
use unpick_system::{Expansion, LivenessProperty, Product, ProductExpansion, ProductScratch, Successors};

use super::super::expand::Expander;

/// States of the product that can come next, one after the other.
#[derive(Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    #[inline]
    pub(super) fn state(&self, at: usize) -> &[u8] {
        let Span { start, len } = self.spans[at];
        &self.bytes[start as usize..][..len as usize]
    }

    /// Those from `first` on, as a store takes them.
    pub(super) fn states(&self, first: usize) -> unpick_store::Batch<'_> {
        unpick_store::Batch { bytes: &self.bytes, spans: &self.spans[first..], hashes: None }
    }

    fn push(&mut self, parts: [&[u8]; 2]) {
        let start = self.bytes.len() as u32;
        parts.into_iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.spans.push(Span { start, len: self.bytes.len() as u32 - start });
    }
}

/// How a state goes on.
pub(super) enum Way {
    /// All successors were added.
    Full,
    /// Successors of one process were added; they are enough if all come later in the order of numbers.
    Alone,
    /// Something is wrong there.
    AutomatonViolation,
}

/// Makes successors; one for each worker.
pub(super) struct Walker<'a> {
    pub(super) product: &'a Product<'a>,
    pub(super) scratch: ProductScratch<'a>,
    is_plain: bool,
    expander: Expander<'a>,
    next: Successors,
    expansion: ProductExpansion,
}

impl<'a> Walker<'a> {
    /// With `reduces`, as few processes are followed as are enough.
    pub(super) fn new(product: &'a Product<'a>, reduces: bool) -> Self {
        Self {
            product,
            scratch: product.scratch(),
            is_plain: product.is_plain(),
            expander: Expander::of_behaviours(product.system(), reduces.then(|| product.watch())),
            next: Successors::default(),
            expansion: ProductExpansion::default(),
        }
    }

    /// Forgets what is dead in a state, as all successors do.
    pub(super) fn forget(&self, state: &mut [u8]) {
        let n_model = state.len() - 2;
        self.expander.forget(&mut state[..n_model]);
    }

    /// Adds the successors of a state that may be enough, or all.
    pub(super) fn expand(&mut self, state: &[u8], in_full: bool, into: &mut Batch) -> Way {
        if !self.is_plain {
            return self.expand_by_the_book(state, into);
        }
        let (model, location) = self.product.split(state);
        // Where the claim is blocked, no process is expanded.
        let targets = match self.product.claim_targets(&mut self.scratch, model, location) {
            Ok([]) => return Way::Full,
            Ok(targets) => targets,
            Err(_) => return Way::AutomatonViolation,
        };
        self.next.clear();
        let expansion = match in_full {
            true => {
                self.expander.expand_in_full(model, &mut self.next);
                Expansion::Full
            }
            false => self.expander.expand(model, &mut self.next),
        };
        match expansion {
            Expansion::Full | Expansion::Timeout | Expansion::Reduced => {}
            Expansion::End { .. } => {
                // What has ended stays as it is, and the claim goes on alone.
                if self.product.watch() != LivenessProperty::NonProgress {
                    targets.iter().for_each(|target| into.push([model, &target.to_le_bytes()]));
                }
                return Way::Full;
            }
        }
        for successor in self.next.list.iter().filter(|successor| !successor.is_left()) {
            if successor.len == 0 {
                return Way::AutomatonViolation;
            }
            for target in targets {
                into.push([self.next.state(*successor), &target.to_le_bytes()]);
            }
        }
        if expansion == Expansion::Reduced { Way::Alone } else { Way::Full }
    }

    /// As the product says, for claims that ask for more than values.
    fn expand_by_the_book(&mut self, state: &[u8], into: &mut Batch) -> Way {
        self.product.expand(&mut self.scratch, state, &mut self.expansion);
        if self.expansion.wrong.is_some() {
            return Way::AutomatonViolation;
        }
        self.expansion.list.iter().for_each(|next| into.push([self.expansion.state(*next), &[]]));
        Way::Full
    }
}
