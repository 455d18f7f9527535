//! Random expressions and places of models.

use super::{Generator, Variable, plain};
use crate::{Binary, Expr, Index, LocationId, Match, Place, Probe, ProctypeId, Receive, Run, Scope, Unary};

const UNARY: [Unary; 3] = [Unary::Not, Unary::Minus, Unary::Complement];

const BINARY: [Binary; 18] = [
    Binary::Add,
    Binary::Subtract,
    Binary::Equal,
    Binary::NotEqual,
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
    Binary::And,
    Binary::Or,
    Binary::BitAnd,
    Binary::BitOr,
    Binary::BitXor,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
];

/// The context of an expression: its evaluator, and the remaining depth.
#[derive(Clone, Copy)]
pub(super) struct Where {
    pub(super) proctype: Option<ProctypeId>,
    pub(super) depth: usize,
}

impl Where {
    fn below(self) -> Self {
        Self { depth: self.depth.saturating_sub(1), ..self }
    }
}

impl Generator {
    /// The variables that can be named.
    fn declared(&self, proctype: Option<ProctypeId>) -> Vec<Variable> {
        let locals = proctype.and_then(|proctype| self.declared.locals.get(proctype.0 as usize));
        self.declared.globals.iter().chain(locals.into_iter().flatten()).cloned().collect()
    }

    /// A place to read or write, other than those for channels most of the time.
    pub(super) fn place(&mut self, at: Where) -> Place {
        let declared = self.declared(at.proctype);
        let values: Vec<&Variable> = declared.iter().filter(|variable| !variable.is_channel).collect();
        let variable = match values.is_empty() {
            true => declared.first().cloned(),
            false => Some(values[self.random.below(values.len())].clone()),
        };
        match variable {
            Some(variable) => self.element(&variable, at),
            None => Place { scope: Scope::Nowhere, offset: 0, indices: Vec::new(), scalar: crate::Scalar::Int },
        }
    }

    fn element(&mut self, variable: &Variable, at: Where) -> Place {
        let mut place = plain(variable);
        if let Some(count) = variable.count {
            let expr = match self.random.below(16) {
                0 => self.expr(at.below()),
                1..=5 => Expr::Binary(
                    Binary::BitAnd,
                    Box::new(self.expr(at.below())),
                    Box::new(Expr::Const(count as i32 - 1)),
                ),
                // Now and then one too much.
                _ => {
                    let limit = count as usize + usize::from(self.random.once_in(16));
                    Expr::Const(self.random.below(limit) as i32)
                }
            };
            place.indices.push(Index { expr, count, stride: variable.scalar.size(), span: self.span() });
        }
        place
    }

    /// The number of a channel, or nearly always one.
    pub(super) fn channel(&mut self, at: Where) -> Expr {
        self.channel_and_arity(at).0
    }

    /// A channel and how many fields its messages have, or nearly always so many.
    pub(super) fn channel_and_arity(&mut self, at: Where) -> (Expr, usize) {
        let declared = self.declared(at.proctype);
        let channels: Vec<&Variable> = declared.iter().filter(|variable| variable.is_channel).collect();
        if channels.is_empty() || self.random.once_in(40) {
            return (Expr::Const(self.random.below(4) as i32), self.random.below(4));
        }
        let variable = channels[self.random.below(channels.len())];
        let arity = match variable.made_with {
            Some(ty) if !self.random.once_in(20) => self.model.channel_types[ty].fields.len(),
            _ => self.random.below(4),
        };
        (Expr::Load(Box::new(plain(variable))), arity)
    }

    pub(super) fn receive(&mut self, at: Where) -> Receive {
        let (channel, n_args) = self.channel_and_arity(at);
        let args = (0..n_args).map(|_| match self.random.below(6) {
            0 => Match::Equal(self.expr(Where { depth: 1, ..at })),
            1 => Match::Store(Place {
                scope: Scope::Nowhere,
                offset: 0,
                indices: Vec::new(),
                scalar: crate::Scalar::Int,
            }),
            _ => Match::Store(self.place(at)),
        });
        let args = args.collect();
        let (is_random, is_copy, span) = (self.random.once_in(4), self.random.once_in(20), self.span());
        Receive { channel, is_random, is_copy, args, span }
    }

    /// A number of a process, most of the time.
    fn pid(&mut self, at: Where) -> Expr {
        match self.random.below(4) {
            0 => self.expr(at.below()),
            _ => Expr::Const(self.random.below(4) as i32),
        }
    }

    pub(super) fn run(&mut self, at: Where) -> Expr {
        let proctype = ProctypeId(self.random.below(self.model.proctypes.len()) as u32);
        let n_args = self.model.proctypes[proctype].params.len();
        let args = (0..n_args).map(|_| self.expr(at.below())).collect();
        let (priority, span) = (1 + self.random.below(3) as u8, self.span());
        Expr::Run(Box::new(Run { proctype, args, priority, span }))
    }

    pub(super) fn expr(&mut self, at: Where) -> Expr {
        if at.depth == 0 {
            return self.leaf(at);
        }
        let below = at.below();
        match self.random.below(24) {
            0..=7 => {
                let (operator, left) = (self.random.pick(&BINARY), Box::new(self.expr(below)));
                let is_division = matches!(operator, Binary::Divide | Binary::Remainder);
                let right = match is_division && !self.random.once_in(8) {
                    true => Expr::Const(self.random.pick(&[1, 2, 3, -1, -7])),
                    false => self.expr(below),
                };
                Expr::Binary(operator, left, Box::new(right))
            }
            8 | 9 => Expr::Unary(self.random.pick(&UNARY), Box::new(self.expr(below))),
            10 => {
                let parts = (self.expr(below), self.expr(below), self.expr(below));
                Expr::Conditional(Box::new(parts))
            }
            11 => Expr::Len(Box::new(self.channel(at))),
            12 => {
                let probe = self.random.pick(&[Probe::Full, Probe::Nfull, Probe::Empty, Probe::Nempty]);
                Expr::Probe(probe, Box::new(self.channel(at)))
            }
            13 => Expr::Poll(Box::new(self.receive(below))),
            14 if self.random.once_in(8) => Expr::Enabled(Box::new(self.pid(at))),
            15 => Expr::PcValue(Box::new(self.pid(at))),
            16 => self.remote_label(at),
            17 => self.remote_variable(at),
            18 if self.model.has_priority => Expr::GetPriority(Box::new(self.pid(at))),
            _ => self.leaf(at),
        }
    }

    fn leaf(&mut self, at: Where) -> Expr {
        match self.random.below(16) {
            0..=4 => Expr::Const(self.random.below(6) as i32 - 1),
            5 => Expr::Const(self.random.pick(&[i32::MIN, i32::MAX, 255, 65_536, -129])),
            6 => Expr::Pid,
            7 => Expr::ProcessCount,
            8 if self.model.has_last => Expr::Last,
            9 if self.model.has_priority => Expr::Priority,
            10 => Expr::Timeout,
            11 if self.random.once_in(3) => Expr::NonProgress,
            _ => Expr::Load(Box::new(self.place(Where { depth: 0, ..at }))),
        }
    }

    fn remote_label(&mut self, at: Where) -> Expr {
        let proctype = self.random.below(self.declared.n_locations.len());
        let Some(n_locations) = self.declared.n_locations.get(proctype).copied() else { return self.leaf(at) };
        let pid = if self.random.once_in(2) { Some(Box::new(self.pid(at))) } else { None };
        let location = LocationId(1 + self.random.below(n_locations - 1) as u32);
        Expr::RemoteLabel(ProctypeId(proctype as u32), pid, location)
    }

    fn remote_variable(&mut self, at: Where) -> Expr {
        let proctype = self.random.below(self.declared.locals.len());
        let locals = self.declared.locals.get(proctype).cloned().unwrap_or_default();
        if locals.is_empty() {
            return self.leaf(at);
        }
        let variable = locals[self.random.below(locals.len())].clone();
        let pid = if self.random.once_in(2) { Some(Box::new(self.pid(at))) } else { None };
        Expr::RemoteVar(ProctypeId(proctype as u32), pid, Box::new(self.element(&variable, at)))
    }
}
