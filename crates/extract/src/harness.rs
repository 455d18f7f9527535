//! The harness (environment) of the extracted functions: which of them run as processes, and how their environment
//! behaves.

use crate::plan::FunctionSpecs;

/// How the model holds the data of the program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Data {
    /// As variables of Promela, pointers as numbers; what does not fit is not held.
    #[default]
    Promela,
    /// As it is declared, in embedded C.
    C,
}

/// The harness, as a configuration file or the command line describes it.
#[derive(Clone, Default, Debug)]
pub struct Harness {
    /// Processes: `name`, `name*3`, `name(1, 2)`.
    pub processes: Vec<String>,
    /// Functions whose bodies stand where they are called.
    pub inline: Vec<String>,
    /// Functions that callers run and wait for.
    pub callable: Vec<String>,
    /// Functions that stay abstract.
    pub abstracted: Vec<String>,
    /// Declarations for the model.
    pub declare: Vec<String>,
    /// Promela texts: name and content.
    pub environment: Vec<(String, String)>,
    /// Formulas: name and text.
    pub ltl: Vec<(String, String)>,
    /// Expressions that hold in every state: name and text.
    pub invariants: Vec<(String, String)>,
    /// Formulas that are given with the model and not written into it; what they speak of is there.
    pub spoken: Vec<(String, String)>,
    /// Whether a statement is one step, whatever it touches.
    pub has_large_steps: bool,
    /// Whether waits for conditions end only when they are signalled.
    pub no_spurious: bool,
    /// Whether `malloc` may fail.
    pub malloc_fails: bool,
    /// Objects whose value something outside the program may change.
    pub any_value: Vec<String>,
    /// How data is held.
    pub data: Data,
}

impl Harness {
    /// What it says about functions; a sentence about what cannot be read.
    pub fn function_specs(&self) -> Result<FunctionSpecs, String> {
        Ok(FunctionSpecs {
            processes: self.processes.iter().map(|text| process(text)).collect::<Result<_, _>>()?,
            inline: self.inline.clone(),
            callable: self.callable.clone(),
            abstracted: self.abstracted.clone(),
            threads: Vec::new(),
        })
    }
}

/// `name`, `name*3`, `name(1, 2)`.
fn process(text: &str) -> Result<(String, u32, Vec<i32>), String> {
    let wrong = || format!("`{text}` is no process: write a function as `name`, `name*3` or `name(1, 2)`");
    let (head, arguments) = match text.split_once('(') {
        Some((head, rest)) => {
            let list = rest.trim().strip_suffix(')').ok_or_else(wrong)?;
            let numbers = list.split(',').map(str::trim).filter(|word| !word.is_empty());
            let numbers: Result<Vec<i32>, _> = numbers.map(str::parse).collect();
            (head, numbers.map_err(|_| wrong())?)
        }
        None => (text, Vec::new()),
    };
    let (name, count) = match head.split_once('*') {
        Some((name, count)) => (name, count.trim().parse().map_err(|_| wrong())?),
        None => (head, 1),
    };
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if !is_name || count == 0 { Err(wrong()) } else { Ok((name.to_owned(), count, arguments)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_counts_or_values() {
        assert_eq!(process("sender"), Ok(("sender".into(), 1, vec![])));
        assert_eq!(process("phone*3"), Ok(("phone".into(), 3, vec![])));
        assert_eq!(process("phone(0, -1)"), Ok(("phone".into(), 1, vec![0, -1])));
        assert!(process("phone(x)").is_err() && process("*3").is_err() && process("a*0").is_err());
    }
}
