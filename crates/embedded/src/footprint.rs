//! Footprint of C code: the global variables of the model that it may access, namely those at addresses that its
//! instructions name, or all that lie in an object whose address is used for anything but reading and writing a scalar.

use std::collections::{HashMap, HashSet};

use super::Embedded;
use super::mirror::{Copied, From};
use unpick_automaton::{Place, Scope};
use unpick_program::interp::stored_bytes;
use unpick_program::{Address, FuncId, GlobalId, Operand, Program, StmtKind, visit};

/// Objects and the bytes of them that are touched.
#[derive(Default)]
pub(super) struct AccessedVariables {
    whole: HashSet<GlobalId>,
    parts: HashMap<GlobalId, Vec<(u64, u64)>>,
}

impl AccessedVariables {
    /// Looks through all functions but one.
    pub(super) fn new(program: &Program, except: Option<FuncId>) -> Self {
        let mut touched = Self::default();
        for global in program.globals.iter() {
            global.init.pointers.iter().for_each(|(_, address)| touched.all(*address));
        }
        for (_, function) in program.functions.iter_enumerated().filter(|(id, _)| Some(*id) != except) {
            for block in function.blocks.iter() {
                for stmt in &block.stmts {
                    let direct = match &stmt.kind {
                        StmtKind::Load { addr, dst, .. } => {
                            Some((addr, stored_bytes(function.regs[*dst].ty, program.pointer_bytes)))
                        }
                        StmtKind::Store { addr, ty, .. } => Some((addr, stored_bytes(*ty, program.pointer_bytes))),
                        StmtKind::LoadBits { addr, bits, .. } | StmtKind::StoreBits { addr, bits, .. } => {
                            Some((addr, (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8)))
                        }
                        _ => None,
                    };
                    let is_direct = direct.is_some_and(|(addr, bytes)| touched.part(addr, bytes));
                    let mut is_first = true;
                    visit::operands(&stmt.kind, |operand| {
                        // The address comes first.
                        let is_seen = std::mem::take(&mut is_first) && is_direct;
                        if let (false, Operand::Address(address)) = (is_seen, operand) {
                            touched.all(*address);
                        }
                    });
                }
                visit::terminator_operands(&block.terminator, |operand| {
                    if let Operand::Address(address) = operand {
                        touched.all(*address);
                    }
                });
            }
        }
        touched
    }

    fn all(&mut self, address: Address) {
        if let Address::Global(global, _) = address {
            self.whole.insert(global);
        }
    }

    fn part(&mut self, addr: &Operand, bytes: u64) -> bool {
        let Operand::Address(Address::Global(global, offset)) = addr else { return false };
        let Ok(offset) = u64::try_from(*offset) else { return false };
        self.parts.entry(*global).or_default().push((offset, offset + bytes));
        true
    }

    pub(super) fn has(&self, copied: &Copied) -> bool {
        let Some(object) = copied.object else { return true };
        let (from, to) = (copied.bit / 8, copied.bit / 8 + copied.bytes().0);
        let parts = self.parts.get(&object).into_iter().flatten();
        self.whole.contains(&object) || parts.into_iter().any(|part| part.0 < to && from < part.1)
    }
}

impl Embedded {
    /// The global and hidden variables that C code can touch.
    pub(super) fn touched_places(&self) -> Vec<Place> {
        let places = self.globals.iter().filter_map(|copied| match copied.from {
            From::Var { scope: scope @ (Scope::Global | Scope::Hidden), offset, scalar } => {
                Some(Place { scope, offset, indices: Vec::new(), scalar })
            }
            From::Var { .. } | From::Pid | From::ProcessCount | From::Last => None,
        });
        places.collect()
    }

    /// Whether C code looks at the number of processes.
    pub(super) fn reads_process_count(&self) -> bool {
        self.globals.iter().any(|copied| copied.from == From::ProcessCount)
    }
}
