//! Printer of types: declarators from the inside out, and definitions of records and enumerations.

use std::collections::HashSet;
use std::fmt::Write as _;

use unpick_base::Interner;
use unpick_base::id::Id as _;

use super::names::{TagNames, fresh_name};
use super::{literal, push_attributes};
use crate::ast::{DeclKind, ExprId, Unit};
use crate::types::{
    ArrayExtent, EnumId, Field, FunctionType, IntKind, QualSet, QualTy, Record, RecordId, TyId, Type, TypeTable,
};

pub(super) struct TypePrinter<'a> {
    pub(super) types: &'a TypeTable,
    pub(super) interner: &'a Interner,
    pub(super) tags: &'a TagNames,
}

/// Bound of a variable length array where its expression does not matter.
pub(super) fn star_bound(_: ExprId) -> String {
    "*".to_owned()
}

impl TypePrinter<'_> {
    /// `ty` around the declarator `inner`; `bound` spells the bounds of variable length arrays.
    pub(super) fn declare(&self, ty: QualTy, inner: String, bound: &mut dyn FnMut(ExprId) -> String) -> String {
        let quals = qualifier_words(ty.quals);
        match self.types.get(ty.ty) {
            Type::Pointer(pointee) => {
                let needs_space = !quals.is_empty() && !inner.is_empty();
                let declarator = format!("*{quals}{}{inner}", if needs_space { " " } else { "" });
                let needs_parens = matches!(self.types.get(pointee.ty), Type::Array { .. } | Type::Function(_));
                let declarator = if needs_parens { format!("({declarator})") } else { declarator };
                self.declare(*pointee, declarator, bound)
            }
            Type::Array { element, extent } => {
                let extent = match extent {
                    ArrayExtent::Unknown => String::new(),
                    ArrayExtent::Fixed(n) => n.to_string(),
                    ArrayExtent::Variable(expr) => bound(*expr),
                    ArrayExtent::Star => "*".to_owned(),
                };
                self.declare(element.with(ty.quals), format!("{inner}[{extent}]"), bound)
            }
            Type::Function(function) => {
                let declarator = format!("{inner}({})", self.params(function));
                self.declare(function.ret, declarator, bound)
            }
            _ => {
                let mut result = quals;
                if !result.is_empty() {
                    result.push(' ');
                }
                result.push_str(&self.base(ty.ty));
                if !inner.is_empty() {
                    result.push(' ');
                    result.push_str(&inner);
                }
                result
            }
        }
    }

    fn params(&self, function: &FunctionType) -> String {
        if !function.has_prototype {
            return String::new();
        }
        let mut params: Vec<String> = function
            .params
            .iter()
            .map(|&param| self.declare(QualTy::plain(param), String::new(), &mut star_bound))
            .collect();
        if function.is_variadic {
            params.push("...".to_owned());
        }
        if params.is_empty() { "void".to_owned() } else { params.join(", ") }
    }

    /// The specifiers of a type that is not derived.
    fn base(&self, ty: TyId) -> String {
        match *self.types.get(ty) {
            Type::Void | Type::Function(_) => "void".to_owned(),
            Type::Int(kind) => kind.name().to_owned(),
            Type::Float(kind) => kind.name().to_owned(),
            Type::Complex(kind) => format!("_Complex {}", kind.name()),
            Type::NullPtr | Type::Pointer(_) | Type::Array { .. } => "void *".to_owned(),
            Type::Record(record) => self.record_name(record),
            Type::Enum(id) => self.enum_name(id),
            Type::Vector { element, bytes } => {
                format!("__attribute__((vector_size({bytes}))) {}", self.base(element))
            }
            Type::VaList => "__builtin_va_list".to_owned(),
            Type::Unknown(_) | Type::Error => "int".to_owned(),
        }
    }

    fn record_name(&self, id: RecordId) -> String {
        format!("{} {}", record_keyword(&self.types.records[id]), self.tags.record(id))
    }

    /// Enumerations with a fixed type (which older compilers do not know) or no values yet are that type.
    fn enum_name(&self, id: EnumId) -> String {
        let item = &self.types.enums[id];
        let is_integer = item.is_fixed || item.underlying.is_none() || item.enumerators.is_empty();
        if is_integer || self.tags.are_enums_integers {
            return item.underlying.unwrap_or(IntKind::UInt).name().to_owned();
        }
        format!("enum {}", self.tags.enumeration(id))
    }

    /// All types of the unit, each after what it contains. Enumerators, which expressions never mention, get
    /// names that nothing at file scope has.
    pub(super) fn definitions(&self, unit: &Unit, reserved: &mut HashSet<String>) -> String {
        let mut out = String::new();
        for (id, item) in self.types.enums.iter_enumerated() {
            if item.is_fixed || item.underlying.is_none() || item.enumerators.is_empty() {
                continue;
            }
            let packed = if item.is_packed { "__attribute__((packed)) " } else { "" };
            let _ = writeln!(out, "enum {packed}{} {{", self.tags.enumeration(id));
            for &enumerator in &item.enumerators {
                let decl = &unit.decls[enumerator];
                let DeclKind::Enumerator { value } = decl.kind else { continue };
                let name = fresh_name(self.interner.name(decl.name), |name| reserved.contains(name));
                let kind = self.types.int_kind_of(decl.ty.ty).unwrap_or(IntKind::Int);
                let _ = writeln!(out, "    {name} = {},", literal::int(value, enumerator_kind(kind, value)).0);
                reserved.insert(name);
            }
            out.push_str("};\n");
        }
        let inlined = self.inlined_records();
        for (id, record) in self.types.records.iter_enumerated() {
            if !inlined.contains(&id) {
                let _ = writeln!(out, "{} {};", record_keyword(record), self.tags.record(id));
            }
        }
        let mut is_done = vec![false; self.types.records.len()];
        for id in self.types.records.ids() {
            if !inlined.contains(&id) {
                self.define_record(id, &mut is_done, &mut out);
            }
        }
        out
    }

    /// Records of anonymous members: they have no name of their own and are written in place.
    fn inlined_records(&self) -> HashSet<RecordId> {
        let fields = self.types.records.iter().flat_map(|record| &record.fields);
        fields
            .filter(|field| is_anonymous_member(field))
            .filter_map(|field| self.types.record_of(field.ty.ty))
            .collect()
    }

    fn define_record(&self, id: RecordId, is_done: &mut [bool], out: &mut String) {
        if std::mem::replace(&mut is_done[id.index()], true) || self.types.records[id].layout.is_none() {
            return;
        }
        self.define_contents(id, is_done, out);
        let record = &self.types.records[id];
        if let Some(pack) = record.pack {
            let _ = writeln!(out, "#pragma pack(push, {pack})");
        }
        self.record_body(record, self.tags.record(id), 0, out);
        out.push_str(";\n");
        if record.pack.is_some() {
            out.push_str("#pragma pack(pop)\n");
        }
    }

    /// Defines the records that lie in a record by value.
    fn define_contents(&self, id: RecordId, is_done: &mut [bool], out: &mut String) {
        for field in &self.types.records[id].fields {
            let mut ty = field.ty.ty;
            while let Some(element) = self.types.element_of(ty) {
                ty = element.ty;
            }
            match self.types.record_of(ty) {
                Some(inner) if is_anonymous_member(field) => self.define_contents(inner, is_done, out),
                Some(inner) => self.define_record(inner, is_done, out),
                None => {}
            }
        }
    }

    pub(super) fn record_body(&self, record: &Record, tag: &str, indent: usize, out: &mut String) {
        let mut attributes = Vec::new();
        if record.is_packed {
            attributes.push("packed".to_owned());
        }
        if let Some(align) = record.align_attr {
            attributes.push(format!("aligned({align})"));
        }
        if record.is_transparent_union {
            attributes.push("transparent_union".to_owned());
        }
        out.push_str(record_keyword(record));
        push_attributes(out, &attributes);
        let space = if tag.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{space}{tag} {{");
        for field in &record.fields {
            out.push_str(&"    ".repeat(indent + 1));
            self.field(field, self.tags.stroke(record), indent + 1, out);
            out.push_str(";\n");
        }
        out.push_str(&"    ".repeat(indent));
        out.push('}');
    }

    fn field(&self, field: &Field, stroke: &str, indent: usize, out: &mut String) {
        match self.types.record_of(field.ty.ty) {
            Some(inner) if is_anonymous_member(field) => {
                let quals = qualifier_words(field.ty.quals);
                out.push_str(&quals);
                out.push_str(if quals.is_empty() { "" } else { " " });
                self.record_body(&self.types.records[inner], "", indent, out);
            }
            _ => {
                let name = field.name.map_or(String::new(), |symbol| format!("{}{stroke}", self.interner.name(symbol)));
                out.push_str(&self.declare(field.ty, name, &mut star_bound));
            }
        }
        if let Some(bits) = field.bits {
            let _ = write!(out, " : {bits}");
        }
        let mut attributes = Vec::new();
        if field.is_packed {
            attributes.push("packed".to_owned());
        }
        if let Some(align) = field.align_attr {
            attributes.push(format!("aligned({align})"));
        }
        push_attributes(out, &attributes);
    }
}

/// An unnamed struct or union whose members count as the outer record's.
pub(super) fn is_anonymous_member(field: &Field) -> bool {
    field.name.is_none() && field.bits.is_none()
}

fn record_keyword(record: &Record) -> &'static str {
    if record.is_union { "union" } else { "struct" }
}

/// The type of the constant that gives an enumerator its value: at least `int`.
fn enumerator_kind(kind: IntKind, value: i128) -> IntKind {
    match kind {
        IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort => {
            IntKind::Int
        }
        IntKind::UInt if i32::try_from(value).is_ok() => IntKind::Int,
        _ => kind,
    }
}

pub(super) fn qualifier_words(quals: QualSet) -> String {
    let words = [
        (QualSet::CONST, "const"),
        (QualSet::VOLATILE, "volatile"),
        (QualSet::RESTRICT, "__restrict"),
        (QualSet::ATOMIC, "_Atomic"),
    ];
    let words: Vec<&str> = words.iter().filter(|(qual, _)| quals.has(*qual)).map(|&(_, word)| word).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::print_type;
    use crate::types::Target;

    #[test]
    fn declarators_read_inside_out() {
        let mut types = TypeTable::new(Target::Lp64);
        let int = QualTy::plain(TyId::INT);
        let function = types.intern(Type::Function(FunctionType {
            ret: int,
            params: vec![TyId::CHAR],
            is_variadic: true,
            has_prototype: true,
        }));
        let pointer = types.pointer_to(QualTy::plain(function));
        let array = types.intern(Type::Array { element: QualTy::plain(pointer), extent: ArrayExtent::Fixed(3) });
        let to_array = types.pointer_to(QualTy::plain(array).with(QualSet::CONST));
        let interner = Interner::new();
        let show = |ty, name| print_type(&types, &interner, QualTy::plain(ty), name);
        assert_eq!(show(pointer, "f"), "int (*f)(char, ...)");
        assert_eq!(show(array, "a"), "int (*a[3])(char, ...)");
        assert_eq!(show(to_array, ""), "int (*const (*)[3])(char, ...)");
        assert_eq!(show(function, "g"), "int g(char, ...)");
    }
}
