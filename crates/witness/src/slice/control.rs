//! Control dependence, and branches that could have assigned a variable (potential dependence).
//!
//! The first is control dependence, from the post-dominator tree.

use std::collections::HashMap;

use unpick_base::IdVec;
use unpick_program::analysis::PostDominators;
use unpick_program::{Address, BlockId, Function, GlobalId, Operand, RegId, SlotId, StmtKind, visit};

/// What the control flow of a function says.
pub(super) struct Flow {
    /// For each block the branches that decide about it.
    pub deciders: IdVec<BlockId, Vec<BlockId>>,
    /// For each variable the branches that decide whether it is assigned. What a branch does not do can be why
    /// something fails, as with a variable that only one way initialises.
    pub assigners: HashMap<Variable, Vec<BlockId>>,
}

/// What an instruction names directly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(super) enum Variable {
    Register(RegId),
    Slot(SlotId),
    Global(GlobalId),
}

impl Variable {
    fn at(addr: &Operand) -> Option<Variable> {
        match addr {
            Operand::Slot(slot) => Some(Variable::Slot(*slot)),
            Operand::Address(Address::Global(global, _)) => Some(Variable::Global(*global)),
            Operand::Reg(_) | Operand::Bits(..) | Operand::Null | Operand::Address(_) | Operand::Undef(_) => None,
        }
    }

    /// The variable in memory that an instruction reads.
    pub fn read_by(stmt: &StmtKind) -> Option<Variable> {
        if let StmtKind::Load { addr, .. } | StmtKind::LoadBits { addr, .. } = stmt { Self::at(addr) } else { None }
    }

    fn written_by(stmt: &StmtKind) -> Vec<Variable> {
        let mut written = Vec::new();
        visit::written(stmt, |reg| written.push(Variable::Register(*reg)));
        if let StmtKind::Store { addr, .. } | StmtKind::StoreBits { addr, .. } = stmt {
            written.extend(Self::at(addr));
        }
        written
    }
}

impl Flow {
    pub fn new(function: &Function) -> Flow {
        let deciders = PostDominators::new(function).control_dependences();
        let mut assigners: HashMap<Variable, Vec<BlockId>> = HashMap::new();
        for (block, body) in function.blocks.iter_enumerated() {
            for variable in body.stmts.iter().flat_map(|stmt| Variable::written_by(&stmt.kind)) {
                let list = assigners.entry(variable).or_default();
                list.extend(
                    deciders[block].iter().filter(|branch| !list.contains(branch)).copied().collect::<Vec<_>>(),
                );
            }
        }
        Flow { deciders, assigners }
    }
}
