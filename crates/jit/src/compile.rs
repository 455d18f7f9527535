//! Compilation of the functions of locations to machine code (Cranelift), in batches.

use std::sync::Arc;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use unpick_automaton::{LocationId, Model, ProctypeId};

use crate::emit::{Emitter, NotCompilable, signature};
use crate::facts::Facts;
use crate::memory::{At, Batch, Sealed};

/// The key of a compiled function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FunctionKey {
    /// The steps of a process at a location.
    Steps(ProctypeId, LocationId),
    /// The rendezvous offers that a process can take at a location.
    Takes(ProctypeId, LocationId),
    /// The transitions of a claim at a location.
    Claim(usize, LocationId),
}

/// A machine that native code can be made for.
pub(crate) fn target() -> Option<Arc<dyn TargetIsa>> {
    let mut flags = settings::builder();
    let debug = if cfg!(debug_assertions) { "true" } else { "false" };
    let options =
        [("opt_level", "speed"), ("enable_verifier", debug), ("unwind_info", "false"), ("enable_probestack", "false")];
    for (name, value) in options {
        flags.set(name, value).ok()?;
    }
    // The layout of states is little-endian, and new code has to be seen without flushing caches.
    if !cfg!(target_arch = "x86_64") {
        return None;
    }
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}

/// The compiler of functions.
pub(crate) struct Compiler {
    target: Arc<dyn TargetIsa>,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
    /// What was made so far.
    sealed: Vec<Sealed>,
    /// What could not be made, and why.
    not_compilable: Vec<(FunctionKey, &'static str)>,
}

impl Compiler {
    pub(crate) fn new(target: Arc<dyn TargetIsa>) -> Self {
        let (context, builder) = (cranelift_codegen::Context::new(), FunctionBuilderContext::new());
        Self { target, context, builder, sealed: Vec::new(), not_compilable: Vec::new() }
    }

    /// Compiles what can be compiled; the addresses live as long as the compiler. A state is expected to take so
    /// many units.
    pub(crate) fn compile(
        &mut self,
        model: &Model,
        facts: &Facts,
        keys: &[FunctionKey],
        n_units: usize,
        notes_changes: bool,
    ) -> Vec<Option<*const u8>> {
        let mut batch = Batch::default();
        let places: Vec<Option<At>> =
            keys.iter().map(|key| self.function(model, facts, *key, (n_units, notes_changes), &mut batch)).collect();
        let Ok(sealed) = batch.seal() else { return vec![None; keys.len()] };
        let addresses = places.into_iter().map(|at| at.map(|at| sealed.address(at))).collect();
        self.sealed.push(sealed);
        addresses
    }

    /// What could not be compiled, and why.
    pub(crate) fn not_compilable(&self) -> &[(FunctionKey, &'static str)] {
        &self.not_compilable
    }

    fn function(
        &mut self,
        model: &Model,
        facts: &Facts,
        key: FunctionKey,
        (n_units, notes_changes): (usize, bool),
        batch: &mut Batch,
    ) -> Option<At> {
        self.context.clear();
        self.context.func.signature = signature(self.target.default_call_conv());
        // What was begun and not finished must not be seen again.
        self.builder = FunctionBuilderContext::new();
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let proctype = match key {
            FunctionKey::Steps(proctype, _) | FunctionKey::Takes(proctype, _) => Some(proctype),
            FunctionKey::Claim(..) => None,
        };
        let mut emitter = Emitter::new(model, facts, builder, proctype, n_units);
        if notes_changes && proctype.is_some() {
            emitter.note_changes();
        }
        let emitted = match key {
            FunctionKey::Steps(proctype, location) => {
                emitter.slot = facts.first_slots[proctype.0 as usize] + location.0;
                emitter.source = location;
                emitter.location(&model.proctypes[proctype].automaton.locations[location])
            }
            FunctionKey::Takes(proctype, location) => {
                emitter.is_taker = true;
                emitter.source = location;
                emitter.location(&model.proctypes[proctype].automaton.locations[location])
            }
            FunctionKey::Claim(claim, location) => emitter.claim(&model.claims[claim].automaton.locations[location]),
        };
        if let Err(NotCompilable(why)) = emitted {
            self.not_compilable.push((key, why));
            return None;
        }
        emitter.finish(self.target.frontend_config());
        let code = match self.context.compile(&*self.target, &mut ControlPlane::default()) {
            Ok(code) => code,
            Err(error) => {
                debug_assert!(false, "the function should be valid: {error:?}");
                return None;
            }
        };
        // Only code that does not depend on where it lies is made.
        code.buffer.relocs().is_empty().then(|| batch.add(code.code_buffer()))
    }
}
