//! The arguments of `main`: inputs of the program unless they are given.
//!
//! Unused parameters cost nothing: one argument, the name of the program. `argc` alone is one input with a range. Texts are
//! made by a library model (`models/arguments.c`), whose bounds the assumption names.

use unpick_base::Span;
use unpick_program::program::{Address, Operand, StmtKind, Ty};

use super::function::FunctionLowering;
use unpick_front_c::ast::{CastKind, DeclId, ExprId, ExprKind, Unit};

/// What `main` is called with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Arguments {
    /// Any number, any texts, up to the model's bounds.
    #[default]
    Any,
    /// These, behind the name of the program.
    Given(Vec<String>),
}

/// As many arguments there may be besides the name of the program; `models/arguments.c` says so too.
const MAX_ARGUMENTS: i128 = 3;

/// What stands for the name of the program.
const PROGRAM: &str = "program";

impl FunctionLowering<'_, '_, '_> {
    /// Number, texts and environment, as `main` may take them.
    pub(super) fn main_arguments(&mut self, span: Span, params: &[DeclId]) -> Vec<Operand> {
        let looks_at = |at: usize| params.get(at).is_some_and(|param| is_used(self.unit, *param));
        let (uses_number, uses_texts, uses_environment) = (looks_at(0), looks_at(1), looks_at(2));
        let given = match self.cx.options.arguments.clone() {
            Arguments::Given(words) => words,
            Arguments::Any if uses_number || uses_texts => {
                let (number, texts) = self.any_arguments(span, uses_texts);
                return vec![number, texts, self.environment(span, uses_environment)];
            }
            Arguments::Any => Vec::new(),
        };
        if uses_number || uses_texts {
            let said = match given.as_slice() {
                [] => "no arguments".to_owned(),
                [word] => format!("the argument `{word}`"),
                words => format!("the arguments `{}`", words.join("`, `")),
            };
            self.emit(span, StmtKind::Note(format!("the program is started with {said} (--args)")));
        }
        let number = Operand::Bits(Ty::Int(32), 1 + given.len() as u128);
        vec![number, self.given_texts(&given), self.environment(span, uses_environment)]
    }

    fn any_arguments(&mut self, span: Span, uses_texts: bool) -> (Operand, Operand) {
        let number = self.temp(Ty::Int(32));
        let (range, label) = (Some((1, 1 + MAX_ARGUMENTS)), "the number of arguments (argc)".to_owned());
        self.emit(span, StmtKind::Choose { dst: number, range, label });
        if !uses_texts {
            let text = format!("the program is started with up to {MAX_ARGUMENTS} arguments (--args)");
            self.emit(span, StmtKind::Note(text));
            return (Operand::Reg(number), self.given_texts(&[]));
        }
        let callee = self.external_function("__model_arguments");
        let callee = callee.expect("there should be a model of the program's arguments");
        let texts = self.temp(Ty::Ptr);
        let name = self.cx.string(format!("{PROGRAM}\0").into_bytes(), 1, Span::NONE);
        let args = vec![Operand::Reg(number), Operand::Address(Address::Global(name, 0))];
        self.emit(span, StmtKind::Call { dst: Some(texts), callee, args });
        (Operand::Reg(number), Operand::Reg(texts))
    }

    fn given_texts(&mut self, words: &[String]) -> Operand {
        let mut texts = Vec::with_capacity(words.len() + 1);
        for word in [PROGRAM].into_iter().chain(words.iter().map(String::as_str)) {
            let text = self.cx.argument_text(word);
            texts.push(Address::Global(text, 0));
        }
        let table = self.cx.pointer_table("argv", &texts);
        Operand::Address(Address::Global(table, 0))
    }

    fn environment(&mut self, span: Span, is_used: bool) -> Operand {
        if is_used {
            let text = "the environment that `main` is given is empty".to_owned();
            self.emit(span, StmtKind::Note(text));
        }
        let table = self.cx.pointer_table("envp", &[]);
        Operand::Address(Address::Global(table, 0))
    }
}

/// Whether a parameter is used; `(void)argc` is no use.
fn is_used(unit: &Unit, param: DeclId) -> bool {
    let is_param = |id: ExprId| matches!(unit.exprs[id].kind, ExprKind::Decl(decl) if decl == param);
    let is_dropped = |operand: ExprId| match unit.exprs[operand].kind {
        ExprKind::Cast { kind: CastKind::Load | CastKind::NoOp, operand, .. } => is_param(operand),
        ref other => matches!(other, ExprKind::Decl(decl) if *decl == param),
    };
    let mut n_uses = 0;
    let mut n_dropped = 0;
    for expr in unit.exprs.iter() {
        match expr.kind {
            ExprKind::Decl(decl) => n_uses += usize::from(decl == param),
            ExprKind::Cast { kind: CastKind::ToVoid, operand, .. } => n_dropped += usize::from(is_dropped(operand)),
            ref _other => {}
        }
    }
    n_uses > n_dropped
}
