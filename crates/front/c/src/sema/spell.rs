//! Spelling of types in messages, as a C programmer writes them.

use super::Sema;
use crate::types::{ArrayExtent, QualSet, QualTy, TyId, Type};

impl Sema {
    pub(super) fn spell(&self, ty: TyId) -> String {
        self.spell_qual(QualTy::plain(ty))
    }

    pub(super) fn spell_qual(&self, ty: QualTy) -> String {
        self.spell_around(ty, String::new(), 0)
    }

    /// Writes the type around what stands in the declarator's place.
    fn spell_around(&self, ty: QualTy, inner: String, level: u32) -> String {
        if level > 40 {
            return "...".to_owned();
        }
        let quals = qual_words(ty.quals);
        match self.unit.types.get(ty.ty) {
            Type::Pointer(pointee) => {
                let star = match (quals.is_empty(), inner.is_empty()) {
                    (true, _) => format!("*{inner}"),
                    (false, true) => format!("*{quals}"),
                    (false, false) => format!("*{quals} {inner}"),
                };
                let needs_parens = matches!(self.unit.types.get(pointee.ty), Type::Array { .. } | Type::Function(_));
                let star = if needs_parens { format!("({star})") } else { star };
                self.spell_around(*pointee, star, level + 1)
            }
            Type::Array { element, extent } => {
                let bound = match extent {
                    ArrayExtent::Unknown => String::new(),
                    ArrayExtent::Fixed(n) => n.to_string(),
                    ArrayExtent::Variable(_) | ArrayExtent::Star => "*".to_owned(),
                };
                self.spell_around(*element, format!("{inner}[{bound}]"), level + 1)
            }
            Type::Function(function) => {
                let mut params: Vec<String> = function.params.iter().map(|param| self.spell(*param)).collect();
                if function.is_variadic {
                    params.push("...".to_owned());
                }
                if params.is_empty() && function.has_prototype {
                    params.push("void".to_owned());
                }
                self.spell_around(function.ret, format!("{inner}({})", params.join(", ")), level + 1)
            }
            _ => {
                let base = self.spell_base(ty.ty);
                let base = if quals.is_empty() { base } else { format!("{quals} {base}") };
                if inner.is_empty() { base } else { format!("{base} {inner}") }
            }
        }
    }

    fn spell_base(&self, ty: TyId) -> String {
        match self.unit.types.get(ty) {
            Type::Void => "void".to_owned(),
            Type::Int(kind) => kind.name().to_owned(),
            Type::Float(kind) => kind.name().to_owned(),
            Type::Complex(kind) => format!("_Complex {}", kind.name()),
            Type::NullPtr => "nullptr_t".to_owned(),
            Type::Record(id) => {
                let record = &self.unit.types.records[*id];
                let keyword = if record.is_union { "union" } else { "struct" };
                match record.tag {
                    Some(tag) => format!("{keyword} {}", self.name(tag)),
                    None => format!("{keyword} <anonymous>"),
                }
            }
            Type::Enum(id) => match self.unit.types.enums[*id].tag {
                Some(tag) => format!("enum {}", self.name(tag)),
                None => "enum <anonymous>".to_owned(),
            },
            Type::Vector { element, bytes } => format!("{} __vector({bytes})", self.spell(*element)),
            Type::VaList => "va_list".to_owned(),
            Type::Unknown(symbol) => self.name(*symbol).to_owned(),
            Type::Error => "<error>".to_owned(),
            Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => String::new(),
        }
    }
}

fn qual_words(quals: QualSet) -> String {
    let words = [
        (QualSet::CONST, "const"),
        (QualSet::VOLATILE, "volatile"),
        (QualSet::RESTRICT, "restrict"),
        (QualSet::ATOMIC, "_Atomic"),
    ];
    let words: Vec<&str> = words.into_iter().filter(|(bit, _)| quals.has(*bit)).map(|(_, word)| word).collect();
    words.join(" ")
}
