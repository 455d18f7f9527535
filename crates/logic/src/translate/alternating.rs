//! A term as a very weak alternating automaton (Gastin and Oddoux, CAV 2001): obligations on this letter and on the
//! next position.
//!
//! A move is a cube the letter must fulfil and a set of terms that must hold from the next position on. Only temporal
//! terms and literals are states; conjunctions and disjunctions dissolve into sets and choices. The automaton is very
//! weak: a term leads only to itself and to smaller terms, so the only violation of acceptance is an `Until` that is
//! postponed for ever.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::TranslateError;
use super::general::{General, Transition};
use crate::guard::Cube;
use crate::term::{Term, TermId, Terms};

/// The number of acceptance sets a word of marks can hold.
const MAX_UNTILS: usize = 64;

/// Sets of terms are sorted.
type Set = Vec<TermId>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Move {
    cube: Cube,
    targets: Set,
}

/// The alternating automaton of a term, unfolded as far as it has been asked for.
pub(super) struct Alternating {
    terms: Terms,
    moves: HashMap<TermId, Rc<Vec<Move>>>,
    max_states: usize,
    /// How many pairs of moves may still be looked at: their number, unlike that of states, explodes unseen.
    effort: Cell<usize>,
}

/// Pairs of moves to be looked at, for each state allowed.
const EFFORT_PER_STATE: usize = 2_000;

impl Alternating {
    pub(super) fn new(terms: Terms, max_states: usize) -> Self {
        let effort = Cell::new(max_states.saturating_mul(EFFORT_PER_STATE));
        Self { terms, moves: HashMap::new(), max_states, effort }
    }

    /// The automaton over sets of terms. A set is the obligation to satisfy all of them; a transition carries mark `i`
    /// unless it makes the `i`-th `Until` wait.
    pub(super) fn general(mut self, term: TermId) -> Result<General, TranslateError> {
        let mut numbers: HashMap<Set, usize> = HashMap::new();
        let mut sets = vec![self.state_of(term)];
        numbers.insert(sets[0].clone(), 0);
        let mut untils: Vec<TermId> = Vec::new();
        let mut rows: Vec<Vec<(Move, Vec<TermId>)>> = Vec::new();
        // States with the same moves are one state.
        let mut same: HashMap<Vec<(Move, Vec<TermId>)>, usize> = HashMap::new();
        let mut representative: Vec<usize> = Vec::new();
        let mut n_transitions = 0;
        let mut at = 0;
        while at < sets.len() {
            let row = self.row(&sets[at].clone())?;
            let first = *same.entry(row.clone()).or_insert(at);
            representative.push(first);
            if first == at {
                n_transitions += row.len();
                for (step, waiting) in &row {
                    untils.extend(waiting);
                    if !numbers.contains_key(&step.targets) {
                        numbers.insert(step.targets.clone(), sets.len());
                        sets.push(step.targets.clone());
                    }
                }
                untils.sort_unstable();
                untils.dedup();
            }
            rows.push(if first == at { row } else { Vec::new() });
            at += 1;
            if sets.len() > self.max_states || n_transitions > 64 * self.max_states || untils.len() > MAX_UNTILS {
                return Err(TranslateError::TooLarge);
            }
        }
        let all = General::all_marks(untils.len());
        let edges = rows.iter().map(|row| {
            let transition = |(step, waiting): &(Move, Vec<TermId>)| {
                let number = |until: &TermId| untils.binary_search(until).expect("every until should be numbered");
                let waits = waiting.iter().fold(0, |marks, until| marks | 1 << number(until));
                let target = representative[numbers[&step.targets]];
                Transition { cube: step.cube, marks: all & !waits, target }
            };
            row.iter().map(transition).collect()
        });
        Ok(General { initial: 0, edges: edges.collect(), n_sets: untils.len() })
    }

    /// The set that stands for a term.
    fn state_of(&self, term: TermId) -> Set {
        match self.terms.get(term) {
            Term::True => Vec::new(),
            Term::And(operands) => operands.clone(),
            Term::False | Term::Literal(..) | Term::Or(_) | Term::Next(_) | Term::Until(..) | Term::Release(..) => {
                vec![term]
            }
        }
    }

    /// The moves of a set, each with the `Until`s it makes wait; dominated ones are left out.
    fn row(&mut self, set: &Set) -> Result<Vec<(Move, Vec<TermId>)>, TranslateError> {
        let mut moves = vec![Move { cube: Cube::TRUE, targets: Vec::new() }];
        for term in set {
            let more = self.moves(*term)?;
            moves = self.product(&moves, &more, false)?;
        }
        let dominates = |one: &(Move, Vec<TermId>), other: &(Move, Vec<TermId>)| {
            other.0.cube.implies(one.0.cube)
                && is_subset(&one.0.targets, &other.0.targets)
                && is_subset(&one.1, &other.1)
        };
        let mut row: Vec<(Move, Vec<TermId>)> = Vec::new();
        for step in moves {
            let mut waiting = Vec::new();
            for target in &step.targets {
                if self.waits(*target, &step)? {
                    waiting.push(*target);
                }
            }
            let new = (Move { targets: self.without_renewed(&step.targets), ..step }, waiting);
            self.spend(row.len())?;
            if row.iter().any(|old| dominates(old, &new)) {
                continue;
            }
            row.retain(|old| !dominates(&new, old));
            row.push(new);
        }
        row.sort_unstable_by(|(one, _), (other, _)| (one.cube, &one.targets).cmp(&(other.cube, &other.targets)));
        Ok(row)
    }

    /// Leaves out what a `Release` beside it demands at this position anyway: `<>p` beside `[]<>p` may choose the move that
    /// the `<>p` chooses to which `[]<>p` unfolds. Whether it waits has been noted on the way here.
    fn without_renewed(&self, set: &Set) -> Set {
        let mut renewed: Set = Vec::new();
        for term in set {
            if let Term::Release(_, keep) = self.terms.get(*term) {
                renewed.extend(self.state_of(*keep));
            }
        }
        set.iter().copied().filter(|term| !renewed.contains(term)).collect()
    }

    /// Whether the move leaves this target waiting although it is an `Until`: no way to fulfil it agrees with the move.
    fn waits(&mut self, target: TermId, step: &Move) -> Result<bool, TranslateError> {
        if !matches!(self.terms.get(target), Term::Until(..)) {
            return Ok(false);
        }
        let ways = self.moves(target)?;
        let fulfils = |way: &Move| {
            !way.targets.contains(&target) && step.cube.implies(way.cube) && is_subset(&way.targets, &step.targets)
        };
        Ok(!ways.iter().any(fulfils))
    }

    /// The moves of a term.
    fn moves(&mut self, term: TermId) -> Result<Rc<Vec<Move>>, TranslateError> {
        if let Some(moves) = self.moves.get(&term) {
            return Ok(moves.clone());
        }
        let stay = |term: TermId| vec![Move { cube: Cube::TRUE, targets: vec![term] }];
        let moves = match self.terms.get(term).clone() {
            Term::True => vec![Move { cube: Cube::TRUE, targets: Vec::new() }],
            Term::False => Vec::new(),
            Term::Literal(atom, positive) => {
                vec![Move { cube: Cube::literal(atom, positive), targets: Vec::new() }]
            }
            Term::And(operands) => {
                let mut moves = vec![Move { cube: Cube::TRUE, targets: Vec::new() }];
                for operand in operands {
                    let more = self.moves(operand)?;
                    moves = self.product(&moves, &more, true)?;
                }
                moves
            }
            Term::Or(operands) => {
                let mut moves = Vec::new();
                for operand in operands {
                    moves.extend(self.moves(operand)?.iter().cloned());
                }
                self.without_dominated(moves)?
            }
            Term::Next(operand) => {
                let choices = self.choices(operand)?;
                choices.into_iter().map(|targets| Move { cube: Cube::TRUE, targets }).collect()
            }
            Term::Until(left, right) => {
                let (left, right) = (self.moves(left)?, self.moves(right)?);
                let mut moves = self.product(&left, &stay(term), true)?;
                moves.extend(right.iter().cloned());
                self.without_dominated(moves)?
            }
            Term::Release(left, right) => {
                let (left, right) = (self.moves(left)?, self.moves(right)?);
                let until = [left.to_vec(), stay(term)].concat();
                self.product(&right, &until, true)?
            }
        };
        let moves = Rc::new(moves);
        self.moves.insert(term, moves.clone());
        Ok(moves)
    }

    /// The disjunctive normal form over states.
    fn choices(&mut self, term: TermId) -> Result<Vec<Set>, TranslateError> {
        let choices = match self.terms.get(term).clone() {
            Term::True => vec![Vec::new()],
            Term::False => Vec::new(),
            Term::Or(operands) => {
                let mut choices = Vec::new();
                for operand in operands {
                    choices.extend(self.choices(operand)?);
                }
                choices
            }
            Term::And(operands) => {
                let mut choices = vec![Vec::new()];
                for operand in operands {
                    let more = self.choices(operand)?;
                    self.spend(choices.len().saturating_mul(more.len()))?;
                    choices = choices.iter().flat_map(|one| more.iter().map(move |other| union(one, other))).collect();
                }
                choices
            }
            Term::Literal(..) | Term::Next(_) | Term::Until(..) | Term::Release(..) => vec![vec![term]],
        };
        Ok(choices)
    }

    /// Every move of one side together with every move of the other. Between terms a move that another one makes
    /// superfluous is dropped at once; in a row that has to wait until it is known what waits.
    fn product(&self, left: &[Move], right: &[Move], prune: bool) -> Result<Vec<Move>, TranslateError> {
        self.spend(left.len().saturating_mul(right.len()))?;
        let mut moves = Vec::new();
        for one in left {
            for other in right {
                if let Some(cube) = one.cube.and(other.cube) {
                    moves.push(Move { cube, targets: union(&one.targets, &other.targets) });
                }
            }
        }
        if prune { self.without_dominated(moves) } else { Ok(without_repeated(moves)) }
    }

    fn without_dominated(&self, moves: Vec<Move>) -> Result<Vec<Move>, TranslateError> {
        let mut kept: Vec<Move> = Vec::new();
        let dominates =
            |one: &Move, other: &Move| other.cube.implies(one.cube) && is_subset(&one.targets, &other.targets);
        for new in moves {
            self.spend(kept.len())?;
            if !kept.iter().any(|old| dominates(old, &new)) {
                kept.retain(|old| !dominates(&new, old));
                kept.push(new);
            }
        }
        Ok(kept)
    }

    fn spend(&self, n_pairs: usize) -> Result<(), TranslateError> {
        let left = self.effort.get().checked_sub(n_pairs).ok_or(TranslateError::TooLarge)?;
        self.effort.set(left);
        Ok(())
    }
}

fn without_repeated(moves: Vec<Move>) -> Vec<Move> {
    let mut seen = std::collections::HashSet::new();
    moves.into_iter().filter(|step| seen.insert(step.clone())).collect()
}

fn union(one: &Set, other: &Set) -> Set {
    if one.is_empty() || other.is_empty() {
        return if one.is_empty() { other.clone() } else { one.clone() };
    }
    let mut both = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        let smaller = *left.min(right);
        both.push(*smaller);
        one.next_if_eq(&smaller);
        other.next_if_eq(&smaller);
    }
    both.extend(one.chain(other));
    both
}

fn is_subset(one: &Set, other: &Set) -> bool {
    one.iter().all(|term| other.binary_search(term).is_ok())
}
