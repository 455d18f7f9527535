//! Linking of record types: compatible definitions in several units (C11 6.2.7) become one type.
//!
//! A struct that two files write down alike is one type, and a pointer to it leads from one file into the other (C11
//! 6.2.7). Records are told apart by where they are defined, so what belongs together gets one place: the first
//! definition's. Declarations without members belong to the only definition with their tag.

use std::collections::{BTreeMap, HashMap};

use unpick_base::{Span, Symbol};
use unpick_front_c::ast::{DeclKind, Unit};
use unpick_front_c::types::{QualTy, Record, RecordId, TyId, Type};

/// Whether it is a union, whether the name is a tag, and the name.
type RecordName = (bool, bool, Symbol);

/// Gives records that are one type in several units one place.
pub fn records(units: &mut [Unit]) {
    if units.len() < 2 {
        return;
    }
    // What is behind a name: how it looks, with where it is defined first.
    let mut known: HashMap<RecordName, BTreeMap<String, Span>> = HashMap::new();
    let mut named: Vec<Vec<(RecordId, RecordName, Option<String>)>> = Vec::new();
    for unit in units.iter() {
        let aliases = aliases(unit);
        let mut own = Vec::new();
        for (id, record) in unit.types.records.iter_enumerated() {
            let name = record.tag.or_else(|| aliases.get(&id).copied());
            let Some(name) = name.filter(|_| !record.is_local) else { continue };
            let name = (record.is_union, record.tag.is_some(), name);
            let structure = record.layout.is_some().then(|| structure(unit, record));
            if let Some(structure) = &structure {
                known.entry(name).or_default().entry(structure.clone()).or_insert(record.span);
            }
            own.push((id, name, structure));
        }
        named.push(own);
    }
    for (unit, own) in units.iter_mut().zip(named) {
        for (id, name, structure) in own {
            let Some(definitions) = known.get(&name) else { continue };
            let span = match structure {
                Some(structure) => definitions.get(&structure),
                None => definitions.values().next().filter(|_| definitions.len() == 1),
            };
            if let Some(span) = span {
                unit.types.records[id].span = *span;
            }
        }
    }
}

/// The names that typedefs give to records without a tag.
fn aliases(unit: &Unit) -> HashMap<RecordId, Symbol> {
    let mut aliases = HashMap::new();
    for decl in unit.decls.iter().filter(|decl| matches!(decl.kind, DeclKind::Typedef)) {
        if let Type::Record(record) = unit.types.get(decl.ty.ty) {
            aliases.entry(*record).or_insert(decl.name);
        }
    }
    aliases
}

/// The parts of a record that have to agree in all units.
fn structure(unit: &Unit, record: &Record) -> String {
    let fields: Vec<String> = record
        .fields
        .iter()
        .map(|field| {
            let ty = qualified(unit, field.ty);
            format!("{:?} {ty} {:?} {:?} {}", field.name, field.bits, field.align_attr, field.is_packed)
        })
        .collect();
    let Record { is_union, is_packed, align_attr, pack, .. } = record;
    format!("{is_union} {is_packed} {align_attr:?} {pack:?} {{{}}}", fields.join(";"))
}

fn qualified(unit: &Unit, ty: QualTy) -> String {
    format!("{:?} {}", ty.quals, type_structure(unit, ty.ty))
}

fn type_structure(unit: &Unit, ty: TyId) -> String {
    match unit.types.get(ty) {
        // What is behind a pointer has a look of its own.
        Type::Pointer(to) => match unit.types.get(to.ty) {
            Type::Record(id) if unit.types.records[*id].tag.is_some() => {
                format!("{:?} *{:?}", to.quals, unit.types.records[*id].tag)
            }
            _ => format!("*({})", qualified(unit, *to)),
        },
        Type::Array { element, extent } => format!("({})[{extent:?}]", qualified(unit, *element)),
        Type::Function(function) => {
            let params: Vec<String> = function.params.iter().map(|param| type_structure(unit, *param)).collect();
            let more = function.is_variadic;
            format!("({})({},{more})", qualified(unit, function.ret), params.join(","))
        }
        Type::Record(id) => {
            let record = &unit.types.records[*id];
            format!("{:?}{}", record.tag, structure(unit, record))
        }
        Type::Enum(_) => format!("{:?}", unit.types.int_kind_of(ty)),
        other @ (Type::Void
        | Type::Int(_)
        | Type::Float(_)
        | Type::Complex(_)
        | Type::NullPtr
        | Type::VaList
        | Type::Unknown(_)
        | Type::Error) => format!("{other:?}"),
        Type::Vector { element, bytes } => format!("({})vector {bytes}", type_structure(unit, *element)),
    }
}
