//! Analysis of initialisers: brace elision, designators and string literals, normalised to the shape of the type.

use unpick_base::Span;

use super::Sema;
use super::convert::Why;
use super::init_store::{Frame, store};
use crate::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Init, Storage};
use crate::syntax::{self, Designator, Encoding, InitItem, InitList, Initializer, StrLit};
use crate::types::{ArrayExtent, QualTy, TyId, Type};

impl Sema {
    /// Analyses the initialiser of a declared object.
    pub(super) fn initialise(&mut self, decl: DeclId, initializer: &Initializer) {
        let ty = self.unit.decls[decl].ty;
        let span = self.unit.decls[decl].span;
        if self.is_vla(ty.ty) {
            let is_empty = matches!(initializer, Initializer::List(list) if list.items.is_empty());
            if !is_empty {
                self.error(span, "an array of variable size cannot be initialised");
            }
            return;
        }
        let (init, ty) = self.init_for(ty, initializer);
        self.unit.decls[decl].ty = ty;
        let DeclKind::Var(var) = &self.unit.decls[decl].kind else { return };
        let is_static = matches!(var.storage, Storage::Static | Storage::ThreadLocal);
        let init = if is_static { self.static_init(init) } else { init };
        self.set_init(decl, init);
    }

    pub(super) fn set_init(&mut self, decl: DeclId, init: Init) {
        if let DeclKind::Var(var) = &mut self.unit.decls[decl].kind {
            var.init = Some(init);
            var.is_declared_only = false;
            var.is_tentative = false;
        }
    }

    /// The initialiser in the shape of `ty`, and the type completed by it.
    fn init_for(&mut self, ty: QualTy, initializer: &Initializer) -> (Init, QualTy) {
        match initializer {
            Initializer::List(list) => self.init_list_for(ty, list),
            Initializer::Expr(expr) => {
                if let Some(literal) = self.literal_for(ty.ty, expr) {
                    return self.string_init(ty, literal, expr.span);
                }
                if self.is_array(ty.ty) {
                    return self.array_from_expr(ty, expr);
                }
                let value = self.rvalue(expr);
                (Init::Expr(self.assign_to(value, ty.ty, Why::Init)), ty)
            }
        }
    }

    /// GNU C copies a compound literal into an array.
    fn array_from_expr(&mut self, ty: QualTy, expr: &syntax::Expr) -> (Init, QualTy) {
        let id = self.expr(expr);
        let source = self.type_of(id);
        if let ExprKind::CompoundLiteral { init, .. } = &self.unit.exprs[id].kind {
            let init = (**init).clone();
            if self.is_array(source.ty) {
                let complete = self.composite(ty.ty, source.ty);
                return (init, QualTy { ty: complete, quals: ty.quals });
            }
        }
        if source.ty != TyId::ERROR && ty.ty != TyId::ERROR {
            let message = format!("an array of type `{}` needs a list or a string literal", self.spell(ty.ty));
            self.error(expr.span, message);
        }
        (Init::Expr(self.add_error(expr.span)), ty)
    }

    /// The literal, if the expression is one that can fill an array of this type.
    fn literal_for<'e>(&self, ty: TyId, expr: &'e syntax::Expr) -> Option<&'e StrLit> {
        let element = self.element(ty)?;
        let syntax::ExprKind::Str(literal) = &Self::unparenthesised(expr).kind else { return None };
        let kind = self.int_kind(element.ty)?;
        let unit_kind = self.int_kind(self.unit_type(literal.encoding))?;
        let target = self.types().target;
        (kind.bytes(target) == unit_kind.bytes(target)).then_some(literal)
    }

    fn string_init(&mut self, ty: QualTy, literal: &StrLit, span: Span) -> (Init, QualTy) {
        let unit_bytes = match literal.encoding {
            Encoding::Plain | Encoding::Utf8 => 1,
            Encoding::Utf16 => 2,
            Encoding::Wide | Encoding::Utf32 => 4,
        };
        let mut units = literal.units.clone();
        let mut result = ty;
        if let Type::Array { element, extent } = *self.get(ty.ty) {
            match extent {
                ArrayExtent::Fixed(n) => {
                    if units.len() as u64 > n {
                        self.warn(span, "the string literal is longer than the array");
                        units.truncate(n as usize);
                    }
                }
                _ => {
                    let extent = ArrayExtent::Fixed(units.len() as u64 + 1);
                    result.ty = self.unit.types.intern(Type::Array { element, extent });
                }
            }
        }
        (Init::Str { units, unit_bytes }, result)
    }

    /// A braced list for any type.
    pub(super) fn init_list_for(&mut self, ty: QualTy, list: &InitList) -> (Init, QualTy) {
        if ty.ty == TyId::ERROR {
            for item in &list.items {
                self.init_for(ty, &item.init);
            }
            return (Init::Expr(self.add_error(list.span)), ty);
        }
        if matches!(self.get(ty.ty), Type::Unknown(_))
            && list.items.iter().any(|item| matches!(item.designators.first(), Some(Designator::Field(_))))
        {
            self.learn_record(ty.ty);
        }
        if let [item] = &list.items[..]
            && let (Initializer::Expr(expr), true) = (&item.init, item.designators.is_empty())
            && let Some(literal) = self.literal_for(ty.ty, expr)
        {
            return self.string_init(ty, literal, expr.span);
        }
        match self.init_frame(ty.ty) {
            Some(root) => self.aggregate_init(ty, root, list),
            None => (self.scalar_list(ty, list), ty),
        }
    }

    fn scalar_list(&mut self, ty: QualTy, list: &InitList) -> Init {
        let mut items = list.items.iter();
        let Some(first) = items.next() else {
            let zero = self.add_int(0, TyId::INT, list.span);
            return Init::Expr(self.assign_to(zero, ty.ty, Why::Init));
        };
        if !first.designators.is_empty() {
            self.error(list.span, "a designator needs an array, struct or union");
        }
        let (init, _) = self.init_for(ty, &first.init);
        if items.len() > 0 {
            let is_complex = matches!(self.get(ty.ty), Type::Complex(_));
            if !is_complex {
                self.warn(list.span, "excess values in the initialiser of a scalar");
            }
            for item in items {
                self.init_for(ty, &item.init);
            }
        }
        init
    }

    fn aggregate_init(&mut self, ty: QualTy, root: Frame, list: &InitList) -> (Init, QualTy) {
        if !self.is_array(ty.ty) && !self.is_vector(ty.ty) && !self.is_complete(ty.ty) {
            self.require_complete(ty.ty, list.span);
        }
        let mut init = Init::List { ty: ty.ty, entries: Vec::new() };
        let mut frames = vec![root];
        let mut has_warned = false;
        for item in &list.items {
            if !item.designators.is_empty() {
                frames.truncate(1);
                if !self.follow_designators(&mut frames, &item.designators) {
                    self.init_for(QualTy::plain(TyId::ERROR), &item.init);
                    continue;
                }
            }
            while frames.len() > 1 && frames.last().is_some_and(|frame| frame.at >= frame.count) {
                frames.pop();
                if let Some(frame) = frames.last_mut() {
                    self.advance(frame);
                }
            }
            if frames[0].at >= frames[0].count {
                if !has_warned {
                    let span = init_span(item);
                    self.warn(span, "excess values in the initialiser");
                    has_warned = true;
                }
                self.init_for(QualTy::plain(TyId::ERROR), &item.init);
                continue;
            }
            self.place(&mut init, &mut frames, item);
            if let Some(frame) = frames.last_mut() {
                self.advance(frame);
            }
        }
        let ty = self.completed(ty, &init);
        if let Init::List { ty: shape, .. } = &mut init {
            *shape = ty.ty;
        }
        (init, ty)
    }

    /// An array of unknown length is as long as its initialiser.
    fn completed(&mut self, ty: QualTy, init: &Init) -> QualTy {
        let Type::Array { element, extent: ArrayExtent::Unknown } = *self.get(ty.ty) else { return ty };
        let Init::List { entries, .. } = init else { return ty };
        let n = entries.iter().map(|entry| entry.last.saturating_add(1)).max().unwrap_or(0);
        let complete = self.unit.types.intern(Type::Array { element, extent: ArrayExtent::Fixed(n) });
        QualTy { ty: complete, quals: ty.quals }
    }

    /// Leads the frames to the designated position; `false` after a complaint.
    fn follow_designators(&mut self, frames: &mut Vec<Frame>, designators: &[Designator]) -> bool {
        for (nth, designator) in designators.iter().enumerate() {
            if nth > 0 && !self.enter_position(frames, designator) {
                return false;
            }
            let Some(frame) = frames.last_mut() else { return false };
            let ty = frame.ty;
            match designator {
                Designator::Field(field) => {
                    let record = self.record_of(ty);
                    let path = record.and_then(|record| self.find_member(record, field.name));
                    let path = match (path, record) {
                        (None, Some(record)) => self.assume_member(record, *field).map(|index| vec![(record, index)]),
                        (path, _) => path,
                    };
                    let Some(path) = path else {
                        let message = format!("`{}` has no member `{}`", self.spell(ty), self.name(field.name));
                        self.error(field.span, message);
                        return false;
                    };
                    for (at, (_, index)) in path.iter().enumerate() {
                        if at > 0 {
                            let inner = frames.last().map_or(TyId::ERROR, |frame| self.type_at(frame));
                            let Some(inner) = self.init_frame(inner) else { return false };
                            frames.push(inner.maybe_filled());
                        }
                        if let Some(frame) = frames.last_mut() {
                            frame.at = u64::from(*index);
                            frame.last = frame.at;
                            frame.count = frame.count.max(frame.at + 1);
                        }
                    }
                }
                Designator::Index(index) => {
                    if !self.set_index(frames, index, None) {
                        return false;
                    }
                }
                Designator::Range(low, high) => {
                    if !self.set_index(frames, low, Some(high)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn enter_position(&mut self, frames: &mut Vec<Frame>, designator: &Designator) -> bool {
        let inner = frames.last().map_or(TyId::ERROR, |frame| self.type_at(frame));
        match self.init_frame(inner) {
            Some(frame) => {
                frames.push(frame.maybe_filled());
                true
            }
            None => {
                let span = match designator {
                    Designator::Field(field) => field.span,
                    Designator::Index(index) | Designator::Range(index, _) => index.span,
                };
                let message = format!("`{}` has no parts to designate", self.spell(inner));
                self.error(span, message);
                false
            }
        }
    }

    fn set_index(&mut self, frames: &mut [Frame], low: &syntax::Expr, high: Option<&syntax::Expr>) -> bool {
        let low_value = self.required_const(low, "array designator");
        let high_value = match high {
            Some(high) => self.required_const(high, "array designator"),
            None => low_value,
        };
        let (Some(first), Some(last)) = (low_value, high_value) else { return false };
        let Some(frame) = frames.last_mut() else { return false };
        let (ty, count) = (frame.ty, frame.count);
        if !self.is_array(ty) && !self.is_vector(ty) {
            let message = format!("`{}` is not an array", self.spell(ty));
            self.error(low.span, message);
            return false;
        }
        if first < 0 || last < first || last >= i128::from(count) {
            self.error(low.span, "array designator outside the array");
            return false;
        }
        frame.at = first as u64;
        frame.last = last as u64;
        true
    }

    /// Puts one item at the current position, entering aggregates whose braces are left out.
    fn place(&mut self, init: &mut Init, frames: &mut Vec<Frame>, item: &InitItem) {
        let expr = match &item.init {
            Initializer::List(list) => {
                let ty = frames.last().map_or(TyId::ERROR, |frame| self.type_at(frame));
                let (value, _) = self.init_list_for(QualTy::plain(ty), list);
                return store(init, frames, value);
            }
            Initializer::Expr(expr) => expr,
        };
        let mut value: Option<ExprId> = None;
        let mut n_entered_before = frames.len();
        loop {
            let ty = frames.last().map_or(TyId::ERROR, |frame| self.type_at(frame));
            if let (Some(literal), None) = (self.literal_for(ty, expr), value) {
                let (text, _) = self.string_init(QualTy::plain(ty), literal, expr.span);
                return store(init, frames, text);
            }
            let inner = match self.init_frame(ty) {
                // A literal may still fill an array further in, so it is not evaluated on the way.
                Some(inner) if matches!(Self::unparenthesised(expr).kind, syntax::ExprKind::Str(_)) => inner,
                Some(inner) => {
                    let id = match value {
                        Some(id) => id,
                        None => self.rvalue(expr),
                    };
                    value = Some(id);
                    // A value of unknown type is compatible with anything, but no copy of an aggregate.
                    let is_aggregate = self.init_frame(self.ty_of(id)).is_some();
                    if is_aggregate && self.are_compatible(self.ty_of(id), ty) {
                        return store(init, frames, Init::Expr(id));
                    }
                    inner
                }
                None => {
                    let id = match value {
                        Some(id) => id,
                        None => self.rvalue(expr),
                    };
                    let id = self.assign_to(id, ty, Why::Init);
                    return store(init, frames, Init::Expr(id));
                }
            };
            if inner.at >= inner.count {
                // An empty struct or array takes no value: the next position gets it.
                self.skip_hollow(frames, &mut n_entered_before);
                if frames[0].at >= frames[0].count {
                    self.warn(expr.span, "excess values in the initialiser");
                    return;
                }
                continue;
            }
            let is_fresh = frames.last().is_some_and(|frame| frame.at >= frame.filled);
            frames.push(if is_fresh { inner } else { inner.maybe_filled() });
        }
    }

    /// Goes on behind a part that takes no value. What is true of one element of an array that was not
    /// begun before is true of all of them, so that the array need not be walked, which may never end.
    fn skip_hollow(&self, frames: &mut Vec<Frame>, n_entered_before: &mut usize) {
        let mut is_hollow = true;
        while let Some(frame) = frames.last_mut() {
            if is_hollow && matches!(self.get(frame.ty), Type::Array { .. }) {
                frame.at = frame.count;
                frame.last = frame.at;
            } else {
                self.advance(frame);
            }
            if frames.len() == 1 || frames.last().is_some_and(|frame| frame.at < frame.count) {
                break;
            }
            is_hollow = frames.len() > *n_entered_before;
            frames.pop();
        }
        *n_entered_before = frames.len().min(*n_entered_before);
    }

    /// The form for static objects: constant, with copies of compound literals unfolded.
    pub(super) fn static_init(&mut self, init: Init) -> Init {
        let init = self.unfold_literals(init);
        self.check_static_init(&init);
        init
    }

    fn unfold_literals(&mut self, init: Init) -> Init {
        match init {
            Init::Expr(id) => match &self.unit.exprs[id].kind {
                ExprKind::Cast { kind: CastKind::Load, operand, .. } => match &self.unit.exprs[*operand].kind {
                    ExprKind::CompoundLiteral { init, .. } => {
                        let init = (**init).clone();
                        self.unfold_literals(init)
                    }
                    _ => Init::Expr(id),
                },
                _ => Init::Expr(id),
            },
            Init::List { ty, mut entries } => {
                for entry in &mut entries {
                    let inner = std::mem::replace(&mut entry.init, Init::Str { units: Vec::new(), unit_bytes: 1 });
                    entry.init = self.unfold_literals(inner);
                }
                Init::List { ty, entries }
            }
            text @ Init::Str { .. } => text,
        }
    }

    pub(super) fn check_static_init(&mut self, init: &Init) {
        match init {
            Init::Expr(id) => {
                if !self.is_constant(*id) && !self.is_constant_literal(*id) {
                    let span = self.span_of(*id);
                    self.error(span, "the initialiser of a static object is not constant");
                }
            }
            Init::Str { .. } => {}
            Init::List { entries, .. } => {
                for entry in entries {
                    self.check_static_init(&entry.init);
                }
            }
        }
    }

    /// A compound literal copied whole, or a value of a kind that is never folded.
    fn is_constant_literal(&self, id: ExprId) -> bool {
        match &self.unit.exprs[id].kind {
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                matches!(self.unit.exprs[*operand].kind, ExprKind::CompoundLiteral { .. })
            }
            _ => matches!(self.get(self.ty_of(id)), Type::Complex(_) | Type::Vector { .. }),
        }
    }
}

fn init_span(item: &InitItem) -> Span {
    match &item.init {
        Initializer::Expr(expr) => expr.span,
        Initializer::List(list) => list.span,
    }
}
