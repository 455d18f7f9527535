//! Depth-first search with partial-order reduction over the choices of a program, and search by number of context
//! switches (Qadeer and Rehof 2005; Musuvathi and Qadeer 2007).
//!
//! Between two choices a program is deterministic, so only the states at choices are stored. Which thread goes on
//! is a choice before every instruction that other threads can notice, and nowhere else. A deterministic
//! stretch that never ends is noticed when it comes back to a state of its own. What is `Holds` in the end has
//! been followed everywhere; whatever was cut, sampled or met without a meaning is a reason for `Unknown`.

use unpick_program::interp::{Machine, Options};
use unpick_program::{Program, ViolationKind};
use unpick_system::{
    Answer, Budget, Control, Coverage, Engine, Evidence, Fact, Measure, ProofKind, PropertySet, Reason, Reduction,
    Stats, Strategy, Task, Unfit, Verdict, Why, has_threads,
};

use crate::early::Early;
use crate::order::Order;
use crate::search::{End, Search};
use crate::transition_cache::Caching;
use crate::{MOST_THREADS, free_program, safety};

/// Follows every execution of a program, depth first, and thins interleavings out.
pub struct DepthFirst;

/// Follows the executions of a program by number of changes of thread, with nothing thinned out: what it finds is simple.
pub struct FewSwitches;

impl Engine for DepthFirst {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        supports(task)?;
        if task.strategy.bounds.is_some() { Err(Unfit::Foreign) } else { Ok(()) }
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        run(task, None, control)
    }
}

impl Engine for FewSwitches {
    fn name(&self) -> &'static str {
        "few switches"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        let program = supports(task)?;
        // Without bounds this engine helps to find simple executions, of which only the first counts.
        let helps = has_threads(program) && !task.strategy.keeps_going;
        if task.strategy.bounds.is_some() || helps { Ok(()) } else { Err(Unfit::Foreign) }
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        run(task, Some(task.strategy.bounds.unwrap_or((Measure::Preemptions, None))), control)
    }
}

fn supports<'t>(task: &Task<'t>) -> Result<&'t Program, Unfit> {
    use ViolationKind::{EndState, Invariant, Livelock, Ltl};
    let program = free_program(task)?;
    let properties = safety(task.goals).ok_or(Unfit::Foreign)?;
    match [Livelock, Ltl, Invariant, EndState].into_iter().any(|kind| properties.contains(kind)) {
        true => Err(Unfit::Refused(format!("the explicit engine cannot decide {properties}"))),
        false => Ok(program),
    }
}

fn run(task: &Task<'_>, bounds: Option<(Measure, Option<u32>)>, control: &dyn Control) -> Answer {
    let stats = Stats { engine: "explicit", ..Stats::default() };
    let unfit = |reason: String| Answer::new(Verdict::Unknown(Why::because(Reason::unsupported(reason))), stats);
    let (Ok(program), Some(properties)) = (free_program(task), safety(task.goals)) else {
        return unfit("the explicit engine is for safety properties of programs".to_owned());
    };
    if program.entry.is_none() {
        return unfit("the program has no entry".to_owned());
    }
    let strategy = task.strategy;
    let is_early = bounds.is_none() && is_default(strategy);
    Exploration {
        program,
        properties,
        strategy,
        bounds,
        reduction: strategy.reduction,
        early: is_early.then(|| Early::new(strategy.seed)),
        assumptions: Vec::new(),
        coverage: Coverage::default(),
        stats,
    }
    .run(control)
}

/// Whether the first violation ends the search and nothing but time and memory bounds it.
fn is_default(strategy: &Strategy) -> bool {
    let is_bounded = strategy.bounds.is_some() || strategy.depth.is_some() || strategy.unwind.is_some();
    let is_usual = strategy.matching.is_exact() && strategy.reduction == Reduction::default();
    !strategy.keeps_going && !is_bounded && is_usual
}

/// One question and what was learnt about it.
struct Exploration<'p> {
    program: &'p Program,
    properties: PropertySet,
    strategy: &'p Strategy,
    bounds: Option<(Measure, Option<u32>)>,
    reduction: Reduction,
    /// What else the search tries in its pauses.
    early: Option<Early>,
    assumptions: Vec<String>,
    coverage: Coverage,
    stats: Stats,
}

impl<'p> Exploration<'p> {
    fn run(mut self, control: &dyn Control) -> Answer {
        let budget = self.strategy.budget(control);
        loop {
            let mut search = self.search();
            let end = match self.bounds {
                Some((measure, max)) => search.explore_bounds(measure, max, &budget),
                None => self.explore_with_pauses(&mut search, &budget),
            };
            self.keep(&search);
            // The reduction relies on locks; without it the search needs no such faith.
            let is_broken = search.observer.is_lock_broken && search.reduction == Reduction::Dpor;
            if matches!(end, End::Finished(_)) && is_broken {
                self.reduction = Reduction::GlobalAccess;
                continue;
            }
            let answer = self.answer(&mut search, end, control);
            // Freeing millions of states one by one takes longer than the report may.
            if control.is_leaving() {
                std::mem::forget(search);
            }
            return answer;
        }
    }

    fn answer(mut self, search: &mut Search<'p>, end: End, control: &dyn Control) -> Answer {
        if let (Some(early), End::Found(_)) = (&self.early, &end) {
            early.add_cost(&mut self.stats);
        }
        let bounds = search.bounds.clone();
        bounds.iter().for_each(|bound| control.fact(Fact::BoundClosed(*bound)));
        let mut others = search.take_found();
        let found_all = search.findings.found_all && matches!(end, End::Found(_));
        let verdict = match end {
            End::Finished(ledger) => ledger.settle(ProofKind::Exhausted { n_states: search.stats().states }),
            // What was found was found, even if there may be more.
            End::Halted(_) if !others.is_empty() => {
                self.assumptions.push("the search for more violations was cut short".to_owned());
                Verdict::from(others.remove(0))
            }
            End::Halted(why) => Verdict::Unknown(why),
            End::Found(run) => Verdict::from(run),
        };
        Answer {
            others: others.into_iter().map(Evidence::Program).collect(),
            found_all,
            bounds,
            assumptions: self.assumptions,
            coverage: self.coverage,
            ..Answer::new(verdict, self.stats)
        }
    }

    fn search(&self) -> Search<'p> {
        let options = Options {
            is_lazy: true,
            checks: self.properties.iter().collect(),
            max_enumerate: self.strategy.max_enumerate,
            ..Options::default()
        };
        let machine = Machine::new(self.program, options);
        // Levels of interrupts let and forbid steps in ways that footprints do not show.
        let reduction = match (self.bounds.is_some() || !self.strategy.matching.is_exact(), self.reduction) {
            (true, Reduction::Dpor | Reduction::Superstep) => Reduction::GlobalAccess,
            (false, Reduction::Dpor | Reduction::Superstep) if machine.has_interrupts() => Reduction::GlobalAccess,
            (_, reduction) => reduction,
        };
        let mut search = self.over(machine, reduction);
        search.keeps_going = self.strategy.keeps_going;
        if let Some(n_states) = self.strategy.cache_steps_from {
            search.caching = Caching::After(n_states);
        }
        search.visited.matching = self.strategy.matching.clone();
        search.order = Order::new(self.strategy.seed);
        search
    }

    fn over(&self, machine: Machine<'p>, reduction: Reduction) -> Search<'p> {
        let max_threads = self.strategy.max_threads.min(MOST_THREADS);
        Search::new(machine, self.properties, reduction, max_threads)
    }

    /// Explores with pauses for what is tried besides.
    fn explore_with_pauses(&mut self, search: &mut Search<'p>, budget: &Budget<'_>) -> End {
        let Some(mut early) = self.early.take() else { return search.explore(budget) };
        let end = loop {
            search.meter.pause_at = early.pause_at;
            let end = search.explore(budget);
            let is_paused = matches!(end, End::Halted(_)) && std::mem::take(&mut search.meter.is_paused);
            // A search that is over without an answer leaves something open.
            let is_open = matches!(&end, End::Finished(ledger) if !ledger.is_empty());
            if !is_paused && !is_open {
                break end;
            }
            let work = if is_open { early.last_look() } else { search.done() };
            let has_threads = search.machine.has_threads();
            // What is tried besides begins anew and thins nothing out.
            let another =
                || self.over(Machine::new(self.program, search.machine.options.clone()), Reduction::GlobalAccess);
            let found = early.look(work, has_threads, budget, another);
            if let Some((evidence, other)) = found {
                self.keep_notes(&other);
                break End::Found(evidence);
            }
            if is_open {
                break end;
            }
        };
        self.early = Some(early);
        end
    }

    /// Keeps what a search learned beyond its verdict.
    fn keep(&mut self, search: &Search<'p>) {
        let stats = search.stats();
        self.stats.states = stats.states;
        self.stats.transitions = stats.transitions;
        self.stats.depth = self.stats.depth.max(stats.depth);
        self.stats.executions = stats.executions;
        self.stats.instructions = stats.instructions;
        self.stats.peak_bytes = self.stats.peak_bytes.max(stats.peak_bytes);
        self.keep_notes(search);
    }

    /// Keeps what executions rest on and what they reached.
    fn keep_notes(&mut self, search: &Search<'p>) {
        for note in search.notes() {
            if !self.assumptions.contains(note) {
                self.assumptions.push(note.clone());
            }
        }
        let coverage = search.coverage();
        self.coverage.lock_order.extend(coverage.lock_order.clone());
        self.coverage.extend(coverage);
    }
}
