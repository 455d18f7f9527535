//! Register sharing: temporaries with disjoint live ranges within a block use one register.
//!
//! Lowering gives every intermediate value a register of its own; almost all of them are written and read
//! within one block. A scan over each block hands such registers back after their last use. The states of
//! a search hold every register of every activation, so this is worth more than it would be in a compiler.

use unpick_base::{IdVec, id::Id as _};
use unpick_program::program::{BlockId, Function, Operand, Reg, RegId, Ty};
use unpick_program::visit;

use super::Map;

/// Where a register occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Nowhere,
    /// Only in this block, where it is written first; the number is that of the last instruction.
    Local(BlockId, usize),
    /// In several blocks, or it has a name, or it is a parameter.
    Wide,
}

pub(super) fn share_registers(func: &mut Function) {
    let mut sharing = Sharing::new(func);
    for block in func.blocks.iter_mut() {
        sharing.free = sharing.pool.clone();
        for (position, stmt) in block.stmts.iter_mut().enumerate() {
            let mut ended: Vec<RegId> = Vec::new();
            visit::operands_mut(&mut stmt.kind, |operand| {
                if let Operand::Reg(reg) = operand {
                    sharing.end(*reg, position, &mut ended);
                    *reg = sharing.numbers[reg.index()].unwrap_or(*reg);
                }
            });
            visit::written_mut(&mut stmt.kind, |reg| {
                sharing.end(*reg, position, &mut ended);
                *reg = sharing.number(*reg);
            });
            // Only now: a result does not take the place of an operand of the same instruction.
            ended.into_iter().for_each(|reg| sharing.release(reg));
        }
        visit::terminator_operands_mut(&mut block.terminator, |operand| {
            if let Operand::Reg(reg) = operand {
                *reg = sharing.number(*reg);
            }
        });
    }
    func.params.iter_mut().for_each(|param| *param = sharing.number(*param));
    func.regs = sharing.kept;
}

struct Sharing {
    extents: Vec<Extent>,
    types: Vec<Ty>,
    /// New numbers of old registers.
    numbers: Vec<Option<RegId>>,
    kept: IdVec<RegId, Reg>,
    /// Shared registers, and those of them that hold nothing now.
    pool: Map<Ty, Vec<RegId>>,
    free: Map<Ty, Vec<RegId>>,
}

impl Sharing {
    fn new(func: &mut Function) -> Sharing {
        let extents = extents(func);
        let mut kept: IdVec<RegId, Reg> = IdVec::new();
        let numbers = func.regs.iter().zip(&extents).map(|(reg, extent)| match extent {
            Extent::Wide => Some(kept.push(reg.clone())),
            Extent::Nowhere | Extent::Local(..) => None,
        });
        let numbers = numbers.collect();
        let types = func.regs.iter().map(|reg| reg.ty).collect();
        Sharing { extents, types, numbers, kept, pool: Map::default(), free: Map::default() }
    }

    /// The new number of a register, given on first sight.
    fn number(&mut self, old: RegId) -> RegId {
        if let Some(number) = self.numbers[old.index()] {
            return number;
        }
        let ty = self.types[old.index()];
        let number = match self.free.get_mut(&ty).and_then(Vec::pop) {
            Some(number) => number,
            None => {
                let number = self.kept.push(Reg { ty, name: None, shape: None });
                self.pool.entry(ty).or_default().push(number);
                number
            }
        };
        self.numbers[old.index()] = Some(number);
        number
    }

    /// Notes a register whose last instruction this is.
    fn end(&self, old: RegId, position: usize, ended: &mut Vec<RegId>) {
        if matches!(self.extents[old.index()], Extent::Local(_, last) if last == position) && !ended.contains(&old) {
            ended.push(old);
        }
    }

    fn release(&mut self, old: RegId) {
        if let Some(number) = self.numbers[old.index()] {
            self.free.entry(self.types[old.index()]).or_default().push(number);
        }
    }
}

fn extents(func: &Function) -> Vec<Extent> {
    let named = |reg: &Reg| if reg.name.is_some() { Extent::Wide } else { Extent::Nowhere };
    let mut extents: Vec<Extent> = func.regs.iter().map(named).collect();
    for param in &func.params {
        extents[param.index()] = Extent::Wide;
    }
    for (id, block) in func.blocks.iter_enumerated() {
        let n_stmts = block.stmts.len();
        for (position, stmt) in block.stmts.iter().enumerate() {
            visit::operands(&stmt.kind, |operand| read(&mut extents, *operand, id, position));
            visit::written(&stmt.kind, |reg| {
                let extent = &mut extents[reg.index()];
                *extent = match *extent {
                    Extent::Nowhere => Extent::Local(id, position),
                    Extent::Local(block, _) if block == id => Extent::Local(id, position),
                    Extent::Local(..) | Extent::Wide => Extent::Wide,
                };
            });
        }
        visit::terminator_operands(&block.terminator, |operand| read(&mut extents, *operand, id, n_stmts));
    }
    extents
}

/// A read of what this block has not written makes a register wide.
fn read(extents: &mut [Extent], operand: Operand, block: BlockId, position: usize) {
    let Operand::Reg(reg) = operand else { return };
    let extent = &mut extents[reg.index()];
    *extent = match *extent {
        Extent::Local(home, _) if home == block => Extent::Local(block, position),
        Extent::Nowhere | Extent::Local(..) | Extent::Wide => Extent::Wide,
    };
}
