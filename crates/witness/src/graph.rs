//! Graphs in the user's terms: states and the steps between them, lines and where control goes. How they are drawn is for
//! others to decide.

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
    pub(crate) fn drop_constants(&mut self) {
        use std::collections::HashMap;
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
