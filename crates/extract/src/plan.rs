//! Treatment of functions: a process, inlined into its callers, a process that callers wait for, or omitted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use unpick_base::IdVec;

use crate::code::{Code, FragmentId, FunctionId, Node};
use crate::effect::{Key, ObjectId};

/// Functions that are put into their callers are no larger than this, with all they call. Where the user says which
/// processes run, they may be larger: a process that is waited for ends, but SPIN removes only the youngest.
const MAX_NODES: usize = 500;
const MAX_NODES_OF_HARNESS: usize = 4000;
/// All processes together are no larger than this if smaller functions to put into others can help it: each of the
/// limits is tried in turn.
const MAX_TOTAL: usize = 60_000;
const SMALLER: [usize; 3] = [100, 20, 0];

/// What becomes of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Treatment {
    /// Runs on its own.
    Process,
    /// Its body stands where it is called.
    Inline,
    /// Runs as a process that the caller waits for.
    Callable,
    /// Calls of it are like calls of functions without bodies.
    Abstract,
    /// It is not called.
    Unused,
}

/// A process from the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// Its function.
    pub function: FunctionId,
    /// How many of them.
    pub count: u32,
    /// Values of its parameters.
    pub arguments: Vec<i32>,
}

/// Options of the harness about functions.
#[derive(Clone, Default, Debug)]
pub struct FunctionSpecs {
    /// Processes from the start: name, count, arguments.
    pub processes: Vec<(String, u32, Vec<i32>)>,
    /// Functions whose bodies stand where they are called.
    pub inline: Vec<String>,
    /// Functions that callers wait for.
    pub callable: Vec<String>,
    /// Functions that stay abstract.
    pub abstracted: Vec<String>,
    /// Functions that run as threads because the environment starts them.
    pub threads: Vec<String>,
}

/// What becomes of all functions.
pub struct Plan {
    treatments: BTreeMap<FunctionId, Treatment>,
    /// Processes from the start.
    pub starts: Vec<Start>,
    /// Whether one of the starts is picked, because it is not specified which of them run.
    pub is_any_start: bool,
    /// Functions that only the environment calls.
    pub roots: Vec<FunctionId>,
    recursive: BTreeSet<FunctionId>,
    writes: BTreeMap<FunctionId, Vec<ObjectId>>,
    given: BTreeSet<(FunctionId, usize)>,
    live: BTreeSet<FunctionId>,
}

impl Plan {
    /// Makes a plan; names of functions that are not there are returned.
    pub fn new(code: &Code, function_specs: &FunctionSpecs) -> Result<Plan, Vec<String>> {
        let mut missing = Vec::new();
        let mut find = |name: &str| {
            let found = code.function_named(name);
            if found.is_none() {
                missing.push(name.to_owned());
            }
            found
        };
        let mut starts: Vec<Start> = Vec::new();
        for (name, count, arguments) in &function_specs.processes {
            starts.extend(find(name).map(|function| Start { function, count: *count, arguments: arguments.clone() }));
        }
        let wanted: Vec<(FunctionId, Treatment)> = [
            (&function_specs.inline, Treatment::Inline),
            (&function_specs.callable, Treatment::Callable),
            (&function_specs.abstracted, Treatment::Abstract),
            (&function_specs.threads, Treatment::Process),
        ]
        .into_iter()
        .flat_map(|(names, treatment)| names.iter().map(move |name| (name, treatment)))
        .filter_map(|(name, treatment)| find(name).map(|function| (function, treatment)))
        .collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let mut plan = Plan {
            treatments: BTreeMap::new(),
            starts,
            is_any_start: false,
            roots: Vec::new(),
            recursive: BTreeSet::new(),
            writes: BTreeMap::new(),
            given: BTreeSet::new(),
            live: BTreeSet::new(),
        };
        if plan.starts.is_empty() {
            // Without a process, functions to wait for are there for the environment.
            let callable = wanted.iter().filter(|(_, treatment)| *treatment == Treatment::Callable);
            plan.roots = callable.map(|(function, _)| *function).collect();
            if plan.roots.is_empty() {
                plan.default_starts(code);
            }
        }
        plan.treatments.extend(plan.roots.iter().map(|function| (*function, Treatment::Callable)));
        for start in &plan.starts {
            plan.treatments.insert(start.function, Treatment::Process);
            plan.given.extend((0..start.arguments.len()).map(|position| (start.function, position)));
        }
        for function in &code.thread_functions {
            plan.treatments.insert(*function, Treatment::Process);
        }
        let wanted: BTreeMap<FunctionId, Treatment> = wanted.into_iter().collect();
        plan.treatments.extend(wanted.iter().filter(|(_, treatment)| **treatment == Treatment::Process));
        let max_nodes = match function_specs.processes.is_empty() {
            true => plan.fitting(code),
            false => MAX_NODES_OF_HARNESS,
        };
        plan.reach(code, &wanted, max_nodes);
        plan.find_writes(code);
        plan.find_live(code);
        Ok(plan)
    }

    /// `main`, or else all functions that no other one calls.
    fn default_starts(&mut self, code: &Code) {
        let start = |function| Start { function, count: 1, arguments: Vec::new() };
        if let Some(main) = code.function_named("main") {
            self.starts.push(start(main));
            return;
        }
        let mut reached: BTreeSet<FunctionId> = BTreeSet::new();
        let is_called: BTreeSet<FunctionId> = code
            .functions
            .iter_enumerated()
            .flat_map(|(caller, function)| function.callees.iter().copied().filter(move |callee| *callee != caller))
            .collect();
        let first = code.functions.ids().filter(|id| !is_called.contains(id));
        // Functions that only call each other in a circle come last.
        for id in first.chain(code.functions.ids()).collect::<Vec<_>>() {
            if reached.contains(&id) {
                continue;
            }
            self.starts.push(start(id));
            let mut open = vec![id];
            while let Some(id) = open.pop() {
                if reached.insert(id) {
                    open.extend(&code.functions[id].callees);
                }
            }
        }
        self.is_any_start = self.starts.len() > 1;
    }

    /// The largest limit for functions inside of others with which the model does not grow out of hand.
    fn fitting(&self, code: &Code) -> usize {
        let (sizes, calls, recursive) = anatomy(code);
        let total = |max_nodes: usize| {
            let mut grown = BTreeMap::new();
            let mut size_of = |id| full_size(id, &calls, &sizes, &recursive, max_nodes, &mut grown);
            let whole = code.functions.ids().map(|id| (id, size_of(id)));
            let is_own = |id: &FunctionId, size: usize| {
                self.treatments.contains_key(id) || recursive.contains(id) || size > max_nodes
            };
            whole.filter(|(id, size)| is_own(id, *size)).fold(0usize, |sum, (_, size)| sum.saturating_add(size))
        };
        std::iter::once(MAX_NODES).chain(SMALLER).find(|limit| total(*limit) <= MAX_TOTAL).unwrap_or(0)
    }

    /// Decides on what processes call.
    fn reach(&mut self, code: &Code, wanted: &BTreeMap<FunctionId, Treatment>, max_nodes: usize) {
        let (sizes, calls, recursive) = anatomy(code);
        let mut grown: BTreeMap<FunctionId, usize> = BTreeMap::new();
        let mut open: Vec<FunctionId> = self.treatments.keys().copied().collect();
        let mut seen: BTreeSet<FunctionId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            if self.treatments.get(&id) == Some(&Treatment::Abstract) {
                continue;
            }
            for callee in &code.functions[id].callees {
                if !self.treatments.contains_key(callee) || self.treatments[callee] == Treatment::Process {
                    let size = full_size(*callee, &calls, &sizes, &recursive, max_nodes, &mut grown);
                    let treatment = match wanted.get(callee) {
                        Some(Treatment::Inline) if recursive.contains(callee) => Treatment::Callable,
                        Some(treatment) => *treatment,
                        None if recursive.contains(callee) || size > max_nodes => Treatment::Callable,
                        None => Treatment::Inline,
                    };
                    let is_process = self.treatments.get(callee) == Some(&Treatment::Process);
                    self.treatments.insert(*callee, if is_process { Treatment::Process } else { treatment });
                }
                if seen.insert(*callee) {
                    open.push(*callee);
                }
            }
        }
        self.recursive = recursive;
    }

    /// Whether a function calls itself, perhaps through others.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive.contains(&function)
    }

    /// What functions write, as sets of bits: of large programs there are many functions, and many objects.
    fn find_writes(&mut self, code: &Code) {
        let objects: Vec<ObjectId> = code.objects.iter().map(|(id, _)| id).collect();
        let positions: HashMap<ObjectId, usize> = objects.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let mut owners = HashMap::new();
        for (id, function) in code.functions.iter_enumerated() {
            owners.extend(function.locals.iter().chain(&function.params).map(|decl| ((function.unit, *decl), id)));
        }
        // Local objects of others are written through pointers.
        let is_visible = |at: usize, function: FunctionId| match &code.objects.get(objects[at]).key {
            Key::Internal(unit, decl) => owners.get(&(*unit, *decl)) != Some(&function),
            Key::External(_) | Key::Field(..) => true,
            Key::Result(..) => false,
        };
        let mut writes: IdVec<FunctionId, Vec<u64>> =
            code.functions.ids().map(|_| vec![0; objects.len().div_ceil(64)]).collect();
        for fragment in code.fragments.iter() {
            let Some(function) = fragment.function else { continue };
            let effects = &fragment.effects;
            for at in effects.defs.iter().chain(&effects.havoc).map(|object| positions[object]) {
                writes[function][at / 64] |= u64::from(is_visible(at, function)) << (at % 64);
            }
        }
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (id, function) in code.functions.iter_enumerated() {
                for callee in function.callees.iter().filter(|callee| **callee != id) {
                    let more = std::mem::take(&mut writes[*callee]);
                    for (own, more) in writes[id].iter_mut().zip(&more) {
                        has_changed |= *more & !*own != 0;
                        *own |= more;
                    }
                    writes[*callee] = more;
                }
            }
        }
        let members = |bits: &Vec<u64>| {
            let is_in = |at: &usize| bits[at / 64] >> (at % 64) & 1 == 1;
            (0..objects.len()).filter(is_in).map(|at| objects[at]).collect()
        };
        self.writes = writes.iter_enumerated().map(|(id, bits)| (id, members(bits))).collect();
    }

    /// What processes may call, also by pointer.
    fn find_live(&mut self, code: &Code) {
        let mut open: Vec<FunctionId> = self.treatments.keys().chain(&code.addressed).copied().collect();
        while let Some(function) = open.pop() {
            if self.live.insert(function) {
                open.extend(&code.functions[function].callees);
            }
        }
    }

    /// Whether anything that runs may call a function.
    pub fn is_live(&self, function: FunctionId) -> bool {
        self.live.contains(&function)
    }

    /// What becomes of a function.
    pub fn treatment(&self, function: FunctionId) -> Treatment {
        self.treatments.get(&function).copied().unwrap_or(Treatment::Unused)
    }

    /// All functions that something becomes of.
    pub fn treatments(&self) -> impl Iterator<Item = (FunctionId, Treatment)> + '_ {
        self.treatments.iter().map(|(function, treatment)| (*function, *treatment))
    }

    /// What a function and all it calls may write.
    pub fn writes(&self, function: FunctionId) -> Vec<ObjectId> {
        self.writes.get(&function).cloned().unwrap_or_default()
    }

    /// Whether the harness gives a value to a parameter.
    pub fn is_given(&self, function: FunctionId, position: usize) -> bool {
        self.given.contains(&(function, position))
    }
}

/// How many calls of which functions stand in each function.
type Calls = BTreeMap<FunctionId, Vec<FunctionId>>;

/// The sizes of functions, what they call how often, and which of them call themselves.
fn anatomy(code: &Code) -> (BTreeMap<FunctionId, usize>, Calls, BTreeSet<FunctionId>) {
    let sizes = code.functions.iter_enumerated().map(|(id, function)| (id, size(&function.body))).collect();
    let recursive = code.functions.ids().filter(|id| is_recursive(code, *id)).collect();
    let mut calls = Calls::new();
    for fragment in code.fragments.iter() {
        if let (Some(caller), Some((callee, _))) = (fragment.function, &fragment.effects.call) {
            calls.entry(caller).or_default().push(*callee);
        }
    }
    (sizes, calls, recursive)
}

fn is_recursive(code: &Code, id: FunctionId) -> bool {
    let mut seen: BTreeSet<FunctionId> = BTreeSet::new();
    let mut open = code.functions[id].callees.clone();
    while let Some(next) = open.pop() {
        if next == id {
            return true;
        }
        if seen.insert(next) {
            open.extend(&code.functions[next].callees);
        }
    }
    false
}

/// The size of a function with everything that stands in it.
fn full_size(
    id: FunctionId,
    calls: &Calls,
    sizes: &BTreeMap<FunctionId, usize>,
    recursive: &BTreeSet<FunctionId>,
    max_nodes: usize,
    grown: &mut BTreeMap<FunctionId, usize>,
) -> usize {
    if let Some(size) = grown.get(&id) {
        return *size;
    }
    // Circles end here: members are never put into each other.
    grown.insert(id, sizes[&id]);
    let mut size = sizes[&id];
    for callee in calls.get(&id).into_iter().flatten() {
        if !recursive.contains(callee) {
            let callee = full_size(*callee, calls, sizes, recursive, max_nodes, grown);
            if callee <= max_nodes {
                size = size.saturating_add(callee);
            }
        }
    }
    grown.insert(id, size);
    size
}

/// How many nodes there are.
pub fn size(nodes: &[Node]) -> usize {
    let mut count = 0;
    walk(nodes, &mut |_| {
        count += 1;
        true
    });
    count
}

/// Visits all fragments in order of appearance.
pub fn fragments(nodes: &[Node]) -> Vec<FragmentId> {
    let mut found = Vec::new();
    walk(nodes, &mut |node| {
        own_fragments(node, &mut found);
        true
    });
    found
}

/// Fragments that happen at most once whenever the function runs: they stand in no loop. Where something jumps back,
/// none is known.
pub fn fragments_once(nodes: &[Node]) -> Vec<FragmentId> {
    let (mut labels, mut jumps_back) = (BTreeSet::new(), false);
    walk(nodes, &mut |node| {
        match node {
            Node::Label(label) => drop(labels.insert(*label)),
            Node::Goto(label) => jumps_back |= labels.contains(label),
            Node::GotoAny(_) => jumps_back = true,
            _ => {}
        }
        true
    });
    let mut found = Vec::new();
    walk(nodes, &mut |node| {
        let is_loop = matches!(node, Node::Loop { .. });
        if !is_loop && !jumps_back {
            own_fragments(node, &mut found);
        }
        !is_loop
    });
    found
}

/// The fragments of a node itself.
fn own_fragments(node: &Node, found: &mut Vec<FragmentId>) {
    match node {
        Node::Do(fragment) | Node::Return(Some(fragment)) => found.push(*fragment),
        Node::If { condition, .. } => found.push(*condition),
        Node::Loop { condition, .. } => found.extend(condition),
        Node::Switch(switch) => found.extend(switch.arms.iter().flat_map(|arm| &arm.conditions)),
        Node::Once(_)
        | Node::CaseLabel(_)
        | Node::Label(_)
        | Node::Goto(_)
        | Node::GotoAny(_)
        | Node::Break
        | Node::Continue
        | Node::Return(None)
        | Node::Stop(_) => {}
    }
}

/// Visits nodes in order of appearance, and what is in those of which `visit` says so.
fn walk(nodes: &[Node], visit: &mut dyn FnMut(&Node) -> bool) {
    for node in nodes {
        if !visit(node) {
            continue;
        }
        match node {
            Node::If { then, otherwise, .. } => {
                walk(then, visit);
                walk(otherwise, visit);
            }
            Node::Loop { before, body, step, .. } => {
                walk(before, visit);
                walk(body, visit);
                walk(step, visit);
            }
            Node::Once(body) => walk(body, visit),
            Node::Switch(switch) => {
                switch.arms.iter().for_each(|arm| walk(&arm.body, visit));
                walk(&switch.body, visit);
            }
            Node::Do(_)
            | Node::CaseLabel(_)
            | Node::Label(_)
            | Node::Goto(_)
            | Node::GotoAny(_)
            | Node::Break
            | Node::Continue
            | Node::Return(_)
            | Node::Stop(_) => {}
        }
    }
}
