//! Compilation of the functions of locations to machine code (Cranelift), in batches.

use std::sync::Arc;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use unpick_ir::automaton::{LocationId, Model, ProctypeId};

use crate::emit::{Emitter, Rare, signature};
use crate::facts::Facts;
use crate::memory::{At, Batch, Sealed};

/// What a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// What a process can do at a location.
    Steps(ProctypeId, LocationId),
    /// Which offers a process can take at a location.
    Takes(ProctypeId, LocationId),
    /// Where a claim can go.
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

/// Makes functions.
pub(crate) struct Compiler {
    target: Arc<dyn TargetIsa>,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
    /// What was made so far.
    sealed: Vec<Sealed>,
    /// What could not be made, and why.
    rare: Vec<(Role, &'static str)>,
}

impl Compiler {
    pub(crate) fn new(target: Arc<dyn TargetIsa>) -> Self {
        let (context, builder) = (cranelift_codegen::Context::new(), FunctionBuilderContext::new());
        Self { target, context, builder, sealed: Vec::new(), rare: Vec::new() }
    }

    /// Compiles what can be compiled; the addresses live as long as the compiler. A state is expected to take so
    /// many units.
    pub(crate) fn compile(
        &mut self,
        model: &Model,
        facts: &Facts,
        roles: &[Role],
        n_units: usize,
    ) -> Vec<Option<*const u8>> {
        let mut batch = Batch::default();
        let places: Vec<Option<At>> =
            roles.iter().map(|role| self.function(model, facts, *role, n_units, &mut batch)).collect();
        let Ok(sealed) = batch.seal() else { return vec![None; roles.len()] };
        let addresses = places.into_iter().map(|at| at.map(|at| sealed.address(at))).collect();
        self.sealed.push(sealed);
        addresses
    }

    /// What could not be compiled, and why.
    pub(crate) fn rare(&self) -> &[(Role, &'static str)] {
        &self.rare
    }

    fn function(&mut self, model: &Model, facts: &Facts, role: Role, n_units: usize, batch: &mut Batch) -> Option<At> {
        self.context.clear();
        self.context.func.signature = signature(self.target.default_call_conv());
        // What was begun and not finished must not be seen again.
        self.builder = FunctionBuilderContext::new();
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let proctype = match role {
            Role::Steps(proctype, _) | Role::Takes(proctype, _) => Some(proctype),
            Role::Claim(..) => None,
        };
        let mut emitter = Emitter::new(model, facts, builder, proctype, n_units);
        let emitted = match role {
            Role::Steps(proctype, location) => {
                emitter.slot = facts.first_slots[proctype.0 as usize] + location.0;
                emitter.location(&model.proctypes[proctype].automaton.locations[location])
            }
            Role::Takes(proctype, location) => {
                emitter.is_taker = true;
                emitter.location(&model.proctypes[proctype].automaton.locations[location])
            }
            Role::Claim(claim, location) => emitter.claim(&model.claims[claim].automaton.locations[location]),
        };
        if let Err(Rare(why)) = emitted {
            self.rare.push((role, why));
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
