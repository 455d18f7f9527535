//! `unpick check --table`: extract a model, check it, speak of the lines of the source.

use unpick_extract::audit::{Kind, labels, n_restrictions};
use unpick_extract::extraction::Decided;
use unpick_extract::proof::Proofs;

use super::Limits;
use super::model::{self, Basis};
use crate::args::CheckArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::tabled::{read, warn, wrong_table};

pub fn run(mut args: CheckArgs, layers: &Layers) -> Outcome<u8> {
    let mut modelled = read(&args.input, &args.model, layers)?;
    let mut diagnostics = std::mem::take(&mut modelled.session.diagnostics);
    let n_before = diagnostics.iter().count();
    let decided = modelled.program.decide(&modelled.session.interner, &modelled.session.sources, &mut diagnostics);
    let result = decided.map(|decided| {
        let written = decided.model("", !args.model.no_simplify);
        let mut basis = basis(&decided);
        basis.assumptions.extend(written.assumptions.iter().cloned());
        (written.marked(&decided.context, "model.pml"), basis)
    });
    modelled.session.diagnostics = diagnostics;
    let Some((text, mut basis)) = result else {
        return Err(wrong_table(&modelled.session, &modelled.lines, n_before));
    };
    warn(&modelled);
    basis.assumptions.splice(0..0, modelled.missing.iter().cloned());
    let cannot = |error: std::io::Error| Failure::new(format!("cannot write a temporary file: {error}"));
    let folder = tempfile::Builder::new().prefix("unpick").tempdir().map_err(cannot)?;
    let path = folder.path().join("model.pml");
    std::fs::write(&path, text).map_err(cannot)?;
    args.input.files = vec![path];
    // Macros and folders were for the sources.
    args.input.defines.clear();
    args.input.undefines.clear();
    args.input.includes.clear();
    let limits = Limits::new(&args, layers, true)?;
    model::run(&args, layers, &limits, basis)
}

/// What the rows of the table do to the behaviours of the program.
fn basis(decided: &Decided<'_>) -> Basis {
    let proofs = Proofs::new(decided);
    let counts = labels(decided, &proofs);
    let count = |kind: Kind| counts.get(&kind).copied().unwrap_or(0);
    let mut basis = Basis::default();
    let n_entries: usize = counts.values().sum();
    if count(Kind::Unverified) > 0 {
        let n = count(Kind::Unverified);
        basis.assumptions.push(format!("the meaning that rows give to {n} of {n_entries} entries is right"));
    }
    if count(Kind::Widening) > 0 {
        let n = count(Kind::Widening);
        basis.caveat =
            Some(format!("{n} of {n_entries} entries widen the program: the violation is possible, not certain"));
    }
    let n = n_restrictions(decided);
    if n > 0 {
        basis.doubts.push(format!("{n} conditions are never tried because rows say so: nothing was found beside them"));
    }
    let n = proofs.n_forgetful().saturating_sub(n);
    if n > 0 {
        basis.doubts.push(format!("{n} rows forget something that the program may do, see `unpick table --audit`"));
    }
    if !decided.decisions.dropped.is_empty() {
        let n = decided.decisions.dropped.len();
        basis.doubts.push(format!("{n} assertions are not in the model"));
    }
    basis
}
