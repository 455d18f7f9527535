//! Interrupt handlers as threads, and functions that disable and enable interrupts.
//!
//! Each handler becomes a thread that the start-up code starts before `main`: a loop that waits for its turn, runs the
//! handler to its end, and begins again. What decides about turns is the interpreter's (`ir::interp::interrupt`).
//! Functions that the configuration names, and well-known undefined ones, get a body of one instruction.

use unpick_base::{Diagnostic, Severity, Span};
use unpick_program::program::{
    Address, BinOp, Block, BlockId, FuncId, Function, InterruptOp, Loc, Operand, Reg, RegId, Rvalue, Stmt, StmtKind,
    Terminator, Ty,
};

use super::class::{self, Class};
use super::function::FunctionLowering;
use super::{DeclRef, Lowering};
use unpick_front_c::ast::DeclKind;

/// A function that the hardware calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handler {
    /// Its name.
    pub name: String,
    /// Handlers of a higher priority interrupt it.
    pub priority: u32,
    /// How often it is called at most; `None` for any number of times.
    pub count: Option<u32>,
}

/// What lowering wants to know of interrupts.
#[derive(Clone, Debug, Default)]
pub struct Interrupts {
    /// Functions that the hardware calls.
    pub handlers: Vec<Handler>,
    /// Functions that turn interrupts off.
    pub off: Vec<String>,
    /// Functions that turn them on, or back to what their argument says.
    pub on: Vec<String>,
    /// Functions that enter a critical section; these nest.
    pub enter: Vec<String>,
    /// Functions that leave one.
    pub exit: Vec<String>,
    /// Interrupts are off when the program starts.
    pub start_off: bool,
}

/// What a function does to interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mask {
    Off,
    On,
    Enter,
    Exit,
    Get,
}

/// The meaning of undefined functions with these names.
const KNOWN: [(Mask, &[&str]); 5] = [
    (
        Mask::Off,
        &[
            "__disable_irq",
            "__disable_interrupt",
            "__disable_interrupts",
            "cli",
            "disable_interrupts",
            "save_and_disable_interrupts",
            "noInterrupts",
            "irq_lock",
            "irq_disable",
            "local_irq_disable",
            "arch_local_irq_disable",
            "arch_local_irq_save",
            "intr_off",
            "taskDISABLE_INTERRUPTS",
            "portDISABLE_INTERRUPTS",
            "vPortDisableInterrupts",
        ],
    ),
    (
        Mask::On,
        &[
            "__enable_irq",
            "__enable_interrupt",
            "__enable_interrupts",
            "__set_PRIMASK",
            "sti",
            "sei",
            "enable_interrupts",
            "restore_interrupts",
            "interrupts",
            "irq_unlock",
            "irq_enable",
            "irq_restore",
            "local_irq_enable",
            "arch_local_irq_enable",
            "arch_local_irq_restore",
            "intr_on",
            "taskENABLE_INTERRUPTS",
            "portENABLE_INTERRUPTS",
            "vPortEnableInterrupts",
        ],
    ),
    (
        Mask::Enter,
        &[
            "taskENTER_CRITICAL",
            "portENTER_CRITICAL",
            "vPortEnterCritical",
            "vTaskEnterCritical",
            "push_off",
            "pushcli",
        ],
    ),
    (
        Mask::Exit,
        &["taskEXIT_CRITICAL", "portEXIT_CRITICAL", "vPortExitCritical", "vTaskExitCritical", "pop_off", "popcli"],
    ),
    (Mask::Get, &["__get_PRIMASK"]),
];

impl Interrupts {
    /// What a function does to interrupts by its name; a function with a body only if the configuration says so.
    pub(super) fn mask(&self, name: &str, is_defined: bool) -> Option<Mask> {
        let named =
            [(Mask::Off, &self.off), (Mask::On, &self.on), (Mask::Enter, &self.enter), (Mask::Exit, &self.exit)];
        let configured = named.into_iter().find(|(_, names)| names.iter().any(|known| known == name));
        if let Some((mask, _)) = configured {
            return Some(mask);
        }
        let is_asked = !is_defined && !self.handlers.is_empty();
        KNOWN.iter().find(|(_, names)| is_asked && names.contains(&name)).map(|(mask, _)| *mask)
    }
}

impl Mask {
    fn words(self) -> &'static str {
        match self {
            Mask::Off => "turn interrupts off",
            Mask::On => "turn interrupts on",
            Mask::Enter => "enter a critical section in which nothing interrupts",
            Mask::Exit => "leave a critical section in which nothing interrupts",
            Mask::Get => "tell whether interrupts are off",
        }
    }
}

impl Lowering<'_> {
    /// The threads of all handlers; `None` if one of them is no function that the hardware could call.
    pub(super) fn handler_threads(&mut self) -> Option<Vec<FuncId>> {
        let handlers = self.options.interrupts.handlers.clone();
        let threads: Vec<Option<FuncId>> = handlers.iter().map(|handler| self.handler_thread(handler)).collect();
        threads.into_iter().collect()
    }

    fn handler_thread(&mut self, handler: &Handler) -> Option<FuncId> {
        let Some(at) = self.find_function(&handler.name) else {
            self.complain_about_entry(&handler.name, "to handle an interrupt", "--isr");
            return None;
        };
        let unit = self.unit(at.unit);
        let decl = &unit.decls[at.decl];
        let function_type = class::function_type(&unit.types, decl.ty.ty);
        let is_plain = matches!(&decl.kind, DeclKind::Function(function) if function.params.is_empty())
            && function_type.is_some_and(|function| class::class_of(&unit.types, function.ret.ty) != Class::Memory);
        if !is_plain {
            let message = format!("`{}` cannot handle interrupts: nobody passes it arguments", handler.name);
            let help = "name a function without parameters, or write one that calls it";
            self.session.diagnostics.push(Diagnostic::new(Severity::Error, decl.span, message).help(help));
            return None;
        }
        let loc = self.loc(decl.span);
        let callee = self.function_id(at);
        let name = self.unique_name("__unpick_handler");
        let function = handler_loop(name, handler, callee, loc);
        Some(self.program.functions.push(function))
    }

    /// Gives a function that turns interrupts off or on its body.
    pub(super) fn make_mask(&mut self, id: FuncId, at: DeclRef, mask: Mask) {
        let unit = self.unit(at.unit);
        let decl = &unit.decls[at.decl];
        let mut lowering = FunctionLowering::new(self, &unit, at.unit, id, decl);
        lowering.mask(decl, mask);
        let func = lowering.func;
        self.program.functions[id] = func;
    }
}

/// Level of a handler; ordinary threads have level 0.
fn level(handler: &Handler) -> Operand {
    Operand::Bits(Ty::Int(32), u128::from(handler.priority) + 1)
}

/// Waits for its turn, calls the handler, begins again.
fn handler_loop(name: String, handler: &Handler, callee: FuncId, loc: Loc) -> Function {
    let number = |bits: u32| Operand::Bits(Ty::Int(32), u128::from(bits));
    let int = || Reg { ty: Ty::Int(32), name: None, shape: None };
    let bit = Reg { ty: Ty::Int(1), name: None, shape: None };
    let (unused, left, is_left) = (RegId(0), RegId(1), RegId(2));
    let stmt = |kind| Stmt { kind, loc };
    let interrupts = |op, value| stmt(StmtKind::Interrupts { dst: unused, op, value });
    let callee = Operand::Address(Address::Func(callee));
    let mut body = vec![
        interrupts(InterruptOp::Enter, level(handler)),
        stmt(StmtKind::Call { dst: None, callee, args: Vec::new() }),
        interrupts(InterruptOp::Leave, number(0)),
    ];
    let (mut first, mut head) = (Vec::new(), Vec::new());
    let mut onward = Terminator::Goto(BlockId(2));
    if let Some(count) = handler.count {
        first.push(stmt(StmtKind::Assign(left, Rvalue::Use(number(count)))));
        let zero = Rvalue::Compare(unpick_program::program::CmpOp::Ne, Ty::Int(32), Operand::Reg(left), number(0));
        head.push(stmt(StmtKind::Assign(is_left, zero)));
        let less = Rvalue::Binary(BinOp::Sub, Ty::Int(32), Operand::Reg(left), number(1));
        body.push(stmt(StmtKind::Assign(left, less)));
        onward = Terminator::Branch { cond: Operand::Reg(is_left), then: BlockId(2), otherwise: BlockId(3) };
    }
    let block = |stmts, terminator, loop_head| Block { stmts, terminator, loc, loop_head };
    let mut blocks = vec![
        block(first, Terminator::Goto(BlockId(1)), None),
        block(head, onward, Some(loc)),
        block(body, Terminator::Goto(BlockId(1)), None),
    ];
    if handler.count.is_some() {
        blocks.push(block(Vec::new(), Terminator::Return(None), None));
    }
    Function {
        name,
        source_name: format!("interrupt {}", handler.name),
        params: Vec::new(),
        is_variadic: false,
        ret: None,
        regs: [int(), int(), bit].into_iter().collect(),
        slots: Default::default(),
        blocks: blocks.into_iter().collect(),
        is_model: true,
        loc,
    }
}

impl FunctionLowering<'_, '_, '_> {
    /// Starts the thread of a handler.
    pub(super) fn spawn_handler(&mut self, thread: FuncId) {
        let dst = self.temp(Ty::Int(32));
        let callee = Operand::Address(Address::Func(thread));
        self.emit(Span::NONE, StmtKind::Spawn { dst, callee, args: Vec::new() });
    }

    /// Changes what may interrupt the thread; gives whether interrupts were off.
    pub(super) fn set_interrupts(&mut self, span: Span, op: InterruptOp, value: Operand) -> RegId {
        let dst = self.temp(Ty::Int(32));
        self.emit(span, StmtKind::Interrupts { dst, op, value });
        dst
    }

    fn mask(&mut self, decl: &unpick_front_c::ast::Decl, mask: Mask) {
        let span = decl.span;
        self.stub_parameters(decl);
        let name = self.func.source_name.clone();
        let has_body = matches!(&decl.kind, DeclKind::Function(function) if function.body.is_some());
        let why = if has_body { "is not looked into" } else { "has no body" };
        self.emit(span, StmtKind::Note(format!("`{name}` {why}: assumed to {}", mask.words())));
        let number = |bits: u128| Operand::Bits(Ty::Int(32), bits);
        let (op, value) = match mask {
            Mask::Off => (InterruptOp::Set, number(1)),
            Mask::On => (InterruptOp::Set, self.wanted(span)),
            Mask::Enter => (InterruptOp::Nest, number(1)),
            Mask::Exit => (InterruptOp::Nest, number(0)),
            Mask::Get => (InterruptOp::Get, number(0)),
        };
        let before = self.set_interrupts(span, op, value);
        let result = match self.func.ret {
            Some(Ty::Int(bits)) => Some(self.resize(span, Operand::Reg(before), 32, bits, false)),
            Some(ty @ (Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr)) => Some(Operand::Undef(ty)),
            None => None,
        };
        self.terminate(span, Terminator::Return(result));
        self.finish();
    }

    /// What the first argument of a function says that turns interrupts back to what they were.
    fn wanted(&mut self, span: Span) -> Operand {
        match self.func.params.first().copied() {
            Some(param) if matches!(self.func.regs[param].ty, Ty::Int(_)) => {
                let truth = self.truth_of(span, Operand::Reg(param), self.func.regs[param].ty);
                self.extend_bit(span, truth, Ty::Int(32))
            }
            Some(_) | None => Operand::Bits(Ty::Int(32), 0),
        }
    }
}
