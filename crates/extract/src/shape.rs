//! Representation of C types in Promela: scalars by width, arrays and records as they are; types that do not fit are
//! not held.
//!
//! Types up to `int` are exact: Promela cuts values at the same widths, or the translation does. Wider and unsigned types
//! are held in an `int`; that is right as long as their values fit, which is said as an assumption. Pointers are numbers
//! of objects, see `pool`.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use unpick_base::{Interner, SourceMap};
use unpick_front_c::ast::{CastKind, DeclKind, ExprKind, Unit};
use unpick_front_c::types::{ArrayExtent, EnumId, Field, IntKind, RecordId, TyId, Type};
use unpick_front_promela::syntax::TypeName;

use crate::effect::record_key;
use crate::names;
use crate::pool::{Pools, pointee};

/// Objects beyond this many bytes would only fill states.
const MAX_BYTES: u64 = 1024;

/// How an object is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A number.
    Scalar(Scalar),
    /// Several of one shape.
    Array(Box<Shape>, u64),
    /// A record with this key.
    Record(String),
}

/// How a number is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// The type.
    pub ty: TypeName,
    /// Bits, for `unsigned`.
    pub width: Option<i32>,
    /// Whether every value of the C type fits.
    pub is_exact: bool,
    /// Whether it stands for a lock, a semaphore or the like: it starts as zero, whatever its initialiser spells.
    pub is_lock: bool,
}

impl Scalar {
    fn exact(ty: TypeName) -> Option<Scalar> {
        Some(Scalar { ty, width: None, is_exact: true, is_lock: false })
    }

    /// The shape of a lock: its holder.
    pub fn lock() -> Shape {
        Shape::Scalar(Scalar { ty: TypeName::Byte, width: None, is_exact: true, is_lock: true })
    }

    /// What a semaphore, or a set of threads that wait, needs.
    pub fn counter() -> Shape {
        Shape::Scalar(Scalar { ty: TypeName::Int, width: None, is_exact: true, is_lock: true })
    }

    /// A small number, as that of a thread.
    pub fn byte() -> Shape {
        Shape::Scalar(Scalar { ty: TypeName::Byte, width: None, is_exact: true, is_lock: false })
    }

    /// A number.
    pub fn int() -> Shape {
        Shape::Scalar(Scalar { ty: TypeName::Int, width: None, is_exact: true, is_lock: false })
    }
}

/// A record type of the model.
#[derive(Clone, Debug)]
pub struct RecordShape {
    /// Its name in the model.
    pub name: String,
    /// Its fields that the model holds: position, name, shape.
    pub fields: Vec<(u32, String, Shape)>,
}

/// Shapes of all types of a program.
pub struct Shapes<'a> {
    interner: &'a Interner,
    sources: &'a SourceMap,
    /// Records by key; `None` while one is being looked at, or if nothing of it is held.
    records: RefCell<HashMap<String, Option<RecordShape>>>,
    /// Shapes of fields that the library knows better than their type.
    fields: HashMap<(String, u32), Shape>,
    names: RefCell<BTreeMap<String, String>>,
    /// Names that mean something else.
    taken: HashSet<String>,
    /// What pointers may point to.
    pools: Rc<Pools>,
    /// Members of unions that the program uses.
    union_members: HashMap<String, HashSet<u32>>,
    /// Enumerations whose objects may hold other values than enumerators.
    open_enums: HashSet<String>,
    /// Records that are locks, semaphores and the like, by key.
    locks: HashMap<String, Shape>,
}

/// Why something cannot be represented in the model.
pub type Untranslatable = String;

impl<'a> Shapes<'a> {
    /// No types yet.
    pub fn new(
        interner: &'a Interner,
        sources: &'a SourceMap,
        fields: HashMap<(String, u32), Shape>,
        taken: HashSet<String>,
        pools: Rc<Pools>,
        union_members: HashMap<String, HashSet<u32>>,
        open_enums: HashSet<String>,
    ) -> Self {
        let (records, names, locks) = (RefCell::default(), RefCell::default(), HashMap::new());
        Self { interner, sources, records, fields, names, taken, pools, union_members, open_enums, locks }
    }

    /// With records that are held as locks, by key.
    pub fn with_locks(self, locks: HashMap<String, Shape>) -> Self {
        Self { locks, ..self }
    }

    /// How an object of this type is held.
    pub fn shape(&self, unit: &Unit, index: usize, ty: TyId) -> Result<Shape, Untranslatable> {
        let shape = self.any_size(unit, index, ty)?;
        let bytes = self.bytes(&shape);
        if bytes > MAX_BYTES {
            return Err(format!("takes {bytes} bytes of every state"));
        }
        Ok(shape)
    }

    fn any_size(&self, unit: &Unit, index: usize, ty: TyId) -> Result<Shape, Untranslatable> {
        match unit.types.get(ty) {
            Type::Int(kind) => int_shape(*kind).map(Shape::Scalar).ok_or("has 128 bits".to_owned()),
            Type::Enum(id) => {
                let values = unit.types.enums[*id].enumerators.iter().filter_map(|decl| match unit.decls[*decl].kind {
                    DeclKind::Enumerator { value } => Some(value),
                    _ => None,
                });
                let is_small = values.clone().all(|value| (0..=255).contains(&value)) && values.count() > 0;
                if is_small && !self.open_enums.contains(&enum_key(unit, *id, index, self.sources)) {
                    return Ok(Scalar::byte());
                }
                let kind = unit.types.int_kind_of(ty).ok_or("has no counterpart")?;
                int_shape(kind).map(Shape::Scalar).ok_or("has 128 bits".to_owned())
            }
            Type::Unknown(_) => {
                Ok(Shape::Scalar(Scalar { ty: TypeName::Int, width: None, is_exact: false, is_lock: false }))
            }
            Type::Array { element, extent: ArrayExtent::Fixed(n) } if *n > 0 => {
                let element = self.any_size(unit, index, element.ty)?;
                Ok(Shape::Array(Box::new(element), *n))
            }
            Type::Array { .. } => Err("is an array without a fixed size".into()),
            Type::Record(record) => self.record(unit, index, *record),
            Type::Float(_) | Type::Complex(_) => Err("is a floating-point number".into()),
            Type::Pointer(to) => {
                let pointee = pointee(unit, index, to.ty, self.sources).ok_or("is a pointer to anything")?;
                // The numbers of a pool fit a byte.
                match self.pools.of(&pointee).size {
                    0 => Err("is a pointer to nothing that is known".into()),
                    _ => Ok(Scalar::byte()),
                }
            }
            Type::NullPtr => Err("is a pointer".into()),
            Type::Void | Type::Function(_) | Type::Vector { .. } | Type::VaList | Type::Error => {
                Err("has a type without a counterpart".into())
            }
        }
    }

    fn record(&self, unit: &Unit, index: usize, record: RecordId) -> Result<Shape, Untranslatable> {
        let item = &unit.types.records[record];
        let key = record_key(unit, record, index, self.sources);
        if let Some(shape) = self.locks.get(&key) {
            return Ok(shape.clone());
        }
        // A union of which the program only ever uses one member is a record with this member.
        let used = self.union_members.get(&key);
        if item.is_union && used.is_none_or(|used| used.len() != 1) {
            return Err("is a union".into());
        }
        if let Some(known) = self.records.borrow().get(&key) {
            return known.as_ref().map(|_| Shape::Record(key)).ok_or("is a record of which nothing is held".into());
        }
        self.records.borrow_mut().insert(key.clone(), None);
        let mut fields = Vec::new();
        for (position, field) in item.fields.iter().enumerate() {
            let is_unused = item.is_union && used.is_some_and(|used| !used.contains(&(position as u32)));
            let Some(name) = field.name.filter(|_| !is_unused) else { continue };
            let better = self.fields.get(&(key.clone(), position as u32)).cloned();
            let shape = match better {
                Some(shape) => wrapped(unit, field.ty.ty, shape),
                None => match field.bits.map_or_else(|| self.shape(unit, index, field.ty.ty), |n| bits(unit, field, n))
                {
                    Ok(shape) => shape,
                    Err(_) => continue,
                },
            };
            // A bit-field cuts what it is given, as narrow unsigned numbers do.
            let shape = match (field.bits, unit.types.int_kind_of(field.ty.ty)) {
                (None, _) | (Some(_), Some(IntKind::Bool)) => shape,
                (Some(bits), Some(kind)) if !kind.is_signed() && bits <= 16 => Shape::Scalar(Scalar {
                    ty: TypeName::Unsigned,
                    width: Some(bits as i32),
                    is_exact: true,
                    is_lock: false,
                }),
                (Some(_), _) => continue,
            };
            fields.push((position as u32, names::allowed(self.interner.name(name)), shape));
        }
        if fields.is_empty() {
            return Err("is a record of which nothing is held".into());
        }
        let name = self.record_name(unit, record, &key);
        self.records.borrow_mut().insert(key.clone(), Some(RecordShape { name, fields }));
        Ok(Shape::Record(key))
    }

    /// The tag, or the name that a typedef gives.
    fn record_name(&self, unit: &Unit, record: RecordId, key: &str) -> String {
        let tag = unit.types.records[record].tag.map(|tag| self.interner.name(tag).to_owned());
        let alias = || {
            let is_alias = |kind: &DeclKind| matches!(kind, DeclKind::Typedef);
            let mut aliases = unit.decls.iter().filter(|decl| is_alias(&decl.kind));
            let found = aliases.find(|decl| unit.types.record_of(decl.ty.ty) == Some(record));
            found.map(|decl| self.interner.name(decl.name).to_owned())
        };
        let base = tag.or_else(alias).unwrap_or("record".into());
        let base = if self.taken.contains(&base) || names::is_system_record(&base) {
            format!("{base}_record")
        } else {
            names::allowed(&base)
        };
        let mut names = self.names.borrow_mut();
        let mut name = base.clone();
        let mut count = 1;
        while names.get(&name).is_some_and(|owner| owner != key) {
            count += 1;
            name = format!("{base}_{count}");
        }
        names.insert(name.clone(), key.to_owned());
        name
    }

    /// The record with this key.
    pub fn record_shape(&self, key: &str) -> Option<RecordShape> {
        self.records.borrow().get(key).cloned().flatten()
    }

    /// Keys of the records of which something is held, by name.
    pub fn used_records(&self) -> Vec<String> {
        self.names.borrow().values().cloned().collect()
    }

    /// The name and shape of a field that the model holds.
    pub fn field(&self, key: &str, position: u32) -> Option<(String, Shape)> {
        let records = self.records.borrow();
        let record = records.get(key)?.as_ref()?;
        let field = record.fields.iter().find(|(at, _, _)| *at == position)?;
        Some((field.1.clone(), field.2.clone()))
    }

    fn bytes(&self, shape: &Shape) -> u64 {
        match shape {
            Shape::Scalar(scalar) => match scalar.ty {
                TypeName::Bit | TypeName::Bool | TypeName::Byte => 1,
                TypeName::Short => 2,
                _ => 4,
            },
            Shape::Array(element, n) => self.bytes(element).saturating_mul(*n),
            Shape::Record(key) => {
                let record = self.record_shape(key);
                record.map_or(0, |record| record.fields.iter().map(|(_, _, shape)| self.bytes(shape)).sum())
            }
        }
    }
}

/// Enumerations whose objects get values other than enumerators, or unknown ones: by arithmetic, by conversion.
pub fn open_enums(units: &[Unit], sources: &SourceMap) -> HashSet<String> {
    let mut open = HashSet::new();
    for (index, unit) in units.iter().enumerate() {
        for node in unit.exprs.iter() {
            let ty = match node.kind {
                ExprKind::Cast { kind: CastKind::IntToInt, operand, .. } => {
                    let is_known =
                        matches!(unit.exprs[operand].kind, ExprKind::Int(value) if (0..=255).contains(&value));
                    let is_same = unit.exprs[operand].ty.ty == node.ty.ty;
                    if is_known || is_same {
                        continue;
                    }
                    node.ty.ty
                }
                ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => unit.exprs[lhs].ty.ty,
                _ => continue,
            };
            if let Type::Enum(id) = unit.types.get(ty) {
                open.insert(enum_key(unit, *id, index, sources));
            }
        }
    }
    open
}

/// What tells an enumeration from others in all units of a program.
fn enum_key(unit: &Unit, id: EnumId, index: usize, sources: &SourceMap) -> String {
    let first = unit.types.enums[id].enumerators.first();
    match first.and_then(|decl| sources.place(unit.decls[*decl].span.lo)) {
        Some(place) => format!("{}:{}:{}", place.file, place.line, place.column),
        None => format!("{index}:{}", id.0),
    }
}

/// A bit-field: Promela cuts unsigned numbers to their width, too.
fn bits(unit: &Unit, field: &Field, width: u32) -> Result<Shape, Untranslatable> {
    let is_unsigned = unit.types.int_kind_of(field.ty.ty).is_some_and(|kind| {
        matches!(kind, IntKind::UChar | IntKind::UShort | IntKind::UInt | IntKind::ULong | IntKind::ULongLong)
    });
    match (unit.types.get(field.ty.ty), width) {
        (Type::Int(IntKind::Bool), _) => {
            Ok(Shape::Scalar(Scalar { ty: TypeName::Bool, width: None, is_exact: true, is_lock: false }))
        }
        (Type::Int(_), 1..=16) if is_unsigned => {
            let scalar = Scalar { ty: TypeName::Unsigned, width: Some(width as i32), is_exact: true, is_lock: false };
            Ok(Shape::Scalar(scalar))
        }
        _ => Err("is a bit-field".into()),
    }
}

/// An array of the library's shape where the field is an array.
pub fn wrapped(unit: &Unit, ty: TyId, shape: Shape) -> Shape {
    match unit.types.get(ty) {
        Type::Array { element, extent: ArrayExtent::Fixed(n) } => {
            Shape::Array(Box::new(wrapped(unit, element.ty, shape)), *n)
        }
        _ => shape,
    }
}

/// The shape that the name of a type of Promela means.
pub fn promela_type(name: &str) -> Option<Shape> {
    let ty = match name {
        "bit" => TypeName::Bit,
        "bool" => TypeName::Bool,
        "byte" => TypeName::Byte,
        "short" => TypeName::Short,
        "int" => TypeName::Int,
        _ => return None,
    };
    Some(Shape::Scalar(Scalar { ty, width: None, is_exact: true, is_lock: false }))
}

fn int_shape(kind: IntKind) -> Option<Scalar> {
    match kind {
        IntKind::Bool => Scalar::exact(TypeName::Bool),
        IntKind::UChar => Scalar::exact(TypeName::Byte),
        IntKind::Char | IntKind::SChar | IntKind::Short => Scalar::exact(TypeName::Short),
        IntKind::UShort => Some(Scalar { ty: TypeName::Unsigned, width: Some(16), is_exact: true, is_lock: false }),
        IntKind::Int => Scalar::exact(TypeName::Int),
        IntKind::UInt | IntKind::Long | IntKind::ULong | IntKind::LongLong | IntKind::ULongLong => {
            Some(Scalar { ty: TypeName::Int, width: None, is_exact: false, is_lock: false })
        }
        IntKind::Int128 | IntKind::UInt128 => None,
    }
}
