//! Pictures of programs, models and formulas: which states there are, where control goes, which automata stand for what is
//! claimed.

use std::path::Path;

use unpick_logic::formula::AtomId;
use unpick_logic::guard::Guard;
use unpick_logic::translate::translate;
use unpick_program::interp::{Machine, Options};
use unpick_report::Sources as _;
use unpick_report::graph::{MAX_NODES, Picture};
use unpick_report::picture;
use unpick_witness::{
    FlowEdge, FlowGraph, FlowNode, TooManyStates, claim_flow, model_flow, model_states, program_flow, program_states,
};

use crate::args::{ExtractArgs, ExtractTo};
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::{Settings, load};
use crate::model::{is_model, load_model};
use crate::output::{save, say};
use unpick_check::claims::read as read_formula;

/// Draws what `extract --to` names.
pub fn extract(args: &ExtractArgs) -> Outcome<u8> {
    let most = args.most.unwrap_or(MAX_NODES);
    let drawn = match args.to {
        ExtractTo::Automaton if !args.ltl.is_empty() => formulas(args)?,
        ExtractTo::Automaton | ExtractTo::States | ExtractTo::Flow => files(args, most)?,
        ExtractTo::Ir | ExtractTo::C | ExtractTo::Promela | ExtractTo::Never => {
            unreachable!("only pictures should be drawn")
        }
    };
    let text = match args.output.as_deref() {
        Some(path) => written(&drawn, path, "-o", most)?,
        None => written(&drawn, Path::new("stdout.dot"), "-o", most)?,
    };
    match &args.output {
        Some(path) => save(path, &text)?,
        None => say(&text),
    }
    Ok(0)
}

/// Draws where control went in a check.
pub fn save_flow(graphs: &[FlowGraph], path: &Path) -> Outcome<()> {
    save(path, &written(&picture::flow(graphs), path, "--flow", 4 * MAX_NODES)?)
}

/// The picture in the form that the extension of its file names.
pub fn written(drawn: &Picture, path: &Path, flag: &str, most: usize) -> Outcome<String> {
    if drawn.n_nodes() > most {
        return Err(Failure::new(format!("the picture would have {} nodes", drawn.n_nodes()))
            .help(format!("more than {most} are too many to look at; --most N allows more")));
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(drawn.svg()),
        Some("dot" | "gv") => Ok(drawn.dot()),
        Some(_) | None => Err(Failure::new(format!("{flag} {}: the form is known by the extension", path.display()))
            .help("known are .svg, and .dot for Graphviz")),
    }
}

fn files(args: &ExtractArgs, most: usize) -> Outcome<Picture> {
    let layers = Layers::read(&args.input)?;
    let settings = Settings::new(&args.input, &layers)?;
    let name = title(&args.input.files);
    if args.input.files.iter().any(|file| is_model(file)) {
        let loaded = load_model(&settings.files, &settings.flags, &[])?;
        let (model, sources) = (&loaded.model, &loaded.session.sources);
        return match args.to {
            ExtractTo::States => {
                let graph = model_states(model, sources, most).map_err(|error| too_many(error, most))?;
                Ok(picture::states(&graph, &name))
            }
            ExtractTo::Flow => Ok(picture::flow(&model_flow(model, sources, None))),
            _ if model.claims.is_empty() => Err(Failure::new(format!("{name} claims nothing that has an automaton"))
                .help("a model claims with `ltl { ... }` or `never { ... }`; or draw a formula: --to automaton --ltl '[]<> p'")),
            _ => Ok(picture::automata(&claim_flow(model, sources))),
        };
    }
    if args.to == ExtractTo::Automaton {
        return Err(Failure::new("--to automaton draws formulas, or the claims of a model")
            .help("as in: unpick extract --to automaton --ltl '[]<> p' -o p.svg"));
    }
    let loaded = load(&settings)?;
    let text = |file: &str, line: u32| loaded.lines.line(file, line);
    match args.to {
        ExtractTo::States => {
            let machine = Machine::new(&loaded.program, Options::default());
            let graph = program_states(&machine, &text, most).map_err(|error| too_many(error, most))?;
            Ok(picture::states(&graph, &name))
        }
        _ => Ok(picture::flow(&program_flow(&loaded.program, None, &text))),
    }
}

/// The names of the files without their folders: a heading has little room.
fn title(files: &[std::path::PathBuf]) -> String {
    let names = files.iter().filter_map(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    names.collect::<Vec<_>>().join(" ")
}

/// A guard with as few parentheses as a picture needs.
fn guard_text(guard: &Guard, name: &dyn Fn(AtomId) -> String) -> String {
    let is_word = |text: &str| text.chars().all(|character| character.is_alphanumeric() || character == '_');
    let literal = |(atom, is_positive): (AtomId, bool)| {
        let name = name(atom);
        let name = if is_word(&name) { name } else { format!("({name})") };
        if is_positive { name } else { format!("!{name}") }
    };
    let cubes: Vec<String> = guard
        .cubes()
        .iter()
        .map(|cube| cube.literals().map(literal).collect::<Vec<_>>().join(" && "))
        .map(|text| if text.is_empty() { "true".to_owned() } else { text })
        .collect();
    if cubes.is_empty() { "false".to_owned() } else { cubes.join(" || ") }
}

fn too_many(TooManyStates: TooManyStates, most: usize) -> Failure {
    Failure::new(format!("there are more than {most} states"))
        .help("a picture of so many shows nothing; make the program smaller, or allow more with --most N")
}

/// The automata of formulas as given: they accept what the formula allows.
fn formulas(args: &ExtractArgs) -> Outcome<Picture> {
    if !args.input.files.is_empty() {
        return Err(Failure::new("--to automaton takes formulas or one model, not both")
            .help("formulas of the model itself are drawn without --ltl"));
    }
    let mut graphs = Vec::new();
    for formula in &args.ltl {
        let parsed = read_formula(formula)?;
        let automaton = translate(&parsed.formula, MAX_NODES)
            .map_err(|error| Failure::new(format!("--ltl: {formula}: {error}")))?;
        let mut graph = FlowGraph { name: formula.clone(), ..FlowGraph::default() };
        // The first node is where runs begin.
        let others = (0..automaton.n_states).filter(|state| *state != automaton.initial);
        let order: Vec<usize> = std::iter::once(automaton.initial).chain(others).collect();
        let place = |state: usize| order.iter().position(|known| *known == state).unwrap_or(0);
        for state in &order {
            graph.nodes.push(FlowNode { is_accepting: automaton.accepting[*state], ..FlowNode::default() });
            for edge in &automaton.edges[*state] {
                let label = guard_text(&edge.guard, &|atom| parsed.name(atom));
                graph.edges.push(FlowEdge { from: place(*state), to: place(edge.target), label, is_reached: None });
            }
        }
        graphs.push(graph);
    }
    Ok(picture::automata(&graphs))
}
