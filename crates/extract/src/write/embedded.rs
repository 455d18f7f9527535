//! Generation of embedded C: records of tracked storage, per-process records, and their declarations.

use unpick_front_c::ast::{DeclId, DeclKind, ExprId, ExprKind, Storage};
use unpick_front_c::types::{QualTy, RecordId, TyId, Type};
use unpick_front_promela::syntax::{Block, Name, Step, StmtKind, TypeName, VarRef};

use super::process::plain_decl;
use super::{Frame, Process, Writer};
use crate::code::{FragmentId, FunctionId};
use crate::effect::ObjectId;
use crate::embed::{BLOCKS, DATA, Heap, INSTANCES, code_expr, code_step};
use crate::names::Names;
use crate::plan::Treatment;
use crate::rules::{Origin, thread_start};
use crate::shape::Untranslatable;
use crate::translate::{step, var_ref};

/// Where a value goes.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A variable of the model.
    Promela(VarRef),
    /// An object of embedded C.
    C(String),
}

/// A member of a record of embedded C: the unit of its type, the type, the name.
pub(super) type Member = (usize, QualTy, String);

/// All that stays C.
#[derive(Default)]
pub(super) struct CData {
    /// Objects of the program in order.
    globals: Vec<(usize, DeclId, String)>,
    /// What they are called.
    names: std::collections::HashMap<ObjectId, String>,
    members: Names,
    /// Records of processes: name, how many, members.
    processes: Vec<(String, Option<u64>, Vec<Member>)>,
}

/// What a process keeps of its function's results and parameters, by name of the member.
pub(super) struct Signature {
    pub(super) result: Option<String>,
    pub(super) params: Vec<Option<String>>,
}

impl Writer<'_> {
    /// The name of a variable in embedded C.
    pub(super) fn c_name(&self, frame: Option<&Frame>, unit: usize, decl: DeclId) -> Result<String, Untranslatable> {
        let object = self.context.object(unit, decl);
        let own = self.context.interner.name(self.context.code.units[unit].decls[decl].name);
        let found = if self.context.is_embedded(unit, decl) {
            let global = object.and_then(|object| self.c.names.get(&object)).cloned();
            global.or_else(|| frame.and_then(|frame| frame.c_names.get(&decl)).cloned())
        } else {
            let global = object.and_then(|object| self.globals.get(&object)).map(|name| format!("now.{name}"));
            global.or_else(|| {
                let frame = frame?;
                let name = frame.names.get(&decl)?;
                // A parameter that never changes may be a number or a constant instead of a variable.
                let is_number = name.starts_with(|first: char| first.is_ascii_digit());
                let is_constant = is_number || self.context.constants.contains_key(&**name);
                Some(if is_constant { name.to_string() } else { format!("P{}->{name}", frame.proctype) })
            })
        };
        found.ok_or_else(|| format!("`{own}` is not declared in the model"))
    }

    /// An object of the program that stays C.
    pub(super) fn c_global(&mut self, unit: usize, decl: DeclId, object: ObjectId) {
        let name = self.c.members.fresh(&self.context.code.objects.get(object).name).to_string();
        self.c.names.insert(object, format!("{DATA}.{name}"));
        self.c.globals.push((unit, decl, name));
    }

    /// Whether an object of the program stays C and is there already.
    pub(super) fn is_c_global(&self, object: ObjectId) -> bool {
        self.c.names.contains_key(&object)
    }

    /// A local object that stays C; what it is called.
    pub(super) fn c_local(&self, unit: usize, decl: DeclId, frame: &mut Frame, process: &mut Process) -> String {
        if let Some(name) = frame.c_names.get(&decl) {
            return name.clone();
        }
        let name = match process.c_locals.get(&(unit, decl)) {
            Some(name) => name.clone(),
            None => {
                let item = &self.context.code.units[unit].decls[decl];
                let wanted = self.context.interner.name(item.name);
                let member = process.member_names.fresh(if wanted.is_empty() { "unnamed" } else { wanted });
                let ty = QualTy::plain(item.ty.ty);
                process.members.push((unit, ty, member.to_string()));
                let name = format!("{}.{member}", process.base);
                process.c_locals.insert((unit, decl), name.clone());
                name
            }
        };
        frame.c_names.insert(decl, name.clone());
        name
    }

    /// A member for a value between two statements.
    pub(super) fn c_member(&self, wanted: &str, unit: usize, ty: TyId, process: &mut Process) -> String {
        let member = process.member_names.fresh(wanted);
        process.members.push((unit, QualTy::plain(ty), member.to_string()));
        format!("{}.{member}", process.base)
    }

    /// How many processes may run a function at the same time; nothing if only one ever does.
    pub(super) fn instances(&self, function: FunctionId) -> Option<(u64, bool)> {
        let plan = self.plan;
        let n_starts: u64 = plan.starts.iter().map(|start| u64::from(start.count.max(1))).sum();
        let of_function = plan.starts.iter().filter(|start| start.function == function);
        let n_own: u64 = of_function.map(|start| u64::from(start.count.max(1))).sum();
        let code = self.context.code;
        let is_started = code.thread_functions.contains(&function) || plan.is_recursive(function);
        let is_called = plan.treatment(function) == Treatment::Callable || plan.roots.contains(&function);
        if n_own == 1 && !is_started && !is_called {
            return None;
        }
        let has_calls = plan.treatments().any(|(_, treatment)| treatment == Treatment::Callable)
            || plan.starts.iter().any(|start| plan.is_recursive(start.function))
            || code.thread_functions.iter().any(|thread| plan.is_recursive(*thread));
        let n_threads = plan.starts.iter().map(|start| self.threads_of(start.function)).sum::<Option<u64>>();
        let n_threads = n_threads.and_then(|n_threads| Some(n_threads + self.n_others?));
        match n_threads {
            // One more for what starts the others.
            Some(n_threads) if !has_calls => Some((n_starts + n_threads + 1, false)),
            _ if has_calls => Some((2 * INSTANCES, true)),
            _ => Some((INSTANCES, true)),
        }
    }

    /// How many threads a function starts, if it does so itself and not in a loop.
    fn threads_of(&self, function: FunctionId) -> Option<u64> {
        let is_start = |id: &FragmentId| self.thread_starts.contains(id);
        let all = self.thread_starts.len() as u64;
        let body = &self.context.code.functions[function].body;
        let single_instance = crate::plan::fragments_once(body).into_iter().filter(is_start).count() as u64;
        (single_instance == all).then_some(all)
    }

    /// The record of a process in C: its name, and what stands before members.
    pub(super) fn c_record(&self, function: FunctionId, proctype: &Name) -> (String, String) {
        let variable = format!("{proctype}_data");
        let base = match self.instances(function) {
            Some(_) => format!("{variable}[P{proctype}->_pid]"),
            None => variable.clone(),
        };
        (variable, base)
    }

    /// What others have to know of a process's record.
    pub(super) fn signature(&self, function: FunctionId, is_callable: bool) -> Signature {
        let item = &self.context.code.functions[function];
        let mut names = Names::default();
        let result = (is_callable && self.c_result(function).is_some()).then(|| names.fresh("result").to_string());
        let params = item.params.iter().map(|param| {
            let object = self.context.object(item.unit, *param)?;
            let is_held = self.context.is_embedded(item.unit, *param) && !self.is_lost(object);
            let wanted = self.context.interner.name(self.context.code.units[item.unit].decls[*param].name);
            is_held.then(|| names.fresh(if wanted.is_empty() { "unnamed" } else { wanted }).to_string())
        });
        let params = params.collect();
        Signature { result, params }
    }

    /// The type of what a function returns, if that stays C.
    pub(super) fn c_result(&self, function: FunctionId) -> Option<TyId> {
        let item = &self.context.code.functions[function];
        let unit = &self.context.code.units[item.unit];
        let Type::Function(ty) = unit.types.get(unit.decls[item.decl].ty.ty) else { return None };
        let is_held = self.context.embedding.is_some()
            && !self.is_lost(item.result)
            && crate::embed::holdable(unit, ty.ret.ty).is_ok();
        is_held.then_some(ty.ret.ty)
    }

    /// Gives a new process its members for results and parameters.
    pub(super) fn c_params(&self, function: FunctionId, is_callable: bool, frame: &mut Frame, process: &mut Process) {
        if self.context.embedding.is_none() {
            return;
        }
        let item = &self.context.code.functions[function];
        let signature = self.signature(function, is_callable);
        if let (Some(_), Some(ty)) = (&signature.result, self.c_result(function)) {
            self.c_member("result", item.unit, ty, process);
        }
        for (param, name) in item.params.iter().zip(signature.params) {
            if name.is_some() {
                self.c_local(item.unit, *param, frame, process);
            }
        }
    }

    /// Remembers the record of a process that is written.
    pub(super) fn c_finish(&mut self, function: FunctionId, proctype: &Name, members: Vec<Member>) {
        if !members.is_empty() {
            let (variable, _) = self.c_record(function, proctype);
            let count = self.instances(function).map(|(count, _)| count);
            self.c.processes.push((variable, count, members));
        }
    }

    /// The value that goes to a place.
    pub(super) fn moved(&self, place: &Place, value: &Place) -> Step {
        match (place, value) {
            (Place::Promela(place), Place::Promela(value)) => step(StmtKind::Assign(
                place.clone(),
                crate::translate::at(unpick_front_promela::syntax::ExprKind::Var(value.clone())),
            )),
            (Place::Promela(place), Place::C(value)) => step(StmtKind::Assign(place.clone(), code_expr(value))),
            (Place::C(place), Place::C(value)) => code_step(&format!("{place} = {value}")),
            (Place::C(place), Place::Promela(value)) => {
                code_step(&format!("{place} = {}", unpick_front_promela::printer::var_text(value)))
            }
        }
    }

    /// A place, in whichever language.
    pub(super) fn place(&self, unit: usize, lhs: ExprId, frame: &Frame) -> Option<Place> {
        self.translated(unit, frame, |translator| {
            Ok(match translator.place(lhs) {
                Ok((place, _)) => Some(Place::Promela(place)),
                Err(_) => translator.embedded(lhs).map(Place::C),
            })
        })
        .ok()
        .flatten()
    }

    /// A statement that reads and writes what others see: first the one, then the other.
    pub(super) fn c_split(&mut self, unit: usize, expr: ExprId, frame: &Frame, process: &mut Process) -> Option<Block> {
        if self.context.embedding.is_none() || !self.is_concurrent() {
            return None;
        }
        let tree = &self.context.code.units[unit];
        let (lhs, rhs) = match tree.exprs[expr].kind {
            ExprKind::Assign { lhs, rhs } => (lhs, Some(rhs)),
            ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => (lhs, None),
            _ => return None,
        };
        let reads = rhs.is_none_or(|rhs| self.n_shared(unit, rhs) > 0);
        let is_malloc = rhs
            .is_some_and(|rhs| crate::embed::allocation(self.context.code, unit, rhs, self.context.interner).is_some());
        if !reads || is_malloc || tree.exprs[lhs].ty.is_atomic() || self.n_shared(unit, lhs) == 0 {
            return None;
        }
        let Some(Place::C(place)) = self.place(unit, lhs, frame) else { return None };
        let whole = self
            .translated(unit, frame, |translator| translator.embedder.ok_or("is not held as C")?.text(expr))
            .ok()?;
        let ty = tree.exprs[lhs].ty.ty;
        crate::embed::holdable(tree, ty).ok()?;
        let known = process.c_values.get(&(unit, ty)).cloned();
        let value = known.unwrap_or_else(|| self.c_member("value_between", unit, ty, process));
        process.c_values.insert((unit, ty), value.clone());
        let first = match (&tree.exprs[expr].kind, whole.strip_prefix(&place)) {
            (ExprKind::IncDec { is_inc, .. }, _) => {
                format!("{value} = {place}; {value}{}", if *is_inc { "++" } else { "--" })
            }
            (ExprKind::Assign { .. }, Some(rest)) => format!("{value}{rest}"),
            (_, Some(rest)) => format!("{value} = {place}; {value}{rest}"),
            (_, None) => return None,
        };
        let is_scalar = !tree.types.is_array(ty) && tree.types.record_of(ty).is_none();
        let forget = if is_scalar { format!("; {value} = 0") } else { String::new() };
        Some(vec![code_step(&first), code_step(&format!("{place} = {value}{forget}"))])
    }

    /// Whether several processes run.
    pub(super) fn is_concurrent(&self) -> bool {
        let n_starts: u32 = self.plan.starts.iter().map(|start| start.count.max(1)).sum();
        let is_alone = n_starts <= 1 || self.plan.is_any_start;
        !(is_alone && self.context.code.thread_functions.is_empty() && self.n_others == Some(0))
    }

    /// How many objects an expression touches that others may see.
    pub(super) fn n_shared(&self, unit: usize, expr: ExprId) -> usize {
        let tree = &self.context.code.units[unit];
        let inner = || crate::normal::children(&tree.exprs[expr].kind).into_iter();
        let below = |this: &Self| inner().map(|child| this.n_shared(unit, child)).sum::<usize>();
        match &tree.exprs[expr].kind {
            ExprKind::Decl(decl) => usize::from(match &tree.decls[*decl].kind {
                DeclKind::Var(var) => {
                    let is_local = matches!(var.storage, Storage::Automatic | Storage::Parameter);
                    let object = self.context.object(unit, *decl);
                    let escapes =
                        |embedding: &crate::embed::Embedding| object.is_some_and(|object| embedding.escapes(object));
                    let is_constant = tree.decls[*decl].ty.is_const();
                    !is_constant && (!is_local || self.context.embedding.as_ref().is_some_and(escapes))
                }
                DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => false,
            }),
            // Only the address counts.
            ExprKind::AddrOf(place) => self.n_shared(unit, *place).saturating_sub(1),
            ExprKind::Deref(pointer) if crate::effect::indexed_array(tree, *pointer).is_none() => below(self) + 1,
            _ => below(self),
        }
    }

    /// Gives a thread that was started its argument, before it can do anything.
    pub(super) fn with_argument(&self, id: FragmentId, mut steps: Block, frame: &Frame) -> Block {
        let Some(start) = thread_start(self.context.code, self.context.interner, id) else { return steps };
        let is_row = matches!(self.decisions.plain[id].origin, Origin::Library(_));
        let Some(proctype) = self.processes.get(&start.function).filter(|_| is_row && !steps.is_empty()) else {
            return steps;
        };
        let Some(Some(member)) = self.signature(start.function, false).params.first().cloned() else { return steps };
        let unit = self.context.code.fragments[id].unit;
        let texts = self.translated(unit, frame, |translator| {
            let embedder = translator.embedder.ok_or("is not held as C")?;
            Ok((embedder.text(start.handle)?, embedder.text(start.argument)?))
        });
        let Ok((handle, argument)) = texts else { return steps };
        let (variable, _) = self.c_record(start.function, proctype);
        let run = steps.remove(0);
        let given = code_step(&format!("{variable}[{handle}].{member} = {argument}"));
        steps.insert(0, step(StmtKind::Atomic(vec![run, given])));
        steps
    }

    /// A variable of this process, declared on first sight.
    pub(super) fn helper(&self, name: &str, ty: TypeName, process: &mut Process) -> VarRef {
        let name = Name::from(name);
        if process.declared.insert(name.clone()) {
            process.decls.push(plain_decl(ty, name.clone()));
        }
        var_ref(name)
    }

    /// Everything that stays C, as the model declares it; `processes` is their text.
    pub(super) fn c_text(&mut self, processes: &str) -> String {
        let Some(embedding) = &self.context.embedding else { return String::new() };
        let mut objects = String::new();
        let mut tracked: Vec<String> = Vec::new();
        let mut bytes = 0;
        let heaps: Vec<&Heap> =
            embedding.heaps().iter().filter(|heap| processes.contains(&format!("{}_take(", heap.name))).collect();
        self.c_objects(&mut objects, &mut tracked, &mut bytes);
        for heap in &heaps {
            self.heap_objects(heap, &mut objects, &mut tracked, &mut bytes);
        }
        if heaps.is_empty() && objects.is_empty() {
            return String::new();
        }
        let functions = self.function_stubs(&format!("{processes}{objects}"));
        let releases = if processes.contains("heap_release(") { release(&heaps) } else { String::new() };
        let records = self.records(&format!("{processes}{objects}{functions}"));
        for heap in &heaps {
            let text =
                format!("at most {BLOCKS} blocks of `{}` are in use at the same time, which is asserted", heap.name);
            self.c_assumptions.push(text);
        }
        let mut text = String::new();
        if bytes > 800 {
            let size = (bytes + 1024).next_power_of_two();
            text.push_str(&format!("/* States are large: compile pan.c with -DVECTORSZ={size}. */\n"));
        }
        text.push_str("c_decl {\n");
        for line in [records, functions, objects, releases].concat().trim_end().lines() {
            text.push_str(if line.is_empty() || line.starts_with('#') { "" } else { "    " });
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("}\n\n");
        for name in tracked {
            text.push_str(&format!("c_track \"&{name}\" \"sizeof({name})\" \"Matched\"\n"));
        }
        text
    }

    /// Records for the objects of the program and for those of processes.
    fn c_objects(&self, text: &mut String, tracked: &mut Vec<String>, bytes: &mut u64) {
        if !self.c.globals.is_empty() {
            text.push_str("/* The objects of the program. */\nstruct {\n");
            let mut values = Vec::new();
            for (unit, decl, name) in &self.c.globals {
                let item = &self.context.code.units[*unit].decls[*decl];
                self.c_member_text(&(*unit, item.ty, name.clone()), text, bytes);
                let DeclKind::Var(var) = &item.kind else { continue };
                if let Some(init) = &var.init {
                    let names = |unit: usize, decl: DeclId| self.c_name(None, unit, decl);
                    let value =
                        self.context.translate(*unit, &|_, _| Err(Untranslatable::new()), &names, |translator| {
                            let embedder = translator.embedder.ok_or("is not held as C")?;
                            embedder.static_init(init, item.ty.ty)
                        });
                    values.extend(value.ok().map(|value| format!("    .{name} = {value}")));
                }
            }
            let values = if values.is_empty() { String::new() } else { format!(" = {{\n{}\n}}", values.join(",\n")) };
            text.push_str(&format!("}} {DATA}{values};\n\n"));
            tracked.push(DATA.to_owned());
        }
        for (variable, count, members) in &self.c.processes {
            let mut own = 0;
            let process = variable.trim_end_matches("_data");
            text.push_str(&format!("/* The local objects of {process}. */\nstruct {{\n"));
            members.iter().for_each(|member| self.c_member_text(member, text, &mut own));
            let extent = count.map_or(String::new(), |count| format!("[{count}]"));
            text.push_str(&format!("}} {variable}{extent};\n\n"));
            *bytes += own * count.unwrap_or(1);
            tracked.push(variable.clone());
        }
    }

    fn c_member_text(&self, (unit, ty, name): &Member, text: &mut String, bytes: &mut u64) {
        let types = &self.context.code.units[*unit].types;
        let declared = self.context.embed(*unit, |embedder| embedder.declarator(QualTy::plain(ty.ty), name));
        let mut declared = declared.unwrap_or_else(|_| format!("int {name}"));
        // Objects of the model are given values also where the program only initialises them.
        if types.is_array(ty.ty) && declared.starts_with("const ") {
            declared.replace_range(..6, "");
        }
        text.push_str(&format!("    {declared};\n"));
        *bytes += types.size_of(ty.ty).unwrap_or(0);
    }

    /// Blocks for what is allocated, and who takes them.
    fn heap_objects(&self, heap: &Heap, text: &mut String, tracked: &mut Vec<String>, bytes: &mut u64) {
        let name = &heap.name;
        let block = format!("block[{BLOCKS}][{}]", heap.count);
        text.push_str("/* What malloc gives. */\nstruct {\n");
        let mut own = 0;
        self.c_member_text(&(heap.unit, QualTy::plain(heap.ty), block), text, &mut own);
        text.push_str(&format!("    unsigned char is_used[{BLOCKS}];\n}} {name};\n\n"));
        let search = format!("    while (at < {BLOCKS} && {name}.is_used[at])\n        at++;\n");
        text.push_str(&format!(
            "int {name}_has_room(void)\n{{\n    int at = 0;\n{search}    return at < {BLOCKS};\n}}\n\n"
        ));
        text.push_str(&format!("void *{name}_take(void)\n{{\n    int at = 0;\n{search}"));
        text.push_str(&format!("    if (at == {BLOCKS})\n        return 0;\n    {name}.is_used[at] = 1;\n"));
        text.push_str(&format!("    return {name}.block[at];\n}}\n\n"));
        *bytes += own * BLOCKS * heap.count + BLOCKS;
        tracked.push(name.clone());
    }

    /// Functions that only have an address, for those whose address the program takes.
    fn function_stubs(&self, text: &str) -> String {
        let Some(embedding) = &self.context.embedding else { return String::new() };
        let mut stubs = String::new();
        let words: std::collections::HashSet<String> = crate::pattern::words(text).into_iter().collect();
        for (id, function) in self.context.code.functions.iter_enumerated() {
            let name = embedding.function(id);
            if !words.contains(name) {
                continue;
            }
            let ty = self.context.code.units[function.unit].decls[function.decl].ty;
            let head = self.context.embed(function.unit, |embedder| embedder.declarator(ty, name));
            stubs.push_str(&head.map(|head| format!("{};\n", head)).unwrap_or_default());
            stubs.push_str(&self.stub_body(id, name));
        }
        stubs
    }

    fn stub_body(&self, id: FunctionId, name: &str) -> String {
        let function = &self.context.code.functions[id];
        let unit = &self.context.code.units[function.unit];
        let Type::Function(ty) = unit.types.get(unit.decls[function.decl].ty.ty) else { return String::new() };
        let params: Vec<String> = (ty.params.iter().enumerate())
            .filter_map(|(at, param)| {
                let name = format!("argument_{}", at + 1);
                self.context.embed(function.unit, |embedder| embedder.declarator(QualTy::plain(*param), &name)).ok()
            })
            .collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let head =
            self.context.embed(function.unit, |embedder| embedder.declarator(ty.ret, &format!("{name}({params})")));
        head.map(|head| format!("{head} {{ }} /* Only its address matters. */\n\n")).unwrap_or_default()
    }

    /// The records that a text mentions, each behind what lies in it.
    fn records(&self, text: &str) -> String {
        let mut done: Vec<String> = Vec::new();
        let mut result = String::new();
        let mut open = vec![text.to_owned()];
        let mut wanted: Vec<(usize, RecordId)> = Vec::new();
        while let Some(text) = open.pop() {
            let words = crate::pattern::words(&text);
            for pair in words.windows(2).filter(|pair| matches!(pair[0].as_str(), "struct" | "union")) {
                let Some((unit, record)) = self.record_with_tag(&pair[1]) else { continue };
                if !done.contains(&pair[1]) {
                    done.push(pair[1].clone());
                    wanted.push((unit, record));
                    open.extend(self.context.embed(unit, |embedder| embedder.record_definition(record)));
                }
            }
        }
        wanted.sort_by_key(|(unit, record)| (*unit, record.0));
        let mut written: Vec<(usize, RecordId)> = Vec::new();
        for (unit, record) in &wanted {
            self.record_text(*unit, *record, &wanted, &mut written, &mut result);
        }
        result
    }

    fn record_text(
        &self,
        unit: usize,
        record: RecordId,
        wanted: &[(usize, RecordId)],
        written: &mut Vec<(usize, RecordId)>,
        result: &mut String,
    ) {
        if written.contains(&(unit, record)) {
            return;
        }
        written.push((unit, record));
        let types = &self.context.code.units[unit].types;
        let item = &types.records[record];
        let mut inner: Vec<TyId> = item.fields.iter().map(|field| field.ty.ty).collect();
        while let Some(ty) = inner.pop() {
            match types.get(ty) {
                Type::Array { element, .. } => inner.push(element.ty),
                Type::Record(contained) if wanted.contains(&(unit, *contained)) => {
                    self.record_text(unit, *contained, wanted, written, result);
                }
                // An unnamed record stands in place; what lies in it may not.
                Type::Record(contained) => {
                    inner.extend(types.records[*contained].fields.iter().map(|field| field.ty.ty))
                }
                _ => {}
            }
        }
        if item.layout.is_none() {
            return;
        }
        let text = self.context.embed(unit, |embedder| embedder.record_definition(record));
        result.push_str(&text.unwrap_or_default());
        result.push('\n');
    }

    fn record_with_tag(&self, tag: &str) -> Option<(usize, RecordId)> {
        let embedding = self.context.embedding.as_ref()?;
        let all = self.context.code.units.iter().enumerate();
        let mut records =
            all.flat_map(|(unit, tree)| tree.types.records.iter_enumerated().map(move |(id, item)| (unit, id, item)));
        // Where one unit only declares it, another one may know what it is.
        let found: Vec<_> = records.by_ref().filter(|(unit, id, _)| embedding.tag(*unit, *id) == tag).collect();
        let known = found.iter().find(|(_, _, item)| item.layout.is_some()).or(found.first())?;
        Some((known.0, known.1))
    }
}

/// Where a model's own text stands for an expression of the program: replaced by what it is called in a process.
pub(super) fn filled_in(block: &mut Block, text: &dyn Fn(usize, ExprId) -> String, own: &str) {
    let replaced = |old: &str| crate::rows::without_marks(old, text, own);
    crate::rows::replace_code(block, &replaced);
}

/// `free`, and whether something can be freed.
fn release(heaps: &[&Heap]) -> String {
    let mut holds =
        String::from("int heap_holds(void *pointer)\n{\n    int at;\n    if (!pointer)\n        return 1;\n");
    let mut frees = String::from("void heap_release(void *pointer)\n{\n    int at;\n");
    for heap in heaps {
        let name = &heap.name;
        let head = format!("    for (at = 0; at < {BLOCKS}; at++)\n        if (pointer == {name}.block[at]");
        holds.push_str(&format!("{head} && {name}.is_used[at])\n            return 1;\n"));
        frees.push_str(&format!("{head}) {{\n            {name}.is_used[at] = 0;\n"));
        frees.push_str(&format!("            memset({name}.block[at], 0, sizeof({name}.block[at]));\n        }}\n"));
    }
    format!("{holds}    return 0;\n}}\n\n{frees}}}\n\n")
}
