//! Graphs in the user's terms: states and the steps between them, lines and where control goes. How they are drawn is for
//! others to decide.

use std::collections::HashMap;

/// All states of a small program or model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateGraph {
    /// The states; the first is where everything begins.
    pub states: Vec<ShownState>,
    /// The steps, in the order found.
    pub steps: Vec<ShownStep>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownState {
    /// Positions of threads.
    pub places: Vec<(String, String)>,
    /// Variables with their values; those that never differ are left out.
    pub values: Vec<(String, String)>,
    /// What there is to say of it.
    pub remark: String,
    /// Whether it is special.
    pub mark: Mark,
}

/// Whether a state is special.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mark {
    /// It is not.
    #[default]
    None,
    /// Everything is over, as it should be.
    End,
    /// Something is wrong.
    AutomatonViolation,
    /// What follows is not known.
    Open,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownStep {
    /// A position in the states.
    pub from: usize,
    /// Another.
    pub to: usize,
    /// The actor and its step.
    pub label: Vec<String>,
    /// It goes wrong.
    pub is_wrong: bool,
}

/// There are too many states for a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStates;

impl StateGraph {
    /// Leaves out the variables that have the same value in every state that has them.
    fn drop_constants(&mut self) {
        let mut known: HashMap<String, (String, bool)> = HashMap::new();
        for (name, value) in self.states.iter().flat_map(|state| &state.values) {
            let entry = known.entry(name.clone()).or_insert_with(|| (value.clone(), false));
            // What holds at some times only is news as well.
            entry.1 |= entry.0 != *value || name.ends_with("holds");
        }
        for state in &mut self.states {
            state.values.retain(|(name, _)| known.get(name).is_some_and(|(_, differs)| *differs));
        }
    }
}

/// A graph of states while it is built, breadth first; `S` is what is needed to go on from a state.
pub(crate) struct StateGraphBuilder<S> {
    pub(crate) graph: StateGraph,
    numbers: HashMap<Vec<u8>, usize>,
    /// Nothing for those after which nothing follows.
    states: Vec<Option<S>>,
    n_followed: usize,
    most: usize,
}

impl<S: Clone> StateGraphBuilder<S> {
    /// An empty graph that is to have no more states than this.
    pub(crate) fn new(most: usize) -> Self {
        Self { graph: StateGraph::default(), numbers: HashMap::new(), states: Vec::new(), n_followed: 0, most }
    }

    /// The number of a state, which may be new. Of one that is known, what is shown now and was shown before is kept.
    pub(crate) fn arrive(&mut self, key: Vec<u8>, shown: ShownState, state: S) -> Result<usize, TooManyStates> {
        if let Some(number) = self.numbers.get(&key) {
            self.graph.states[*number].values.retain(|value| shown.values.contains(value));
            return Ok(*number);
        }
        let number = self.add(shown, Some(state))?;
        self.numbers.insert(key, number);
        Ok(number)
    }

    /// A state after which nothing follows; equal ones are one.
    pub(crate) fn end(&mut self, shown: ShownState) -> Result<usize, TooManyStates> {
        let mut known = self.graph.states.iter().zip(&self.states);
        let known = known.position(|(known, state)| state.is_none() && *known == shown);
        known.map_or_else(|| self.add(shown, None), Ok)
    }

    /// A state that equals no other, and may go on.
    pub(crate) fn add(&mut self, shown: ShownState, state: Option<S>) -> Result<usize, TooManyStates> {
        if self.states.len() >= self.most {
            return Err(TooManyStates);
        }
        self.graph.states.push(shown);
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    pub(crate) fn step(&mut self, from: usize, to: usize, label: Vec<String>, is_wrong: bool) {
        self.graph.steps.push(ShownStep { from, to, label, is_wrong });
    }

    /// The next state from which steps are to be found, with its number.
    pub(crate) fn next(&mut self) -> Option<(usize, S)> {
        let waiting = self.states[self.n_followed..].iter().position(Option::is_some)?;
        let at = self.n_followed + waiting;
        self.n_followed = at + 1;
        Some((at, self.states[at].clone()?))
    }

    /// The graph, when all states have been followed.
    pub(crate) fn finish(mut self) -> StateGraph {
        self.graph.drop_constants();
        self.graph
    }
}

/// Where control can go in a function or process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FlowGraph {
    /// The function or process, as a heading.
    pub name: String,
    /// The nodes; the first is where it begins.
    pub nodes: Vec<FlowNode>,
    /// Where control can go.
    pub edges: Vec<FlowEdge>,
}

/// Lines that come one after the other, or a place between two statements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FlowNode {
    /// Numbers and texts of lines.
    pub lines: Vec<(u32, String)>,
    /// Labels of a place.
    pub labels: Vec<String>,
    /// Whether any execution came here, if that was recorded.
    pub is_reached: Option<bool>,
    /// It may end here.
    pub is_end: bool,
    /// An accepting state: visited infinitely often by accepted runs.
    pub is_accepting: bool,
}

/// Control can go from one node to another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FlowEdge {
    /// A position in the nodes.
    pub from: usize,
    /// Another.
    pub to: usize,
    /// When, or doing what.
    pub label: String,
    /// Whether any execution took this edge, if that was recorded.
    pub is_reached: Option<bool>,
}
