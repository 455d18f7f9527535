//! Unique names: one tag for each record and enumeration of the unit.

use std::collections::HashSet;

use unpick_base::id::Id as _;
use unpick_base::{Interner, Symbol};

use crate::types::{EnumId, Record, RecordId, TypeTable};

/// The tags under which records and enumerations are printed.
pub(super) struct TagNames {
    records: Vec<String>,
    enums: Vec<String>,
    /// Whether enumerations are written as the integers that they are.
    pub(super) are_enums_integers: bool,
    /// Records, by where they are defined, whose fields have a stroke behind their names.
    pub(super) marked: HashSet<u32>,
}

impl TagNames {
    /// Tags of the source, numbered where two types share one; made-up tags for types without.
    pub(super) fn new(types: &TypeTable, interner: &Interner) -> Self {
        let mut taken: HashSet<String> = HashSet::new();
        let mut pick = |tag: Option<Symbol>, unnamed: &str| {
            let wanted = tag.map_or(unnamed, |symbol| interner.name(symbol));
            let name = fresh_name(wanted, |name| taken.contains(name));
            taken.insert(name.clone());
            name
        };
        let records = types.records.iter().map(|record| pick(record.tag, "anonymous")).collect();
        let enums = types.enums.iter().map(|item| pick(item.tag, "anonymous")).collect();
        Self { records, enums, are_enums_integers: false, marked: HashSet::new() }
    }

    /// Tags as the caller picks them; enumerations are integers.
    pub(super) fn picked(
        types: &TypeTable,
        pick: impl Fn(RecordId) -> String,
        is_marked: impl Fn(RecordId) -> bool,
    ) -> Self {
        let records = types.records.ids().map(pick).collect();
        let marked = types.records.iter_enumerated().filter(|(id, _)| is_marked(*id)).map(|(_, record)| record.span.lo);
        let marked = marked.collect();
        Self { records, enums: vec![String::new(); types.enums.len()], are_enums_integers: true, marked }
    }

    /// What stands behind the names of the fields of a record.
    pub(super) fn stroke(&self, record: &Record) -> &'static str {
        if self.marked.contains(&record.span.lo) { "_" } else { "" }
    }

    pub(super) fn record(&self, id: RecordId) -> &str {
        &self.records[id.index()]
    }

    pub(super) fn enumeration(&self, id: EnumId) -> &str {
        &self.enums[id.index()]
    }
}

/// `wanted`, or else `wanted_2`, `wanted_3`, ... whichever is not taken.
pub(super) fn fresh_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    (2u64..)
        .map(|number| format!("{wanted}_{number}"))
        .find(|name| !is_taken(name))
        .expect("one of endlessly many names should be free")
}
