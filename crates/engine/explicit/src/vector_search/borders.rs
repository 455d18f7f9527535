//! Borders of a state vector's components, for stores that share equal parts (tree compression).

use unpick_automaton::Model;
use unpick_automaton::layout::Layout;
use unpick_store::Borders;

/// The borders between the variables of all and the processes of a model's states, as a store sees these.
pub fn borders(model: &Model) -> Borders {
    let (layout, n_hidden) = (Layout::new(model), model.hidden_size as usize);
    Box::new(move |key| {
        let state = [&vec![0; n_hidden], key].concat();
        layout.positions(&state).map(|process| process.at - n_hidden).collect()
    })
}
