//! Steps that a process can only take when it is the last: `_nr_pr == 1`, by which one process waits for all others.
//!
//! What comes behind such a step touches nothing that matters to any other process, for that one has ended by then. So
//! the analysis of what may still be touched from a location on stops there.

use crate::{Binary, Expr, Step, Transition};

/// Whether the transition can only be taken by a process that is alone.
pub(super) fn needs_to_be_alone(transition: &Transition) -> bool {
    let Step::Condition(condition) = &transition.step else { return false };
    most(condition).is_some_and(|most| most <= 1)
}

/// The most processes there can be where the condition holds, if it says anything about that.
fn most(condition: &Expr) -> Option<i64> {
    let Expr::Binary(operator, left, right) = condition else { return None };
    match operator {
        Binary::And => [most(left), most(right)].into_iter().flatten().min(),
        Binary::Or => Some(most(left)?.max(most(right)?)),
        Binary::Equal => bound(left, right, 0).or_else(|| bound(right, left, 0)),
        Binary::LessEqual => bound(left, right, 0),
        Binary::Less => bound(left, right, 1),
        Binary::GreaterEqual => bound(right, left, 0),
        Binary::Greater => bound(right, left, 1),
        _ => None,
    }
}

/// The most processes there can be if their number, with something added, is no more than a constant less `less`.
fn bound(number: &Expr, constant: &Expr, less: i64) -> Option<i64> {
    let Expr::Const(constant) = constant else { return None };
    let limit = i64::from(*constant) - less;
    match number {
        Expr::ProcessCount => Some(limit),
        Expr::Binary(Binary::Add, number, added) => match (&**number, &**added) {
            (Expr::ProcessCount, Expr::Const(added)) => Some(limit - i64::from(*added)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(operator: Binary, left: Expr, right: Expr) -> Expr {
        Expr::Binary(operator, Box::new(left), Box::new(right))
    }

    #[test]
    fn conditions_bound_the_number_of_processes() {
        let count = || Expr::ProcessCount;
        let number = Expr::Const;
        assert_eq!(most(&compared(Binary::Equal, count(), number(1))), Some(1));
        assert_eq!(most(&compared(Binary::Equal, number(3), count())), Some(3));
        assert_eq!(most(&compared(Binary::Less, count(), number(2))), Some(1));
        assert_eq!(most(&compared(Binary::Greater, number(2), count())), Some(1));
        assert_eq!(most(&compared(Binary::Less, number(2), count())), None);
        assert_eq!(most(&compared(Binary::NotEqual, count(), number(1))), None);
        // Beside a claim.
        let beside = compared(Binary::Add, count(), number(1));
        assert_eq!(most(&compared(Binary::LessEqual, beside.clone(), number(2))), Some(1));
        let one = || compared(Binary::Equal, count(), number(1));
        let other = || compared(Binary::Equal, Expr::Pid, number(0));
        assert_eq!(most(&compared(Binary::And, other(), one())), Some(1));
        assert_eq!(most(&compared(Binary::Or, other(), one())), None);
    }
}
