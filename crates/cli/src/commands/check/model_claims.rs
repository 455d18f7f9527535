//! Claims about whole executions of a model: each is looked for on its own, in the product with the model.

use unpick_engine_explicit::flat_liveness::{self, LivenessEnd};
use unpick_ir::automaton::Model;
use unpick_jit::Native;
use unpick_store::ExactStore;
use unpick_system::{Budget, Product, ProductFault, Stats, Watch};
use unpick_witness::{Judgement, replay_claim};

use super::Limits;
use super::model::{doubt, halted};
use crate::model::LoadedModel;
use crate::watch::Watch as Supervisor;

/// What is looked for, and whether only weakly fair executions count.
pub type Watched = (Watch, bool);

/// Decides claims one after the other until one is violated.
pub fn decide(
    loaded: &LoadedModel,
    wanted: &[Watched],
    limits: &Limits,
    supervisor: &Supervisor,
) -> (Judgement, Stats) {
    // SPIN counts claims among the processes, its own for progress too.
    let beside = loaded.model.beside_claim();
    let mut total = Stats { engine: "explicit", ..Stats::default() };
    for watched in wanted {
        let model = if watched.0 == Watch::Accepted { &loaded.model } else { &beside };
        let (judgement, stats) = decide_one(loaded, model, *watched, limits, supervisor);
        total.states += stats.states;
        total.transitions += stats.transitions;
        total.depth = total.depth.max(stats.depth);
        total.peak_bytes = total.peak_bytes.max(stats.peak_bytes);
        match judgement {
            Judgement::Verified => {}
            Judgement::Violated { .. } | Judgement::Unknown(_) => return (judgement, total),
        }
    }
    (Judgement::Verified, total)
}

fn decide_one(
    loaded: &LoadedModel,
    model: &Model,
    watched: Watched,
    limits: &Limits,
    supervisor: &Supervisor,
) -> (Judgement, Stats) {
    let budget = Budget { memory_bytes: Some(limits.memory), depth: limits.depth, unwind: None, supervisor };
    let store = ExactStore::with_workers(Some(limits.memory), 1);
    let step = Native::new(model);
    let product = Product::new(&step, watched.0, watched.1);
    let (end, stats) = flat_liveness::search(&product, &store, &budget);
    let judgement = match end {
        LivenessEnd::Exhausted => Judgement::Verified,
        LivenessEnd::Halted(limit) => halted(limit),
        LivenessEnd::Violated(evidence) => {
            if let Some(ProductFault::ClaimFault(fault)) = &evidence.fault
                && fault.kind == unpick_ir::automaton::interp::FaultKind::ClaimEffect
            {
                let text = "a claim does more than look at the model, which is not followed here".to_owned();
                return (doubt(text, None), stats);
            }
            match replay_claim(model, &loaded.session.sources, watched, &evidence) {
                Ok((finding, trace)) => Judgement::Violated { finding, trace },
                Err(mismatch) => {
                    doubt(format!("internal error: the replay of a violation disagrees: {mismatch}"), None)
                }
            }
        }
    };
    (judgement, stats)
}
