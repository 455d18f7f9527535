//! Generation of the steps of single fragments, by their decisions.

use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Storage};
use unpick_front_promela::syntax::{Block, Expr, Name, Step, StmtKind, VarInit};

use super::control::{append, condition};
use super::embedded::{Place, filled_in};
use super::{Exit, Frame, Process, Writer};
use crate::code::{FragmentId, FragmentKind};
use crate::rows::rename;
use crate::shape::Untranslatable;
use crate::table::Mapping;
use crate::translate::{falsehood, negation, step, truth, var_ref};

impl Writer<'_> {
    pub(super) fn fragment(&mut self, id: FragmentId, frame: &mut Frame, process: &mut Process) -> Block {
        let mapping = self.decisions.plain[id].mapping.clone();
        let fragment = &self.context.code.fragments[id];
        let what = fragment.what;
        if !matches!(what, FragmentKind::Declaration(_)) {
            frame.is_at_top = false;
        }
        let mut block = match mapping {
            Mapping::Keep => self.kept(id, what, frame, process),
            Mapping::Print => vec![self.print_step(id)],
            Mapping::Comment => {
                let text = fragment.text.clone();
                frame.comments.push(text);
                Block::new()
            }
            Mapping::Hide => Block::new(),
            Mapping::True => vec![condition(truth())],
            Mapping::False => vec![condition(falsehood())],
            Mapping::Text(_) => self.explicit(id, false, frame, process),
        };
        // Inlined bodies have marked themselves.
        if !(self.decisions.plain[id].mapping == Mapping::Keep && fragment.effects.call.is_some()) {
            self.mark(&mut block, id, frame);
        }
        block
    }

    /// The steps of a row, with the names of this function; declarations go to the top.
    fn explicit(&mut self, id: FragmentId, is_negated: bool, frame: &mut Frame, process: &mut Process) -> Block {
        let mut block = self.rows.steps(id, is_negated);
        self.renamed(&mut block, id, frame);
        self.with_code(&mut block, frame);
        if !is_negated {
            block = match self.with_places(id, block, frame, process) {
                Ok(block) => block,
                Err(_) => {
                    self.untranslated.insert(id);
                    vec![self.print_step(id)]
                }
            };
        }
        if self.context.embedding.is_some() && !is_negated {
            block = self.with_argument(id, block, frame);
            self.outcomes(id, &mut block, frame, process);
        }
        let mut steps = Block::new();
        for item in block {
            let Step::Decl(mut decl) = item else {
                steps.push(item);
                continue;
            };
            // Promela initialises only once; here the initialisation may be executed repeatedly.
            for var in decl.vars.iter_mut().filter(|_| !frame.is_at_top) {
                if let Some(VarInit::Expr(value)) = var.init.take_if(|init| matches!(init, VarInit::Expr(_))) {
                    steps.push(step(StmtKind::Assign(var_ref(var.name.clone()), value)));
                }
            }
            decl.vars.retain(|var| process.declared.insert(var.name.clone()));
            if !decl.vars.is_empty() {
                process.decls.push(decl);
            }
        }
        steps
    }

    /// Puts the places that pointers lead to where a built-in row speaks of them: a choice between all they may mean.
    fn with_places(
        &self,
        id: FragmentId,
        mut block: Block,
        frame: &Frame,
        process: &mut Process,
    ) -> Result<Block, Untranslatable> {
        let decision = &self.decisions.plain[id];
        let unit = self.context.code.fragments[id].unit;
        let mut before = Block::new();
        for (at, (name, _, expr)) in decision.bindings.iter().enumerate() {
            if !crate::rows::is_choice(self.context, id, decision, name, *expr) {
                continue;
            }
            let pointed = crate::library::is_pointed(name);
            // What others may change is looked at once.
            let pointer = self.shared_pointer(unit, *expr, pointed);
            let mut pinned = None;
            if let Some(pointer) = pointer {
                let helper =
                    self.helper(&format!("pointer_{at}"), unpick_front_promela::syntax::TypeName::Byte, process);
                let value = self.translated(unit, frame, |translator| translator.expr(pointer))?;
                before.push(step(StmtKind::Assign(helper.clone(), value)));
                pinned = Some((pointer, crate::translate::at(unpick_front_promela::syntax::ExprKind::Var(helper))));
            }
            let targets = self.pinned(unit, frame, pinned, |translator| match pointed {
                true => translator.behind_pointer(*expr),
                false => translator.targets(*expr),
            })?;
            let stand_in = crate::rows::stand_in(name);
            let (places, none) = targets.alternatives();
            let mut options: Vec<Block> = Vec::new();
            for (guard, place, _) in &places {
                let mut option = block.clone();
                crate::rows::replace(&mut option, &|name: &str| (name == stand_in).then(|| place.clone()));
                if let Some(guard) = guard {
                    option.insert(0, condition(guard.clone()));
                }
                options.push(option);
            }
            block = match (options.len(), none) {
                (1, None) => options.pop().unwrap_or_default(),
                (_, none) => {
                    let otherwise = || step(StmtKind::Else);
                    options.extend(none.map(|none| vec![otherwise(), none]));
                    vec![step(StmtKind::If(options))]
                }
            };
        }
        before.append(&mut block);
        Ok(before)
    }

    /// The pointer that a place lies behind, unless it is an object that only this process has.
    fn shared_pointer(&self, unit: usize, expr: ExprId, pointed: bool) -> Option<ExprId> {
        let tree = &self.context.code.units[unit];
        let mut pointer = pointed.then_some(expr);
        let mut place = expr;
        loop {
            let inner = pointer.unwrap_or(place);
            match tree.exprs[inner].kind {
                ExprKind::Cast { kind: CastKind::NoOp | CastKind::PointerToPointer, operand, .. }
                    if pointer.is_some() =>
                {
                    pointer = Some(operand);
                }
                ExprKind::AddrOf(inner) if pointer.is_some() => (place, pointer) = (inner, None),
                ExprKind::Member { base, .. } | ExprKind::Index { base, .. } if pointer.is_none() => place = base,
                ExprKind::Deref(to) if pointer.is_none() => match crate::effect::indexed_array(tree, to) {
                    Some((array, _)) => place = array,
                    None => pointer = Some(to),
                },
                ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                    let ExprKind::Decl(decl) = tree.exprs[operand].kind else { return pointer };
                    let DeclKind::Var(var) = &tree.decls[decl].kind else { return pointer };
                    let is_own = matches!(var.storage, Storage::Automatic | Storage::Parameter)
                        && !self.context.pools.has_local(unit, decl);
                    return pointer.filter(|_| !is_own);
                }
                _ => return pointer,
            }
        }
    }

    /// Gives objects in the embedded C of a row the names that they have here.
    fn with_code(&self, block: &mut Block, frame: &Frame) {
        let text = |unit: usize, expr: ExprId| {
            let text =
                self.translated(unit, frame, |translator| translator.embedder.ok_or("is not held as C")?.text(expr));
            text.unwrap_or_default()
        };
        if self.context.embedding.is_some() {
            filled_in(block, &text, &format!("P{}->_pid", frame.proctype));
        }
    }

    /// What a row leaves in a variable of Promela for an object that stays C goes there.
    fn outcomes(&self, id: FragmentId, block: &mut Block, frame: &Frame, process: &mut Process) {
        let unit = self.context.code.fragments[id].unit;
        for (helper, expr) in crate::rows::outcomes(self.context, id, &self.decisions.plain[id]) {
            let Some(Place::C(place)) = self.place(unit, expr, frame) else { continue };
            let name = self.helper(helper, unpick_front_promela::syntax::TypeName::Int, process).name;
            block.push(crate::embed::code_step(&format!("{place} = P{}->{name}", frame.proctype)));
        }
    }

    /// Gives the variables of a row the names that they have here.
    fn renamed(&self, block: &mut Block, id: FragmentId, frame: &Frame) {
        let unit = self.context.code.fragments[id].unit;
        let tree = &self.context.code.units[unit];
        let span = self.context.code.fragments[id].span;
        let named = |expr: ExprId| match tree.exprs[expr].kind {
            ExprKind::Decl(decl) => Some(decl),
            _ => None,
        };
        let own: Vec<DeclId> = crate::calls::exprs(self.context, id).into_iter().filter_map(named).collect();
        let is_meant = |name: &str, old: &str| name == old || crate::names::allowed(name) == old;
        let is_called = |decl: &DeclId, old: &str| is_meant(self.context.interner.name(tree.decls[*decl].name), old);
        let global = |decl: &DeclId| self.context.object(unit, *decl).and_then(|object| self.globals.get(&object));
        crate::rows::rename_runs(block, &|old: &str| self.process_names.get(old).cloned());
        rename(block, &|old: &str| {
            // Several objects may have a name: the one that the fragment speaks of, else the one declared last before it.
            if let Some(decl) = own.iter().find(|decl| is_called(decl, old)) {
                return frame.names.get(decl).or_else(|| global(decl)).cloned();
            }
            let locals = frame.names.iter().filter(|(decl, _)| is_called(decl, old));
            let local = locals.max_by_key(|(decl, _)| (tree.decls[**decl].span.lo <= span.lo, decl.0));
            let globals = self.globals.iter();
            let globals = globals.filter(|(object, _)| is_meant(&self.context.code.objects.get(**object).name, old));
            local
                .map(|(_, name)| name)
                .or_else(|| globals.min_by_key(|(object, _)| object.0).map(|(_, name)| name))
                .cloned()
        });
    }

    fn print_step(&self, id: FragmentId) -> Step {
        let fragment = &self.context.code.fragments[id];
        step(StmtKind::Printf(quoted(&fragment.text), Vec::new()))
    }

    fn kept(&mut self, id: FragmentId, what: FragmentKind, frame: &mut Frame, process: &mut Process) -> Block {
        self.note_large_step(id, what);
        let unit = self.context.code.fragments[id].unit;
        let result = match what {
            FragmentKind::Declaration(decl) => self.declared(unit, decl, frame, process),
            FragmentKind::Effect(expr) => {
                if let Some((function, args)) = self.context.called(unit, expr) {
                    return self.call(id, function, &args, None, frame, process);
                }
                if let Some((lhs, rhs, call)) = self.context.assigned_call(unit, expr) {
                    return self.assigned_call(id, lhs, (rhs, call), frame, process);
                }
                if let Some(steps) = self.c_split(unit, expr, frame, process) {
                    return steps;
                }
                self.translated(unit, frame, |translator| translator.effect(expr))
            }
            FragmentKind::Assertion(expr) => self
                .translated(unit, frame, |translator| translator.expr(expr))
                .map(|expr| vec![step(StmtKind::Assert(expr))]),
            FragmentKind::Assumption(expr) | FragmentKind::Condition(expr) => {
                self.translated(unit, frame, |translator| translator.expr(expr)).map(|expr| vec![condition(expr)])
            }
            FragmentKind::Return(_) => Ok(Block::new()),
            // A pointer that the model holds points to a known function or to none at all.
            FragmentKind::Stray(..) => Ok(vec![step(StmtKind::Assert(falsehood()))]),
        };
        // What decisions keep can be said; if not, the fragment is shown instead of being lost in silence.
        result.unwrap_or_else(|_| {
            self.untranslated.insert(id);
            vec![self.print_step(id)]
        })
    }

    /// What reads several objects that others may change is said to be one step.
    fn note_large_step(&mut self, id: FragmentId, what: FragmentKind) {
        let fragment = &self.context.code.fragments[id];
        let expr = match what {
            FragmentKind::Effect(expr)
            | FragmentKind::Assertion(expr)
            | FragmentKind::Condition(expr)
            | FragmentKind::Assumption(expr) => expr,
            FragmentKind::Declaration(_) | FragmentKind::Return(_) | FragmentKind::Stray(..) => return,
        };
        if self.context.embedding.is_none() || !self.is_concurrent() || fragment.effects.call.is_some() {
            return;
        }
        let limit = match self.context.code.units[fragment.unit].exprs[expr].kind {
            unpick_front_c::ast::ExprKind::Assign { .. } => 2,
            _ => 1,
        };
        if self.n_shared(fragment.unit, expr) > limit {
            let text = format!("`{}` reads all it needs in one step", fragment.text);
            if !self.c_assumptions.contains(&text) {
                self.c_assumptions.push(text);
            }
        }
    }

    fn assigned_call(
        &mut self,
        id: FragmentId,
        lhs: ExprId,
        (rhs, call): (ExprId, ExprId),
        frame: &mut Frame,
        process: &mut Process,
    ) -> Block {
        let unit = self.context.code.fragments[id].unit;
        let Some((function, args)) = self.context.called(unit, call) else { return Block::new() };
        let is_lost = self.is_lost(self.context.code.functions[function].result)
            || self.context.code.fragments[id].effects.defs.iter().any(|object| self.is_lost(*object));
        let place = self.place(unit, lhs, frame).filter(|_| !is_lost);
        // C converts by itself.
        if self.context.embedding.is_some() {
            return self.call(id, function, &args, place, frame, process);
        }
        // Where the value is converted on its way, it stays in an object of its own first.
        let raw = crate::translate::var(Name::from("raw"));
        let converted = self.translated(unit, frame, |translator| translator.returned(rhs, call, raw.clone()));
        let is_converted = place.is_some() && converted.as_ref().is_ok_and(|converted| *converted != raw);
        let between = is_converted.then(|| self.result_variable(function, process)).flatten();
        let (Some(Place::Promela(place)), Some(Place::Promela(between))) = (place.clone(), between) else {
            return self.call(id, function, &args, place, frame, process);
        };
        let mut block = self.call(id, function, &args, Some(Place::Promela(between.clone())), frame, process);
        let value = crate::translate::at(unpick_front_promela::syntax::ExprKind::Var(between));
        let value = self.translated(unit, frame, |translator| translator.returned(rhs, call, value));
        match value {
            Ok(value) => {
                let mut last = vec![step(StmtKind::Assign(place, value))];
                self.mark(&mut last, id, frame);
                append(&mut block, last);
            }
            Err(_) => {
                self.untranslated.insert(id);
            }
        }
        block
    }

    pub(super) fn translated<T>(
        &self,
        unit: usize,
        frame: &Frame,
        ask: impl FnOnce(&crate::translate::Translator<'_>) -> Result<T, Untranslatable>,
    ) -> Result<T, Untranslatable> {
        let variable = |unit: usize, decl: DeclId| self.variable(Some(frame), unit, decl);
        let name = |unit: usize, decl: DeclId| self.c_name(Some(frame), unit, decl);
        self.context.translate(unit, &variable, &name, ask)
    }

    /// The same, with a pointer whose value is in a variable of the model.
    fn pinned<T>(
        &self,
        unit: usize,
        frame: &Frame,
        pinned: Option<(ExprId, Expr)>,
        ask: impl FnOnce(&crate::translate::Translator<'_>) -> Result<T, Untranslatable>,
    ) -> Result<T, Untranslatable> {
        self.translated(unit, frame, |translator| ask(&crate::translate::Translator { pinned, ..translator.clone() }))
    }

    /// The guards of a condition and of its negation.
    pub(super) fn guards(&mut self, id: FragmentId, frame: &mut Frame) -> (Block, Block) {
        let unit = self.context.code.fragments[id].unit;
        let FragmentKind::Condition(expr) = self.context.code.fragments[id].what else {
            return (vec![condition(truth())], vec![condition(truth())]);
        };
        self.note_large_step(id, FragmentKind::Condition(expr));
        let value = self.translated(unit, frame, |translator| translator.expr(expr));
        let plain = self.decisions.plain[id].mapping.clone();
        let negated = self.decisions.negated.get(&id).map_or(Mapping::True, |decision| decision.mapping.clone());
        let mut yes = self.guard(id, false, &plain, value.clone().ok(), frame);
        let mut no = self.guard(id, true, &negated, value.ok().map(negation), frame);
        for step in yes.iter_mut().chain(&mut no) {
            if let Step::Stmt(stmt) = step {
                self.mark_stmt(stmt, id, None);
            }
        }
        (yes, no)
    }

    fn guard(
        &mut self,
        id: FragmentId,
        is_negated: bool,
        mapping: &Mapping,
        value: Option<Expr>,
        frame: &Frame,
    ) -> Block {
        match mapping {
            Mapping::Keep => vec![condition(value.unwrap_or_else(truth))],
            Mapping::True | Mapping::Hide | Mapping::Comment => vec![condition(truth())],
            Mapping::False => vec![condition(falsehood())],
            Mapping::Print => {
                let fragment = &self.context.code.fragments[id];
                let text = if is_negated { &fragment.negated } else { &fragment.text };
                vec![condition(truth()), step(StmtKind::Printf(quoted(text), Vec::new()))]
            }
            Mapping::Text(_) => {
                let mut block = self.rows.steps(id, is_negated);
                self.renamed(&mut block, id, frame);
                self.with_code(&mut block, frame);
                block
            }
        }
    }

    /// What `return value` leaves behind.
    pub(super) fn returned(&mut self, id: FragmentId, frame: &mut Frame, process: &mut Process) -> Block {
        let fragment = &self.context.code.fragments[id];
        let (unit, what) = (fragment.unit, fragment.what);
        let result = match &frame.exit {
            Exit::Process { .. } => None,
            Exit::Inline { result, .. } | Exit::Callable { result, .. } => result.clone(),
        };
        let mut block = match (&self.decisions.plain[id].mapping, what, result) {
            (Mapping::Keep, FragmentKind::Return(value), Some(Place::C(place))) => {
                let assigned = self.translated(unit, frame, |translator| {
                    translator.embedder.ok_or("is not held as C")?.assigned(&place, value)
                });
                assigned.unwrap_or_default()
            }
            (Mapping::Keep, FragmentKind::Return(value), Some(Place::Promela(result))) => {
                let value = self.translated(unit, frame, |translator| translator.expr(value));
                match value {
                    Ok(value) => vec![step(StmtKind::Assign(result, value))],
                    Err(_) => {
                        self.untranslated.insert(id);
                        Block::new()
                    }
                }
            }
            (Mapping::Text(_), _, _) => self.explicit(id, false, frame, process),
            (Mapping::Print, _, Some(_)) if self.decisions.plain[id].is_row() => vec![self.print_step(id)],
            _ => Block::new(),
        };
        self.mark(&mut block, id, frame);
        block
    }
}

/// A text between quotes, short and without anything that means something to `printf`.
fn quoted(text: &str) -> Name {
    let mut safe = String::from("\"");
    for character in text.chars().take(100) {
        match character {
            '"' => safe.push('\''),
            '\\' => safe.push('/'),
            '%' => safe.push_str("%%"),
            '\n' | '\t' => safe.push(' '),
            character if character.is_ascii() && !character.is_ascii_control() => safe.push(character),
            _ => safe.push('?'),
        }
    }
    if text.chars().count() > 100 {
        safe.push_str("...");
    }
    safe.push_str("\\n\"");
    Name::from(safe)
}
