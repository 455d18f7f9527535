//! Random record types, as C text and as entries of a type table.

use unpick_base::{Interner, Span, Symbol};
use unpick_front_c::types::{
    ArrayExtent, Enum, Field, IntKind, QualSet, QualTy, Record, RecordId, Target, TyId, Type, TypeTable,
};

use crate::random::Random;

/// All generated records: the C text that declares them and the table that should lay them out alike.
pub struct Generated {
    pub text: String,
    pub types: TypeTable,
    pub interner: Interner,
    pub records: Vec<RecordId>,
}

/// A scalar type: its C name, its id, and the widest bit-field of it if it is an integer.
#[derive(Clone)]
struct Scalar {
    name: &'static str,
    ty: TyId,
    max_bits: Option<u32>,
}

struct Generator {
    random: Random,
    types: TypeTable,
    interner: Interner,
    scalars: Vec<Scalar>,
    /// Finished records that may lie inside others: C name and id.
    usable: Vec<(String, RecordId)>,
    n_names: u32,
}

/// `count` records for `target`.
pub fn generate(seed: u64, count: u32, target: Target) -> Generated {
    let mut types = TypeTable::new(target);
    let scalars = scalars(&mut types);
    let mut generator = Generator {
        random: Random::new(seed),
        types,
        interner: Interner::new(),
        scalars,
        usable: Vec::new(),
        n_names: 0,
    };
    let mut text = "enum plain_enum { PLAIN_A, PLAIN_B = 70000 };\nenum signed_enum { SIGNED_A = -5 };\n\
         enum __attribute__((packed)) tiny_enum { TINY_A, TINY_B = 200 };\n"
        .to_owned();
    let mut records = Vec::new();
    for number in 0..count {
        let tag = format!("T{number}");
        let (body, id, is_usable) = generator.record(&tag, 0, None);
        text.push_str(&body);
        records.push(id);
        if is_usable {
            let keyword = if generator.types.records[id].is_union { "union" } else { "struct" };
            generator.usable.push((format!("{keyword} {tag}"), id));
        }
    }
    Generated { text, types: generator.types, interner: generator.interner, records }
}

fn scalars(types: &mut TypeTable) -> Vec<Scalar> {
    let target = types.target;
    let mut enumeration = |underlying, is_packed| {
        let id = types.enums.push(Enum {
            tag: None,
            underlying: Some(underlying),
            is_fixed: false,
            enumerators: Vec::new(),
            is_packed,
            span: Span::NONE,
            is_local: false,
        });
        types.intern(Type::Enum(id))
    };
    let plain = enumeration(IntKind::UInt, false);
    let signed = enumeration(IntKind::Int, false);
    let tiny = enumeration(IntKind::UChar, true);
    let pointer = types.pointer_to(QualTy::plain(TyId::VOID));
    let long_bits = IntKind::Long.bits(target);
    let mut all: Vec<(&'static str, TyId, Option<u32>)> = vec![
        ("_Bool", TyId::BOOL, Some(1)),
        ("char", TyId::CHAR, Some(8)),
        ("signed char", TyId::SCHAR, Some(8)),
        ("unsigned char", TyId::UCHAR, Some(8)),
        ("short", TyId::SHORT, Some(16)),
        ("unsigned short", TyId::USHORT, Some(16)),
        ("int", TyId::INT, Some(32)),
        ("unsigned int", TyId::UINT, Some(32)),
        ("long", TyId::LONG, Some(long_bits)),
        ("unsigned long", TyId::ULONG, Some(long_bits)),
        ("long long", TyId::LONGLONG, Some(64)),
        ("unsigned long long", TyId::ULONGLONG, Some(64)),
        ("float", TyId::FLOAT, None),
        ("double", TyId::DOUBLE, None),
        ("long double", TyId::LONGDOUBLE, None),
        ("void *", pointer, None),
        ("enum plain_enum", plain, Some(32)),
        ("enum signed_enum", signed, Some(32)),
        ("enum tiny_enum", tiny, Some(8)),
    ];
    if target == Target::Lp64 {
        all.push(("__int128", TyId::INT128, Some(128)));
        all.push(("unsigned __int128", TyId::UINT128, Some(128)));
    }
    all.into_iter().map(|(name, ty, max_bits)| Scalar { name, ty, max_bits }).collect()
}

impl Generator {
    /// The text of a definition, its record, and whether others may contain it.
    fn record(&mut self, tag: &str, level: u32, outer_pack: Option<u64>) -> (String, RecordId, bool) {
        let is_union = self.random.percent(25);
        let is_packed = self.random.percent(15);
        let align_attr = self.random.percent(10).then(|| 1 << self.random.below(6));
        let own_pack = (level == 0 && self.random.percent(12)).then(|| 1 << self.random.below(5));
        let pack = own_pack.or(outer_pack);
        let n_fields = if self.random.percent(2) { 0 } else { 1 + self.random.below(7) };
        let mut fields = Vec::new();
        let mut lines = String::new();
        for _ in 0..n_fields {
            let (line, field) = self.field(level, pack);
            lines.push_str(&format!("    {line};\n"));
            fields.push(field);
        }
        let has_named = fields.iter().any(|field| field.name.is_some());
        let is_flexible = !is_union && level == 0 && has_named && self.random.percent(6);
        if is_flexible {
            let scalar = self.random.pick(&self.scalars);
            let (name, symbol) = self.name();
            lines.push_str(&format!("    {} {name}[];\n", scalar.name));
            let element = QualTy::plain(scalar.ty);
            let ty = self.types.intern(Type::Array { element, extent: ArrayExtent::Unknown });
            fields.push(field(Some(symbol), QualTy::plain(ty), None));
        }
        let keyword = if is_union { "union" } else { "struct" };
        let mut attributes = Vec::new();
        if is_packed {
            attributes.push("packed".to_owned());
        }
        if let Some(align) = align_attr {
            attributes.push(format!("aligned({align})"));
        }
        let attributes = attribute_text(&attributes);
        let mut text = format!("{keyword} {tag} {{\n{lines}}}{attributes}");
        if level == 0 {
            text.push_str(";\n");
        }
        if let Some(pack) = own_pack {
            text = format!("#pragma pack(push, {pack})\n{text}#pragma pack(pop)\n");
        }
        let record = Record {
            tag: None,
            is_union,
            fields,
            layout: None,
            is_transparent_union: false,
            is_packed,
            align_attr,
            pack,
            span: Span::NONE,
            is_local: false,
        };
        let id = self.types.records.push(record);
        self.types.layout_record(id);
        (text, id, !is_flexible)
    }

    fn name(&mut self) -> (String, Symbol) {
        self.n_names += 1;
        let name = format!("f{}", self.n_names);
        let symbol = self.interner.intern(&name);
        (name, symbol)
    }

    fn field(&mut self, level: u32, pack: Option<u64>) -> (String, Field) {
        match self.random.below(100) {
            0..=44 => self.bit_field(),
            45..=54 if !self.usable.is_empty() => {
                let (name_of_type, id) = self.random.pick(&self.usable);
                let ty = self.types.intern(Type::Record(id));
                self.plain(&name_of_type, QualTy::plain(ty))
            }
            55..=60 if level == 0 => {
                let (text, id, _) = self.record("", level + 1, pack);
                let ty = self.types.intern(Type::Record(id));
                (text.replace('\n', " "), field(None, QualTy::plain(ty), None))
            }
            _ => {
                let scalar = self.random.pick(&self.scalars);
                let is_atomic = self.random.percent(6);
                let quals = if is_atomic { QualSet::ATOMIC } else { QualSet::NONE };
                let name = if is_atomic { format!("_Atomic({})", scalar.name) } else { scalar.name.to_owned() };
                self.plain(&name, QualTy { ty: scalar.ty, quals })
            }
        }
    }

    /// A member that is no bit-field, perhaps an array.
    fn plain(&mut self, type_name: &str, ty: QualTy) -> (String, Field) {
        let (name, symbol) = self.name();
        let (suffix, ty) = if self.random.percent(20) {
            let n = self.random.below(4);
            let extent = ArrayExtent::Fixed(n);
            (format!("[{n}]"), QualTy::plain(self.types.intern(Type::Array { element: ty, extent })))
        } else {
            (String::new(), ty)
        };
        let mut field = field(Some(symbol), ty, None);
        let attributes = self.field_attributes(&mut field);
        (format!("{type_name} {name}{suffix}{attributes}"), field)
    }

    fn bit_field(&mut self) -> (String, Field) {
        let (scalar, max_bits) = loop {
            let scalar = self.random.pick(&self.scalars);
            if let Some(max_bits) = scalar.max_bits {
                break (scalar, max_bits);
            }
        };
        let is_named = !self.random.percent(15);
        let bits = match (is_named, self.random.percent(40)) {
            (false, true) => 0,
            _ => 1 + self.random.below(max_bits.into()) as u32,
        };
        let (name, symbol) = if is_named {
            let (name, symbol) = self.name();
            (name, Some(symbol))
        } else {
            (String::new(), None)
        };
        let mut field = field(symbol, QualTy::plain(scalar.ty), Some(bits));
        let attributes = self.field_attributes(&mut field);
        (format!("{} {name} : {bits}{attributes}", scalar.name), field)
    }

    fn field_attributes(&mut self, field: &mut Field) -> String {
        let mut attributes = Vec::new();
        if self.random.percent(8) {
            field.is_packed = true;
            attributes.push("packed".to_owned());
        }
        if self.random.percent(8) {
            let align = 1 << self.random.below(6);
            field.align_attr = Some(align);
            attributes.push(format!("aligned({align})"));
        }
        attribute_text(&attributes)
    }
}

fn field(name: Option<Symbol>, ty: QualTy, bits: Option<u32>) -> Field {
    Field { name, ty, bits, align_attr: None, is_packed: false, span: Span::NONE, offset: 0, bit_offset: 0 }
}

fn attribute_text(attributes: &[String]) -> String {
    if attributes.is_empty() { String::new() } else { format!(" __attribute__(({}))", attributes.join(", ")) }
}
