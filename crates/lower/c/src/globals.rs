//! Static objects: names, sizes, and initial contents as bytes with pointers laid over them.

use unpick_base::{Diagnostic, Severity, Span};
use unpick_program::program::{Address, Global, GlobalId, GlobalInit, Loc, Ty};

use super::class::{self, Class};
use super::missing::MissingMode;
use super::{DeclRef, Lowering, Work};
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Init, Linkage, Storage, Unit};
use unpick_front_c::consteval::{AddressBase, ConstValue, ExprView, eval_const};
use unpick_front_c::types::{ArrayExtent, QualTy, TyId, Type};

/// Elements of an undefined array of unspecified length.
const ASSUMED_ELEMENTS: u64 = 64;

/// Contents under construction; what lies beyond `bytes` is zero.
#[derive(Default)]
pub(super) struct Image {
    pub bytes: Vec<u8>,
    pub pointers: Vec<(u64, Address)>,
}

impl Image {
    fn write(&mut self, offset: u64, value: &[u8]) {
        self.forget(offset, value.len() as u64);
        let end = offset as usize + value.len();
        if self.bytes.len() < end {
            // Zeros at the end need not be stored.
            if value.iter().all(|byte| *byte == 0) && self.bytes.len() <= offset as usize {
                return;
            }
            self.bytes.resize(end, 0);
        }
        self.bytes[offset as usize..end].copy_from_slice(value);
    }

    /// Later initialisers override earlier ones, so a pointer that was there goes.
    fn forget(&mut self, offset: u64, len: u64) {
        self.pointers.retain(|(at, _)| *at < offset || *at >= offset + len);
    }

    fn write_pointer(&mut self, offset: u64, address: Address, pointer_bytes: u64) {
        self.write(offset, &vec![0; pointer_bytes as usize]);
        let at = self.pointers.partition_point(|(other, _)| *other < offset);
        self.pointers.insert(at, (offset, address));
    }

    fn write_bits(&mut self, offset: u64, bit_offset: u32, width: u32, value: u128) {
        let end = offset as usize + ((bit_offset + width) as usize).div_ceil(8);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        for bit in 0..width {
            let position = (bit_offset + bit) as usize;
            let byte = &mut self.bytes[offset as usize + position / 8];
            let mask = 1u8 << (position % 8);
            *byte = if value >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
        }
    }
}

/// Whether an object of the type must never be written. What is volatile as well is written from outside.
fn is_constant(unit: &Unit, ty: QualTy) -> bool {
    match unit.types.get(ty.ty) {
        Type::Array { element, .. } => is_constant(unit, element.with(ty.quals)),
        _other => ty.is_const() && !ty.is_volatile(),
    }
}

impl Lowering<'_> {
    /// Enters a static object without contents.
    pub(super) fn new_global(&mut self, at: DeclRef, is_defined: bool, enclosing: Option<&str>) -> GlobalId {
        let unit = self.unit(at.unit);
        let decl = &unit.decls[at.decl];
        let source_name = self.session.interner.name(decl.name).to_owned();
        let (linkage, storage, explicit) = match &decl.kind {
            DeclKind::Var(var) => (var.linkage, var.storage, var.align.unwrap_or(1)),
            DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => {
                (Linkage::None, Storage::Static, 1)
            }
        };
        let name = match (linkage, enclosing) {
            (Linkage::None, Some(function)) => format!("{function}::{source_name}"),
            (Linkage::Internal, _) => self.internal_name(&unit, &source_name),
            (Linkage::None, None) | (Linkage::External, _) => source_name.clone(),
        };
        let mut size = unit.types.size_of(decl.ty.ty).unwrap_or(0);
        let mut what = "to hold any value".to_owned();
        if let (false, Type::Array { element, extent: ArrayExtent::Unknown }) = (is_defined, unit.types.get(decl.ty.ty))
        {
            size = unit.types.size_of(element.ty).unwrap_or(0) * ASSUMED_ELEMENTS;
            what = format!("to be an array of {ASSUMED_ELEMENTS} elements that hold any value");
        }
        if !is_defined && self.options.missing.default == MissingMode::Fail {
            self.complain_about_missing(decl.span, &format!("`{source_name}` is defined nowhere"));
        }
        let any = (!is_defined).then(|| format!("`{source_name}` is defined nowhere: assumed {what}"));
        // What calls of the library share without a promise that this is no race, see docs/library.md.
        let is_racing = source_name.starts_with("shared_") && self.options.options.get("library-races") == Some(&1);
        let global = Global {
            name: self.unique_name(&name),
            source_name: Some(source_name),
            size,
            align: unit.types.align_of_qualified(decl.ty).unwrap_or(1).max(explicit),
            init: GlobalInit { any, ..GlobalInit::default() },
            is_thread_local: storage == Storage::ThreadLocal,
            is_read_only: is_defined && is_constant(&unit, decl.ty),
            is_model: self.units[at.unit].is_model && !is_racing,
            shape: Some(self.shape(at.unit, decl.ty.ty)),
            loc: self.loc(decl.span),
        };
        self.program.globals.push(global)
    }

    /// Gives a static object its initial contents.
    pub(super) fn fill_global(&mut self, id: GlobalId, at: DeclRef) {
        let unit = self.unit(at.unit);
        let decl = &unit.decls[at.decl];
        let DeclKind::Var(var) = &decl.kind else { return };
        let Some(init) = &var.init else { return };
        self.fill(id, at.unit, &unit, decl.ty.ty, init, decl.span);
    }

    /// The same for a compound literal.
    pub(super) fn fill_literal(&mut self, id: GlobalId, unit_index: usize, expr: ExprId) {
        let unit = self.unit(unit_index);
        let node = &unit.exprs[expr];
        if let ExprKind::CompoundLiteral { init, .. } = &node.kind {
            self.fill(id, unit_index, &unit, node.ty.ty, init, node.span);
        }
    }

    fn fill(&mut self, id: GlobalId, unit_index: usize, unit: &Unit, ty: TyId, init: &Init, span: Span) {
        let mut image = Image::default();
        if let Err(bad) = self.write_init(unit_index, unit, &mut image, 0, ty, init) {
            self.complain_about_init(bad.map_or(span, |expr| unit.exprs[expr].span));
        }
        let end = image.pointers.last().map_or(0, |(at, _)| at + u64::from(self.program.pointer_bytes));
        let global = &mut self.program.globals[id];
        // A flexible array member with an initialiser makes the object larger than its type.
        global.size = global.size.max(image.bytes.len() as u64).max(end);
        global.init = GlobalInit { bytes: image.bytes, pointers: image.pointers, any: None };
    }

    pub(super) fn complain_about_init(&mut self, span: Span) {
        self.session.diagnostics.push(
            Diagnostic::new(Severity::Error, span, "initialiser of a static object is not constant")
                .help("give the object its value at run time"),
        );
    }

    /// Writes an initialiser of a type at an offset; `Err` names the expression that is not constant.
    pub(super) fn write_init(
        &mut self,
        unit_index: usize,
        unit: &Unit,
        image: &mut Image,
        offset: u64,
        ty: TyId,
        init: &Init,
    ) -> Result<(), Option<ExprId>> {
        match init {
            Init::Expr(expr) => self.write_expr(unit_index, unit, image, offset, ty, *expr),
            Init::Str { units, unit_bytes } => {
                let room = unit.types.size_of(ty).unwrap_or(u64::MAX);
                for (index, code) in units.iter().enumerate() {
                    let at = index as u64 * unit_bytes;
                    if at + unit_bytes <= room {
                        image.write(offset + at, &code.to_le_bytes()[..*unit_bytes as usize]);
                    }
                }
                // The end of the object is known even if its last units are zeros.
                if let Type::Array { extent: ArrayExtent::Unknown, .. } = unit.types.get(ty) {
                    let end = (offset + (units.len() as u64 + 1) * unit_bytes) as usize;
                    image.bytes.resize(image.bytes.len().max(end), 0);
                }
                Ok(())
            }
            Init::List { ty: list_ty, entries } => match unit.types.get(*list_ty) {
                Type::Array { element: QualTy { ty: element, .. }, .. } | Type::Vector { element, .. } => {
                    let stride = unit.types.size_of(*element).unwrap_or(0);
                    for entry in entries {
                        for index in entry.index..=entry.last {
                            let at = offset + index * stride;
                            self.write_init(unit_index, unit, image, at, *element, &entry.init)?;
                        }
                    }
                    Ok(())
                }
                Type::Record(record) => {
                    for entry in entries {
                        let field = &unit.types.records[*record].fields[entry.index as usize];
                        let at = offset + field.offset;
                        match (field.bits, &entry.init) {
                            (Some(width), Init::Expr(expr)) => {
                                let Some(ConstValue::Int(value)) = evaluate(unit, *expr) else {
                                    return Err(Some(*expr));
                                };
                                image.write_bits(at, field.bit_offset, width, value as u128);
                            }
                            _whole => self.write_init(unit_index, unit, image, at, field.ty.ty, &entry.init)?,
                        }
                    }
                    Ok(())
                }
                _scalar => match entries.last() {
                    Some(entry) => self.write_init(unit_index, unit, image, offset, *list_ty, &entry.init),
                    None => Ok(()),
                },
            },
        }
    }

    fn write_expr(
        &mut self,
        unit_index: usize,
        unit: &Unit,
        image: &mut Image,
        offset: u64,
        ty: TyId,
        expr: ExprId,
    ) -> Result<(), Option<ExprId>> {
        let Class::Scalar(scalar) = class::class_of(&unit.types, ty) else {
            let Some((ty, init)) = initialiser_behind(unit, expr) else { return Err(Some(expr)) };
            return self.write_init(unit_index, unit, image, offset, ty, init);
        };
        let size = class::bytes_of(scalar, self.program.pointer_bytes);
        match evaluate(unit, expr).ok_or(Some(expr))? {
            ConstValue::Int(value) => image.write(offset, &value.to_le_bytes()[..size.min(16) as usize]),
            ConstValue::Float { bits, .. } => {
                let value_bytes = if scalar == Ty::F80 { 10 } else { size };
                image.write(offset, &bits.to_le_bytes()[..value_bytes as usize]);
            }
            ConstValue::Address { base: AddressBase::Null, offset: value } => {
                image.write(offset, &value.to_le_bytes()[..size.min(16) as usize]);
            }
            ConstValue::Address { base: AddressBase::Decl(decl), .. } if self.is_absent(unit_index, unit, decl) => {
                image.write(offset, &vec![0; size as usize]);
            }
            ConstValue::Address { base, offset: inner } => {
                let address = self.constant_address(unit_index, unit, base, inner).ok_or(Some(expr))?;
                if size != u64::from(self.program.pointer_bytes) {
                    return Err(Some(expr));
                }
                image.write_pointer(offset, address, size);
            }
        }
        Ok(())
    }

    /// Whether a declaration is an undefined weak function, whose address is null.
    fn is_absent(&mut self, unit: usize, tree: &Unit, decl: DeclId) -> bool {
        match &tree.decls[decl].kind {
            DeclKind::Function(function) => function.is_weak && !self.is_defined(DeclRef { unit, decl }),
            DeclKind::Var(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => false,
        }
    }

    fn constant_address(&mut self, unit_index: usize, unit: &Unit, base: AddressBase, offset: i128) -> Option<Address> {
        let offset = i64::try_from(offset).ok()?;
        match base {
            AddressBase::Null => None,
            AddressBase::Decl(decl) => {
                let at = DeclRef { unit: unit_index, decl };
                Some(match unit.decls[decl].kind {
                    DeclKind::Function(_) => Address::Func(self.function_id(at)),
                    DeclKind::Var(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => {
                        let (global, base) = self.global_place(at, None);
                        Address::Global(global, base.wrapping_add(offset))
                    }
                })
            }
            AddressBase::Str(expr) => Some(Address::Global(self.string_of(unit, expr)?, offset)),
            AddressBase::CompoundLiteral(expr) => Some(Address::Global(self.literal(unit_index, unit, expr), offset)),
            AddressBase::Label(label) => {
                let (func, block) = *self.labels.get(&(unit_index, label))?;
                Some(Address::Label(func, block))
            }
        }
    }

    /// The object of a string literal expression.
    pub(super) fn string_of(&mut self, unit: &Unit, expr: ExprId) -> Option<GlobalId> {
        let node = &unit.exprs[expr];
        let ExprKind::Str { units, .. } = &node.kind else { return None };
        let Type::Array { element, .. } = unit.types.get(node.ty.ty) else { return None };
        let unit_bytes = unit.types.size_of(element.ty).unwrap_or(1);
        let size = unit.types.size_of(node.ty.ty).unwrap_or((units.len() as u64 + 1) * unit_bytes);
        let mut bytes: Vec<u8> =
            units.iter().flat_map(|code| code.to_le_bytes().into_iter().take(unit_bytes as usize)).collect();
        bytes.resize(size as usize, 0);
        Some(self.string(bytes, unit_bytes, node.span))
    }

    /// The read-only object with these bytes; equal literals share one.
    pub(super) fn string(&mut self, bytes: Vec<u8>, align: u64, span: Span) -> GlobalId {
        if let Some(&id) = self.strings.get(&(bytes.clone(), align)) {
            return id;
        }
        let name = self.unique_name(&format!("str.{}", self.strings.len()));
        let global = Global {
            name,
            source_name: None,
            size: bytes.len() as u64,
            align,
            init: GlobalInit { bytes: bytes.clone(), ..GlobalInit::default() },
            is_thread_local: false,
            is_read_only: true,
            is_model: false,
            shape: None,
            loc: self.loc(span),
        };
        let id = self.program.globals.push(global);
        self.strings.insert((bytes, align), id);
        id
    }

    /// A text that the program is started with, which it may change.
    pub(super) fn argument_text(&mut self, word: &str) -> GlobalId {
        let mut bytes = word.as_bytes().to_vec();
        bytes.push(0);
        let name = self.unique_name("argument");
        let global = Global {
            name,
            source_name: None,
            size: bytes.len() as u64,
            align: 1,
            init: GlobalInit { bytes, ..GlobalInit::default() },
            is_thread_local: false,
            is_read_only: false,
            is_model: false,
            shape: None,
            loc: Loc::NONE,
        };
        self.program.globals.push(global)
    }

    /// The object of a compound literal with static storage.
    pub(super) fn literal(&mut self, unit_index: usize, unit: &Unit, expr: ExprId) -> GlobalId {
        if let Some(&id) = self.literals.get(&(unit_index, expr)) {
            return id;
        }
        let node = &unit.exprs[expr];
        let id = self.unnamed_global("literal", unit_index, unit, node.ty.ty, node.span);
        self.literals.insert((unit_index, expr), id);
        self.work.push(Work::Literal(id, unit_index, expr));
        id
    }

    /// A static object without a source name.
    pub(super) fn unnamed_global(
        &mut self,
        prefix: &str,
        unit_index: usize,
        unit: &Unit,
        ty: TyId,
        span: Span,
    ) -> GlobalId {
        let name = self.unique_name(&format!("{prefix}.{}", self.program.globals.len()));
        let shape = Some(self.shape(unit_index, ty));
        let loc = if span == Span::NONE { Loc::NONE } else { self.loc(span) };
        self.program.globals.push(Global {
            name,
            source_name: None,
            size: unit.types.size_of(ty).unwrap_or(0),
            align: unit.types.align_of(ty).unwrap_or(1),
            init: GlobalInit::default(),
            is_thread_local: false,
            is_read_only: false,
            is_model: self.units[unit_index].is_model,
            shape,
            loc,
        })
    }
}

pub(super) fn evaluate(unit: &Unit, expr: ExprId) -> Option<ConstValue> {
    eval_const(&ExprView { types: &unit.types, exprs: &unit.exprs, decls: &unit.decls }, expr)
}

/// The initialiser of the object whose value an aggregate expression is: a compound literal, or a
/// constant object.
fn initialiser_behind(unit: &Unit, expr: ExprId) -> Option<(TyId, &Init)> {
    let node = &unit.exprs[expr];
    match &node.kind {
        ExprKind::Cast { kind: CastKind::Load | CastKind::NoOp, operand, .. } => initialiser_behind(unit, *operand),
        ExprKind::CompoundLiteral { init, .. } => Some((node.ty.ty, init)),
        ExprKind::Decl(decl) => match &unit.decls[*decl].kind {
            DeclKind::Var(var) if unit.decls[*decl].ty.is_const() => Some((node.ty.ty, var.init.as_ref()?)),
            DeclKind::Var(_) | DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => None,
        },
        _other => None,
    }
}
