//! Limit on the length of merged sequences: SPIN merges consecutive statements into one step, but fails on some
//! hundreds ("cannot happen, dobackward"). It does not merge across a label, so long sequences get labels.

use std::collections::BTreeSet;

use unpick_front_promela::syntax::{Block, Model, Name, Step, Stmt, StmtKind, Unit};

/// How many statements follow each other without a label.
const MAX_LEN: usize = 150;

/// Labels some statements of long sequences.
pub fn label_long_sequences(model: &mut Model) {
    for unit in &mut model.units {
        let body = match unit {
            Unit::Proctype(proctype) => &mut proctype.body,
            Unit::Init(init) => &mut init.body,
            _ => continue,
        };
        let mut taken = BTreeSet::new();
        names(body, &mut taken);
        block(body, &mut Labels { taken, count: 0 });
    }
}

struct Labels {
    taken: BTreeSet<Name>,
    count: usize,
}

impl Labels {
    fn next(&mut self) -> Name {
        loop {
            self.count += 1;
            let name = Name::from(format!("portion_{}", self.count));
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}

fn block(steps: &mut Block, labels: &mut Labels) {
    let mut len = 0;
    for step in steps {
        let (Step::Stmt(stmt) | Step::Unless(stmt, _)) = step else { continue };
        match &mut stmt.kind {
            StmtKind::Assign(..) | StmtKind::Printf(..) => {
                len += 1;
                if len > MAX_LEN {
                    len = 0;
                    let inner = stmt.clone();
                    stmt.kind = StmtKind::Label(labels.next(), Some(Box::new(inner)));
                }
            }
            StmtKind::If(options) | StmtKind::Do(options) => {
                len = 0;
                options.iter_mut().for_each(|option| block(option, labels));
            }
            StmtKind::Atomic(inner) | StmtKind::Block(inner) => block(inner, labels),
            // A `d_step` is one step anyway and not merged; all other statements count.
            _ => len += 1,
        }
    }
}

/// Names that the process uses.
fn names(steps: &Block, taken: &mut BTreeSet<Name>) {
    for step in steps {
        match step {
            Step::Decl(decl) => taken.extend(decl.vars.iter().map(|var| var.name.clone())),
            Step::Stmt(stmt) => names_in(stmt, taken),
            Step::Unless(stmt, escape) => {
                names_in(stmt, taken);
                names_in(escape, taken);
            }
            Step::Exclusive(_) => {}
        }
    }
}

fn names_in(stmt: &Stmt, taken: &mut BTreeSet<Name>) {
    match &stmt.kind {
        StmtKind::Label(name, inner) => {
            taken.insert(name.clone());
            inner.iter().for_each(|inner| names_in(inner, taken));
        }
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|option| names(option, taken)),
        StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => names(inner, taken),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use unpick_front_promela::syntax::{At, Proctype};

    use super::*;
    use crate::translate::{int, step, var_ref};

    #[test]
    fn a_long_sequence_has_labels_that_nothing_else_has() {
        let assign = || step(StmtKind::Assign(var_ref(Name::from("x")), int(1)));
        let mut body: Block = vec![step(StmtKind::Label(Name::from("portion_1"), None))];
        body.extend(std::iter::repeat_n(assign(), 400));
        let proctype = Proctype {
            active: None,
            is_deterministic: false,
            name: Name::from("p"),
            params: Vec::new(),
            priority: None,
            provided: None,
            body,
            at: At::default(),
        };
        let mut model = Model { units: vec![Unit::Proctype(proctype)] };
        label_long_sequences(&mut model);
        let Unit::Proctype(proctype) = &model.units[0] else { panic!("the process should stay one") };
        let mut labels = Vec::new();
        for step in &proctype.body {
            if let Step::Stmt(Stmt { kind: StmtKind::Label(name, Some(_)), .. }) = step {
                labels.push(name.to_string());
            }
        }
        assert_eq!(labels, ["portion_2", "portion_3"]);
    }
}
