//! Lifetimes of block-scope objects across every way control can enter or leave a block.
//!
//! Each block keeps the list of what was declared in it so far. A position in the body is the open blocks
//! with the lengths of their lists, so a jump between two positions knows what ends (with clean-up
//! functions called, last declared first) and what begins without its declaration being executed.

use unpick_base::Span;
use unpick_program::program::{AllocKind, BlockId, Operand, RegId, Rvalue, SlotId, StmtKind, Terminator};

use super::function::{Exit, FunctionLowering, Home, LabelState};
use unpick_front_c::ast::{DeclId, LabelId};

#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Slot(SlotId),
    /// Indeterminate again when its block is entered.
    Reg(RegId),
    /// A variable length array at the address in the register.
    Vla(RegId),
    /// `cleanup` of a variable.
    Cleanup {
        function: DeclId,
        var: DeclId,
    },
}

/// All blocks seen so far, and which of them are open.
#[derive(Default)]
pub(super) struct Scopes {
    items: Vec<Vec<Item>>,
    open: Vec<usize>,
}

/// Open blocks and how many items each had.
pub(super) type Position = Vec<(usize, usize)>;

impl Scopes {
    pub(super) fn open(&mut self) {
        self.open.push(self.items.len());
        self.items.push(Vec::new());
    }

    pub(super) fn declare(&mut self, item: Item) {
        let innermost = *self.open.last().expect("the function's own scope should be open");
        self.items[innermost].push(item);
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn position(&self) -> Position {
        self.open.iter().map(|scope| (*scope, self.items[*scope].len())).collect()
    }

    /// What scopes from `depth` on hold, last declared first.
    fn inner_items(&self, depth: usize) -> Vec<Item> {
        self.open[depth..].iter().rev().flat_map(|scope| self.items[*scope].iter().rev().copied()).collect()
    }

    fn ended(&self, from: &Position, to: &Position) -> Vec<Item> {
        let common = from.iter().zip(to).take_while(|(a, b)| a.0 == b.0).count();
        let inner = from[common..].iter().rev();
        let mut items: Vec<Item> =
            inner.flat_map(|(scope, count)| self.items[*scope][..*count].iter().rev().copied()).collect();
        // Back in the same block: ordinary objects live on, but a variable length array before whose
        // declaration control jumps ends, and a clean-up is due.
        if let (Some(from), Some(to)) = (from.get(common.wrapping_sub(1)), to.get(common.wrapping_sub(1)))
            && from.1 > to.1
        {
            let again = self.items[from.0][to.1..from.1].iter().rev().copied();
            items.extend(again.filter(|item| matches!(item, Item::Vla(_) | Item::Cleanup { .. })));
        }
        items
    }

    fn begun(&self, from: &Position, to: &Position) -> Vec<Item> {
        let common = from.iter().zip(to).take_while(|(a, b)| a.0 == b.0).count();
        let mut items = Vec::new();
        if let (Some(from), Some(to)) = (from.get(common.wrapping_sub(1)), to.get(common.wrapping_sub(1)))
            && to.1 > from.1
        {
            items.extend_from_slice(&self.items[from.0][from.1..to.1]);
        }
        for (scope, count) in &to[common..] {
            items.extend_from_slice(&self.items[*scope][..*count]);
        }
        items
    }
}

impl FunctionLowering<'_, '_, '_> {
    /// Ends the innermost scope on the way out of its closing brace.
    pub(super) fn close_scope(&mut self, span: Span) {
        self.end_scopes(span, self.scopes.depth() - 1);
        self.scopes.open.pop();
    }

    /// Emits the end of all scopes beyond `depth`, which stay open for what follows in the source.
    pub(super) fn end_scopes(&mut self, span: Span, depth: usize) {
        for item in self.scopes.inner_items(depth) {
            self.end_item(span, item);
        }
    }

    fn end_item(&mut self, span: Span, item: Item) {
        match item {
            Item::Slot(slot) => self.emit(span, StmtKind::SlotDead(slot)),
            Item::Reg(_) => {}
            Item::Vla(reg) => self.emit(span, StmtKind::Free { addr: Operand::Reg(reg), kind: AllocKind::Stack }),
            Item::Cleanup { function, var } => self.run_cleanup(span, function, var),
        }
    }

    fn run_cleanup(&mut self, span: Span, function: DeclId, var: DeclId) {
        let at = super::DeclRef { unit: self.unit_index, decl: function };
        let callee = Operand::Address(unpick_program::program::Address::Func(self.cx.function_id(at)));
        let arg = match self.homes.get(&var) {
            Some(Home::Slot(slot)) => Operand::Slot(*slot),
            Some(Home::At(reg)) => Operand::Reg(*reg),
            Some(Home::Reg(_)) | None => return,
        };
        self.emit(span, StmtKind::Call { dst: None, callee, args: vec![arg] });
    }

    fn begin_item(&mut self, span: Span, item: Item) {
        match item {
            Item::Slot(slot) => self.emit(span, StmtKind::SlotLive(slot)),
            Item::Reg(reg) => {
                let ty = self.func.regs[reg].ty;
                self.emit(span, StmtKind::Assign(reg, Rvalue::Use(Operand::Undef(ty))));
            }
            Item::Vla(_) | Item::Cleanup { .. } => {}
        }
    }

    /// `break` and `continue`.
    pub(super) fn leave_to(&mut self, span: Span, exit: Exit) {
        self.end_scopes(span, exit.depth);
        self.goto(span, exit.block);
    }

    /// `return`: stack objects die with the activation, only clean-ups have to run.
    pub(super) fn leave_function(&mut self, span: Span, value: Option<Operand>) {
        for item in self.scopes.inner_items(0) {
            if let Item::Cleanup { function, var } = item {
                self.run_cleanup(span, function, var);
            }
        }
        if self.is_atomic {
            self.emit(span, StmtKind::AtomicEnd);
        }
        self.terminate(span, Terminator::Return(value));
    }

    pub(super) fn label_block(&mut self, label: LabelId) -> BlockId {
        if let Some(state) = self.labels.get(&label) {
            return state.block;
        }
        let block = self.new_block();
        self.labels.insert(label, LabelState { block, position: None });
        block
    }

    pub(super) fn place_label(&mut self, span: Span, label: LabelId) {
        let block = self.label_block(label);
        let position = self.scopes.position();
        if let Some(state) = self.labels.get_mut(&label) {
            state.position = Some(position);
        }
        self.enter(span, block);
    }

    pub(super) fn goto_label(&mut self, span: Span, label: LabelId) {
        let block = self.label_block(label);
        if self.labels.get(&label).is_some_and(|state| state.position.is_some()) {
            // A jump backwards closes a cycle.
            self.mark_loop(block, span);
        }
        let edge = self.new_block();
        self.gotos.push((edge, self.scopes.position(), label, span));
        self.goto(span, edge);
    }

    /// Fills the blocks between `goto`s and their labels.
    pub(super) fn connect_gotos(&mut self) {
        for (edge, from, label, span) in std::mem::take(&mut self.gotos) {
            let Some(state) = self.labels.get(&label) else { continue };
            let (target, to) = (state.block, state.position.clone());
            self.switch_to(edge);
            match to {
                Some(to) => self.cross(span, &from, &to),
                None => self.emit(span, StmtKind::Unmodelled("jump to a label that does not exist".to_owned())),
            }
            self.goto(span, target);
        }
    }

    fn cross(&mut self, span: Span, from: &Position, to: &Position) {
        for item in self.scopes.ended(from, to) {
            self.end_item(span, item);
        }
        for item in self.scopes.begun(from, to) {
            self.begin_item(span, item);
        }
    }

    /// The block to dispatch to for a case label: the label's own, or one that first begins what the jump
    /// from the `switch` skips.
    pub(super) fn case_edge(&mut self, span: Span, from: &Position, target: BlockId, to: &Position) -> BlockId {
        let begun = self.scopes.begun(from, to);
        if begun.is_empty() {
            return target;
        }
        let edge = self.new_block();
        let resume = std::mem::replace(&mut self.block, edge);
        for item in begun {
            self.begin_item(span, item);
        }
        self.goto(span, target);
        self.switch_to(resume);
        edge
    }
}
