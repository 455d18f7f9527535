//! Builder for programs: a function under construction, block by block.
//!
//! ```
//! use unpick_program::build::FunctionBuilder;
//! use unpick_program::{BinOp, Operand, Program, Rvalue, Terminator, Ty};
//!
//! let mut main = FunctionBuilder::new("main");
//! let sum = main.new_reg(Ty::Int(32));
//! let (one, two) = (Operand::Bits(Ty::Int(32), 1), Operand::Bits(Ty::Int(32), 2));
//! main.assign(sum, Rvalue::Checked(BinOp::Add, Ty::Int(32), one, two));
//! main.terminate(Terminator::Exit { code: Operand::Reg(sum), is_abort: false });
//! let mut program = Program { pointer_bytes: 8, ..Program::default() };
//! program.entry = Some(program.functions.push(main.finish()));
//! ```

use unpick_base::IdVec;

use crate::{Block, BlockId, Function, Loc, Reg, RegId, Rvalue, Slot, SlotId, Stmt, StmtKind, Terminator, Ty};

/// A function under construction. Instructions go to the end of the current block; at first that is block 0.
pub struct FunctionBuilder {
    function: Function,
    current: BlockId,
    /// Place of the instructions to come.
    pub loc: Loc,
}

impl FunctionBuilder {
    /// A function without parameters and result.
    pub fn new(name: &str) -> FunctionBuilder {
        let function = Function {
            name: name.into(),
            source_name: name.into(),
            params: Vec::new(),
            is_variadic: false,
            ret: None,
            regs: IdVec::new(),
            slots: IdVec::new(),
            blocks: IdVec::new(),
            is_model: false,
            loc: Loc::NONE,
        };
        let mut builder = FunctionBuilder { function, current: BlockId(0), loc: Loc::NONE };
        builder.new_block();
        builder
    }

    /// Adds a parameter.
    pub fn new_param(&mut self, ty: Ty) -> RegId {
        let reg = self.new_reg(ty);
        self.function.params.push(reg);
        reg
    }

    /// Sets the type of the result.
    pub fn returns(&mut self, ty: Ty) {
        self.function.ret = Some(ty);
    }

    /// Adds a register.
    pub fn new_reg(&mut self, ty: Ty) -> RegId {
        self.function.regs.push(Reg { ty, name: None, shape: None })
    }

    /// Adds a stack object.
    pub fn new_slot(&mut self, name: &str, size: u64) -> SlotId {
        let align = size.next_power_of_two().clamp(1, 16);
        self.function.slots.push(Slot { name: Some(name.into()), size, align, shape: None })
    }

    /// Adds a block, unreachable until a jump targets it.
    pub fn new_block(&mut self) -> BlockId {
        let terminator = Terminator::Unreachable;
        self.function.blocks.push(Block { stmts: Vec::new(), terminator, loc: self.loc, loop_head: None })
    }

    /// Adds a block that is the head of a loop.
    pub fn new_loop_head(&mut self) -> BlockId {
        let block = self.new_block();
        self.function.blocks[block].loop_head = Some(self.loc);
        block
    }

    /// Goes on in this block.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Moves to the next line of the source.
    pub fn next_line(&mut self) {
        self.loc.line += 1;
    }

    /// Adds an instruction.
    pub fn push(&mut self, kind: StmtKind) {
        let stmt = Stmt { kind, loc: self.loc };
        self.function.blocks[self.current].stmts.push(stmt);
    }

    /// Adds an assignment.
    pub fn assign(&mut self, dst: RegId, rvalue: Rvalue) {
        self.push(StmtKind::Assign(dst, rvalue));
    }

    /// Ends the current block.
    pub fn terminate(&mut self, terminator: Terminator) {
        let block = &mut self.function.blocks[self.current];
        block.terminator = terminator;
        block.loc = self.loc;
    }

    /// The function.
    pub fn finish(self) -> Function {
        self.function
    }
}
