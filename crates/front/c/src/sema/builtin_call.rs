//! Types of calls to built-in functions.

use unpick_base::Span;

use super::Sema;
use super::convert::Why;
use super::typing::{int_ty, unsigned_of};
use crate::ast::{BinaryOp, CastKind, ExprId, ExprKind};
use crate::builtin::{Builtin, Known, Special};
use crate::syntax::{Encoding, Expr, Ident, StrLit};
use crate::types::{FloatKind, FunctionType, QualSet, QualTy, TyId, Type};

/// Sequential consistency, for the older family that names no order.
const SEQ_CST: i128 = 5;

impl Sema {
    pub(super) fn builtin_call(&mut self, known: Known, ident: Ident, args: &[Expr], span: Span) -> ExprId {
        match known {
            Known::Typed(builtin, signature) => self.typed_builtin(builtin, signature, ident, args, span),
            Known::Library(twin, dropped) => self.library_call(twin, dropped, ident, args, span),
            Known::Special(special) => {
                let call = self.special_builtin(special, ident, args, span);
                if matches!(self.unit.exprs[call].kind, ExprKind::Builtin { builtin: Builtin::Unmodelled, .. }) {
                    self.unit.unmodelled.push((call, ident.name));
                }
                call
            }
        }
    }

    fn builtin_value(&mut self, builtin: Builtin, args: Vec<ExprId>, ty: TyId, span: Span) -> ExprId {
        self.add_value(ExprKind::Builtin { builtin, args }, ty, span)
    }

    fn typed_builtin(&mut self, builtin: Builtin, signature: &str, ident: Ident, args: &[Expr], span: Span) -> ExprId {
        let ty = self.signature_type(signature);
        let Some(function) = self.function_type(ty) else { return self.add_error(span) };
        let (params, ret, is_variadic) = (function.params.clone(), function.ret.ty, function.is_variadic);
        let values: Vec<ExprId> = args.iter().map(|arg| self.rvalue(arg)).collect();
        if !self.has_enough(values.len(), params.len(), ident, span) {
            return self.add_error(span);
        }
        if values.len() > params.len() && !is_variadic {
            let message = format!("too many arguments for `{}`", self.name(ident.name));
            self.error(span, message);
        }
        let values = self.convert_arguments(&params, values, Some(ident.name));
        self.builtin_value(builtin, values, ret, span)
    }

    fn has_enough(&mut self, n_args: usize, n_needed: usize, ident: Ident, span: Span) -> bool {
        if n_args < n_needed {
            let message = format!("`{}` takes {n_needed} arguments, not {n_args}", self.name(ident.name));
            self.error(span, message);
        }
        n_args >= n_needed
    }

    fn library_call(&mut self, twin: &str, dropped: &[usize], ident: Ident, args: &[Expr], span: Span) -> ExprId {
        let decl = self.library_function(twin, ident.span);
        let ty = self.unit.decls[decl].ty;
        let callee = self.add(ExprKind::Decl(decl), ty, ident.span);
        let callee = self.value_of(callee);
        let (params, ret) = match self.function_type(ty.ty) {
            Some(function) => (function.params.clone(), function.ret.ty),
            None => return self.add_error(span),
        };
        let mut values = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            if !dropped.contains(&at) {
                values.push(self.rvalue(arg));
            }
        }
        if !self.has_enough(values.len(), params.len(), ident, span) {
            return self.add_error(span);
        }
        if let (true, Some(length)) = (twin == "strlen", values.first().and_then(|value| self.literal_length(*value))) {
            return self.add_int(length, ret, span);
        }
        let args = self.convert_arguments(&params, values, Some(ident.name));
        self.add_value(ExprKind::Call { callee, args }, ret, span)
    }

    /// The length of a string literal, which gcc takes for a constant.
    fn literal_length(&self, value: ExprId) -> Option<i128> {
        let ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } = self.unit.exprs[value].kind else {
            return None;
        };
        let ExprKind::Str { units, .. } = &self.unit.exprs[operand].kind else { return None };
        let length = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
        i128::try_from(length).ok()
    }

    fn special_builtin(&mut self, special: Special, ident: Ident, args: &[Expr], span: Span) -> ExprId {
        match special {
            Special::ConstantP => self.constant_p(args, span),
            Special::ClassifyType => self.classify_type(args, span),
            Special::Infinity(code) => {
                let ty = self.code_type(code);
                self.add_value(ExprKind::Float("1e99999".into()), ty, span)
            }
            Special::Nan(code) => {
                for arg in args {
                    self.rvalue(arg);
                }
                let ty = self.code_type(code);
                let zero = self.add_value(ExprKind::Float("0.0".into()), ty, span);
                self.add_value(ExprKind::Binary(BinaryOp::Div, zero, zero), ty, span)
            }
            Special::VaStart => self.va_builtin(Builtin::VaStart, ident, args, 1, span),
            Special::VaEnd => self.va_builtin(Builtin::VaEnd, ident, args, 1, span),
            Special::VaCopy => self.va_builtin(Builtin::VaCopy, ident, args, 2, span),
            Special::Line => {
                let line = self.session.sources.place(span.lo).map_or(0, |place| place.line);
                self.add_int(i128::from(line), TyId::INT, span)
            }
            Special::File => {
                let file = self.session.sources.place(span.lo).map_or(String::new(), |place| place.file.to_string());
                let units = file.bytes().map(u32::from).collect();
                let id = self.str_literal(&StrLit { units, encoding: Encoding::Plain }, span);
                self.value_of(id)
            }
            Special::Function => {
                let id = self.function_name(span);
                self.value_of(id)
            }
            Special::Accessible(function) => self.accessible(function, ident, args, span),
            Special::AnyLikeFirst => self.any_like_first(ident, args, span),
            _ => {
                let values: Vec<ExprId> = args.iter().map(|arg| self.rvalue(arg)).collect();
                self.special_values(special, ident, values, span)
            }
        }
    }

    /// Built-ins whose arguments are ordinary values.
    fn special_values(&mut self, special: Special, ident: Ident, mut args: Vec<ExprId>, span: Span) -> ExprId {
        let n_needed = match special {
            Special::Overflow(_) | Special::OverflowP(_) => 3,
            Special::FloatCompare(_) | Special::Complex => 2,
            Special::Fpclassify => 6,
            Special::C11CompareExchange(_) => 5,
            Special::Unmodelled | Special::Atomic(_) | Special::Sync(_) | Special::SyncFetch(_) => 0,
            _ => 1,
        };
        if !self.has_enough(args.len(), n_needed, ident, span) {
            return self.add_error(span);
        }
        match special {
            Special::Overflow(builtin) => {
                for arg in &args[..2] {
                    self.check_integer(*arg, ident);
                }
                if self.pointee(self.ty_of(args[2])).is_none_or(|pointee| !self.is_integer(pointee.ty)) {
                    let message = format!("`{}` needs a pointer to an integer", self.name(ident.name));
                    self.error(span, message);
                }
                self.builtin_value(builtin, args, TyId::BOOL, span)
            }
            Special::OverflowP(builtin) => {
                for arg in &args {
                    self.check_integer(*arg, ident);
                }
                self.builtin_value(builtin, args, TyId::BOOL, span)
            }
            Special::FloatPredicate(builtin) => {
                args[0] = self.floating(args[0]);
                self.builtin_value(builtin, args, TyId::INT, span)
            }
            Special::FloatCompare(builtin) => {
                let ty = self.common_type(args[0], args[1]);
                let ty = if self.is_integer(ty) { TyId::DOUBLE } else { ty };
                let args = args.into_iter().map(|arg| self.convert(arg, ty, true)).collect();
                self.builtin_value(builtin, args, TyId::INT, span)
            }
            Special::Fpclassify => {
                for slot in args.iter_mut().take(5) {
                    *slot = self.assign_to(*slot, TyId::INT, Why::Argument(1, Some(ident.name)));
                }
                args[5] = self.floating(args[5]);
                self.builtin_value(Builtin::Fpclassify, args, TyId::INT, span)
            }
            Special::GenericBits(builtin) => {
                self.check_integer(args[0], ident);
                let kind = self.int_kind(self.ty_of(args[0])).unwrap_or(crate::types::IntKind::UInt);
                args[0] = self.convert(args[0], int_ty(unsigned_of(kind)), true);
                args.truncate(if matches!(builtin, Builtin::Clz | Builtin::Ctz) { 2 } else { 1 });
                if let Some(for_zero) = args.get(1).copied() {
                    args[1] = self.assign_to(for_zero, TyId::INT, Why::Argument(1, Some(ident.name)));
                }
                self.builtin_value(builtin, args, TyId::INT, span)
            }
            Special::AssumeAligned => {
                let pointer = self.pointer_to(QualTy::plain(TyId::VOID));
                args[0] = self.convert(args[0], pointer, true);
                self.builtin_value(Builtin::First, args, pointer, span)
            }
            Special::Same => args[0],
            Special::LikeFirst => {
                let ty = self.ty_of(args[0]);
                self.builtin_value(Builtin::Unmodelled, args, ty, span)
            }
            Special::Complex => {
                let ty = self.common_type(args[0], args[1]);
                let kind = match self.get(ty) {
                    Type::Float(kind) | Type::Complex(kind) => *kind,
                    _ => FloatKind::Double,
                };
                let ty = self.unit.types.intern(Type::Complex(kind));
                self.builtin_value(Builtin::Unmodelled, args, ty, span)
            }
            Special::Atomic(builtin) => self.atomic(builtin, ident, args, span),
            Special::SyncFetch(builtin) => {
                args.truncate(2);
                let order = self.add_int(SEQ_CST, TyId::INT, span);
                args.push(order);
                self.atomic(builtin, ident, args, span)
            }
            Special::Sync(builtin) => self.sync(builtin, ident, args, span),
            Special::C11CompareExchange(is_weak) => {
                let weak = self.add_int(i128::from(is_weak), TyId::INT, span);
                args.insert(3, weak);
                self.atomic(Builtin::AtomicCompareExchangeN, ident, args, span)
            }
            _ => self.builtin_value(Builtin::Unmodelled, args, TyId::ERROR, span),
        }
    }

    /// `__builtin_nondeterministic_value(x)`.
    fn any_like_first(&mut self, ident: Ident, args: &[Expr], span: Span) -> ExprId {
        if !self.has_enough(args.len(), 1, ident, span) {
            return self.add_error(span);
        }
        self.n_unevaluated += 1;
        let value = self.rvalue(&args[0]);
        self.n_unevaluated -= 1;
        let ty = self.ty_of(value);
        match self.get(ty) {
            Type::Int(_) | Type::Enum(_) | Type::Float(_) => self.builtin_value(Builtin::Nondet, Vec::new(), ty, span),
            _ => self.builtin_value(Builtin::Unmodelled, Vec::new(), ty, span),
        }
    }

    fn check_integer(&mut self, value: ExprId, ident: Ident) {
        let ty = self.ty_of(value);
        if !self.is_integer(ty) && ty != TyId::ERROR {
            let message = format!("`{}` needs integers, not `{}`", self.name(ident.name), self.spell(ty));
            let span = self.span_of(value);
            self.error(span, message);
        }
    }

    fn floating(&mut self, value: ExprId) -> ExprId {
        if self.is_integer(self.ty_of(value)) { self.convert(value, TyId::DOUBLE, true) } else { value }
    }

    fn constant_p(&mut self, args: &[Expr], span: Span) -> ExprId {
        let mut is_constant = false;
        if let Some(arg) = args.first() {
            let id = self.unevaluated(arg);
            self.n_unevaluated += 1;
            let value = self.value_of(id);
            self.n_unevaluated -= 1;
            let is_literal = match &self.unit.exprs[value].kind {
                ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } => {
                    matches!(self.unit.exprs[*operand].kind, ExprKind::Str { .. })
                }
                _ => false,
            };
            let is_number = self.is_real(self.ty_of(value));
            is_constant = is_literal || is_number && !self.is_error(value) && self.is_constant(value);
        }
        self.add_int(i128::from(is_constant), TyId::INT, span)
    }

    /// The classes of gcc's `typeclass.h`, as C sees them.
    fn classify_type(&mut self, args: &[Expr], span: Span) -> ExprId {
        let class = match args.first() {
            None => -1,
            Some(arg) => {
                let id = self.unevaluated(arg);
                self.n_unevaluated += 1;
                let value = self.value_of(id);
                self.n_unevaluated -= 1;
                match self.get(self.ty_of(value)) {
                    Type::Void => 0,
                    Type::Int(_) | Type::Enum(_) | Type::Unknown(_) => 1,
                    Type::Pointer(_) | Type::NullPtr => 5,
                    Type::Float(_) => 8,
                    Type::Complex(_) => 9,
                    Type::Record(id) if self.types().records[*id].is_union => 13,
                    Type::Record(_) | Type::VaList => 12,
                    Type::Array { .. } | Type::Function(_) | Type::Vector { .. } | Type::Error => -1,
                }
            }
        };
        self.add_int(class, TyId::INT, span)
    }

    fn va_builtin(&mut self, builtin: Builtin, ident: Ident, args: &[Expr], n_lists: usize, span: Span) -> ExprId {
        if !self.has_enough(args.len(), n_lists, ident, span) {
            return self.add_error(span);
        }
        let mut values = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            if at < n_lists {
                values.push(self.va_list_operand(arg));
            } else {
                // The last parameter is only named; it must not be read.
                self.unevaluated(arg);
            }
        }
        if builtin == Builtin::VaStart {
            let is_variadic = self.function.as_ref().is_some_and(|state| {
                self.function_type(self.unit.decls[state.decl].ty.ty).is_some_and(|function| function.is_variadic)
            });
            if !is_variadic {
                self.error(span, "`va_start` in a function without variable arguments");
            }
        }
        self.builtin_value(builtin, values, TyId::VOID, span)
    }

    /// The object type behind the first argument of an atomic operation.
    fn atomic_object(&mut self, ident: Ident, args: &[ExprId], span: Span) -> Option<TyId> {
        let pointer = args.first().map(|arg| self.ty_of(*arg));
        if let Some(ty) = pointer {
            self.learn_pointer(ty);
        }
        let pointee = pointer.and_then(|pointer| self.pointee(pointer));
        match pointee {
            Some(pointee) => Some(self.unqualified(pointee)),
            None => {
                if pointer != Some(TyId::ERROR) {
                    let message = format!("`{}` needs a pointer to the object", self.name(ident.name));
                    self.error(span, message);
                }
                None
            }
        }
    }

    fn atomic(&mut self, builtin: Builtin, ident: Ident, mut args: Vec<ExprId>, span: Span) -> ExprId {
        use Builtin as B;
        match builtin {
            B::AtomicThreadFence | B::AtomicSignalFence => return self.builtin_value(builtin, args, TyId::VOID, span),
            B::AtomicIsLockFree => return self.builtin_value(builtin, args, TyId::BOOL, span),
            _ => {}
        }
        let Some(object) = self.atomic_object(ident, &args, span) else { return self.add_error(span) };
        // Positions of operands that take the object's type.
        let (n_needed, value_at, ret) = match builtin {
            B::AtomicLoadN => (1, None, object),
            B::AtomicLoad | B::AtomicStore => (2, None, TyId::VOID),
            B::AtomicStoreN => (2, Some(1), TyId::VOID),
            B::AtomicExchangeN => (2, Some(1), object),
            B::AtomicExchange => (3, None, TyId::VOID),
            B::AtomicCompareExchangeN => (3, Some(2), TyId::BOOL),
            B::AtomicCompareExchange => (3, None, TyId::BOOL),
            B::AtomicTestAndSet => (1, None, TyId::BOOL),
            B::AtomicClear => (1, None, TyId::VOID),
            _ => (2, Some(1), object),
        };
        if !self.has_enough(args.len(), n_needed, ident, span) {
            return self.add_error(span);
        }
        if let Some(at) = value_at {
            // Pointers are stepped in bytes by a plain integer.
            let is_step = !matches!(builtin, B::AtomicStoreN | B::AtomicExchangeN | B::AtomicCompareExchangeN);
            let is_pointer = self.pointee(object).is_some();
            let ty = if is_step && is_pointer { self.ptrdiff_type() } else { object };
            args[at] = if is_pointer {
                self.convert(args[at], ty, true)
            } else {
                self.assign_to(args[at], ty, Why::Argument(at + 1, Some(ident.name)))
            };
        }
        let n_values = match builtin {
            B::AtomicLoadN | B::AtomicTestAndSet | B::AtomicClear => 1,
            B::AtomicExchange | B::AtomicCompareExchange | B::AtomicCompareExchangeN => 3,
            _ => 2,
        };
        for slot in args.iter_mut().skip(n_values) {
            if self.is_real(self.ty_of(*slot)) {
                *slot = self.convert(*slot, TyId::INT, true);
            }
        }
        self.builtin_value(builtin, args, ret, span)
    }

    fn sync(&mut self, builtin: Builtin, ident: Ident, mut args: Vec<ExprId>, span: Span) -> ExprId {
        if builtin == Builtin::SyncSynchronize {
            return self.builtin_value(builtin, Vec::new(), TyId::VOID, span);
        }
        let Some(object) = self.atomic_object(ident, &args, span) else { return self.add_error(span) };
        let (n_args, ret) = match builtin {
            Builtin::SyncBoolCompareAndSwap => (3, TyId::BOOL),
            Builtin::SyncValCompareAndSwap => (3, object),
            Builtin::SyncLockTestAndSet => (2, object),
            _ => (1, TyId::VOID),
        };
        if !self.has_enough(args.len(), n_args, ident, span) {
            return self.add_error(span);
        }
        args.truncate(n_args);
        for slot in args.iter_mut().skip(1) {
            *slot = self.convert(*slot, object, true);
        }
        self.builtin_value(builtin, args, ret, span)
    }

    /// The function type a signature of the built-in table spells.
    pub(super) fn signature_type(&mut self, signature: &str) -> TyId {
        let mut codes = signature.split(' ');
        let ret = QualTy::plain(codes.next().map_or(TyId::VOID, |code| self.code_type(code)));
        let mut params = Vec::new();
        let mut is_variadic = false;
        for code in codes {
            if code == "." {
                is_variadic = true;
            } else {
                let ty = self.code_type(code);
                params.push(self.adjust_parameter(QualTy::plain(ty)).ty);
            }
        }
        self.unit.types.intern(Type::Function(FunctionType { ret, params, is_variadic, has_prototype: true }))
    }

    fn code_type(&mut self, code: &str) -> TyId {
        let mut quals = QualSet::NONE;
        let mut ty = TyId::VOID;
        for letter in code.chars() {
            match letter {
                'K' => quals = QualSet::CONST,
                '*' => {
                    ty = self.pointer_to(QualTy { ty, quals });
                    quals = QualSet::NONE;
                }
                _ => ty = self.letter_type(letter),
            }
        }
        ty
    }

    fn letter_type(&mut self, letter: char) -> TyId {
        let is_lp64 = self.types().target == crate::types::Target::Lp64;
        match letter {
            'b' => TyId::BOOL,
            'c' => TyId::CHAR,
            'C' => TyId::SCHAR,
            'h' => TyId::UCHAR,
            's' => TyId::SHORT,
            'H' => TyId::USHORT,
            'i' => TyId::INT,
            'u' | 'W' => TyId::UINT,
            'l' => TyId::LONG,
            'm' => TyId::ULONG,
            'L' => TyId::LONGLONG,
            'M' => TyId::ULONGLONG,
            'q' => TyId::INT128,
            'Q' => TyId::UINT128,
            'U' if is_lp64 => TyId::ULONG,
            'U' => TyId::ULONGLONG,
            'f' => TyId::FLOAT,
            'd' => TyId::DOUBLE,
            'e' => TyId::LONGDOUBLE,
            'F' => self.unit.types.intern(Type::Float(FloatKind::Float128)),
            '1' => self.unit.types.intern(Type::Float(FloatKind::Float32)),
            '2' => self.unit.types.intern(Type::Float(FloatKind::Float64)),
            '3' => self.unit.types.intern(Type::Float(FloatKind::Float32x)),
            '4' => self.unit.types.intern(Type::Float(FloatKind::Float64x)),
            '5' => self.unit.types.intern(Type::Float(FloatKind::Float16)),
            'z' => self.size_type(),
            'Z' => self.ptrdiff_type(),
            'w' => self.wide_char_type(),
            'A' => TyId::VALIST,
            _ => TyId::VOID,
        }
    }
}
