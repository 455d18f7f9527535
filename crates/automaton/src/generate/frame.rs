//! Random frames of models: variables, their initial values, and channels.

use super::{Generator, Variable, plain};
use crate::{ChannelType, ChannelTypeId, Expr, Frame, FrameInit, Index, Place, Scalar, Scope, VarInfo};

const SCALARS: [Scalar; 8] = [
    Scalar::Byte,
    Scalar::Bit,
    Scalar::Short,
    Scalar::Int,
    Scalar::Unsigned(3),
    Scalar::Unsigned(16),
    Scalar::Unsigned(11),
    Scalar::Unsigned(31),
];

impl Generator {
    pub(super) fn channel_types(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let n_fields = self.random.below(4);
            let fields: Vec<Scalar> = (0..n_fields).map(|_| self.random.pick(&SCALARS)).collect();
            let n_sets = self.model.mtypes.len();
            let mtypes = (0..n_fields).map(|_| (n_sets > 0 && self.random.once_in(3)).then_some(0)).collect();
            let (capacity, span) = (self.random.below(4) as u32, self.span());
            self.model.channel_types.push(ChannelType { capacity, fields, mtypes, span });
        }
    }

    pub(super) fn globals(&mut self) {
        let mut frame = Frame::default();
        let mut declared = Vec::new();
        self.channels(&mut frame, Scope::Global, &mut declared, 3);
        self.variables(&mut frame, Scope::Global, &mut declared, 2, 4);
        if self.random.once_in(4) {
            let scalar = self.random.pick(&SCALARS);
            let hidden =
                Variable { scope: Scope::Hidden, offset: 0, scalar, count: None, is_channel: false, made_with: None };
            self.model.hidden_size = scalar.size();
            self.show(&mut frame, &hidden);
            declared.push(hidden);
        }
        self.model.globals = frame;
        self.declared.globals = declared;
    }

    /// Channels of a frame, each in a variable; there may be one more variable for numbers of channels.
    pub(super) fn channels(&mut self, frame: &mut Frame, scope: Scope, declared: &mut Vec<Variable>, n_most: usize) {
        let n_channels = n_most - self.random.below(n_most + 1).min(self.random.below(n_most + 1));
        for position in 0..n_channels {
            let ty = ChannelTypeId(self.random.below(self.model.channel_types.len()) as u32);
            frame.channels.push(ty);
            let variable = self.channel_variable(frame, scope, Some(ty));
            frame.init.push(FrameInit::Channel(plain(&variable), position as u32));
            declared.push(variable);
        }
        if self.random.once_in(6) {
            let variable = self.channel_variable(frame, scope, None);
            declared.push(variable);
        }
    }

    fn channel_variable(&mut self, frame: &mut Frame, scope: Scope, made_with: Option<ChannelTypeId>) -> Variable {
        let (offset, scalar) = (frame.size, Scalar::Byte);
        let variable = Variable { scope, offset, scalar, count: None, is_channel: true, made_with };
        frame.size += 1;
        self.show(frame, &variable);
        variable
    }

    pub(super) fn variables(
        &mut self,
        frame: &mut Frame,
        scope: Scope,
        declared: &mut Vec<Variable>,
        n_least: usize,
        n_more: usize,
    ) {
        for _ in 0..n_least + self.random.below(n_more) {
            let scalar = self.random.pick(&SCALARS);
            let count = self.random.once_in(3).then(|| 2 + self.random.below(3) as u32);
            let variable = Variable { scope, offset: frame.size, scalar, count, is_channel: false, made_with: None };
            frame.size += scalar.size() * count.unwrap_or(1);
            self.show(frame, &variable);
            if self.random.once_in(3) {
                let value = Expr::Const(self.random.below(9) as i32 - 2);
                frame.init.push(FrameInit::Value(first(&variable), value));
            }
            declared.push(variable);
        }
    }

    fn show(&mut self, frame: &mut Frame, variable: &Variable) {
        let mtype = (!self.model.mtypes.is_empty() && self.random.once_in(4)).then_some(0);
        let (name, span) = (self.name().into(), self.span());
        frame.vars.push(VarInfo { name, place: first(variable), mtype, span });
    }
}

/// The place of a variable, or of the last element of an array.
fn first(variable: &Variable) -> Place {
    let mut place = plain(variable);
    if let Some(count) = variable.count {
        let (expr, stride) = (Expr::Const(count as i32 - 1), variable.scalar.size());
        place.indices.push(Index { expr, count, stride, span: unpick_base::Span::NONE });
    }
    place
}
