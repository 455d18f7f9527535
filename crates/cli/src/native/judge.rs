//! Whether a run of the compiled program shows the failure that was found.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use unpick_witness::Finding;

/// What the compiled program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Native {
    /// The failure happened; what the program said about it.
    Reproduced(String),
    /// It did not; what happened instead.
    Otherwise(String),
}

/// Status of the runtime for a hang.
const HANG: i32 = 97;

/// The sanitizers under which a kind of failure shows itself; `None` if nothing in a compiled program tells.
pub fn sanitizers(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "assertion" | "reach-error" | "deadlock" => Some(&[]),
        "data-race" => Some(&["-fsanitize=thread"]),
        "null-dereference" | "out-of-bounds" | "use-after-free" | "double-free" | "invalid-free" | "leak"
        | "overflow" | "division-by-zero" | "invalid-shift" => {
            Some(&["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        }
        _ => None,
    }
}

/// Looks at how the program ended.
pub fn judge(finding: &Finding, ended: Option<(ExitStatus, String)>) -> Native {
    let Some((status, said)) = ended else {
        return Native::Otherwise("the program did not come to an end".to_owned());
    };
    let line = |wanted: &[&str]| said.lines().find(|line| wanted.iter().any(|word| line.contains(word)));
    let found = match finding.kind.as_str() {
        "assertion" | "reach-error" => {
            let place = format!(":{}: ", finding.line);
            let is_there = |line: &&str| line.contains("Assertion") && line.contains(&place);
            let stated = said.lines().find(is_there).or_else(|| line(&["unpick-replay: failed"]));
            // A program may have its own way to say what failed, as long as it ends by it.
            stated
                .or_else(|| (finding.kind == "reach-error").then(|| line(&["Assertion"])).flatten())
                .filter(|_| status.signal() == Some(6))
        }
        "deadlock" => line(&["unpick-replay: hang"]).filter(|_| status.code() == Some(HANG)),
        "data-race" => line(&["ThreadSanitizer: data race"]),
        "leak" => line(&["LeakSanitizer"]),
        "overflow" | "division-by-zero" | "invalid-shift" => line(&["runtime error", "FPE"]),
        _ => line(&["ERROR: AddressSanitizer", "runtime error"]),
    };
    match found {
        Some(line) => Native::Reproduced(line.trim().to_owned()),
        None => Native::Otherwise(instead(status, &said)),
    }
}

fn instead(status: ExitStatus, said: &str) -> String {
    let last = said.lines().rfind(|line| !line.trim().is_empty()).map(|line| format!("; it said: {}", line.trim()));
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("the program ended with status {code}"),
        (None, Some(signal)) => format!("the program was ended by signal {signal}"),
        (None, None) => "the program ended".to_owned(),
    };
    how + &last.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: &str, line: u32) -> Finding {
        Finding { kind: kind.to_owned(), line, ..Finding::default() }
    }

    #[test]
    fn an_assertion_counts_on_its_own_line_only() {
        let said = "a.out: a.c:7: main: Assertion `x' failed.\n".to_owned();
        let aborted = ExitStatus::from_raw(6);
        let native = judge(&finding("assertion", 7), Some((aborted, said.clone())));
        assert!(matches!(native, Native::Reproduced(_)));
        assert!(matches!(judge(&finding("assertion", 8), Some((aborted, said))), Native::Otherwise(_)));
    }

    #[test]
    fn a_hang_needs_the_status_of_the_runtime() {
        let said = "unpick-replay: hang: no thread can go on\n".to_owned();
        let hung = ExitStatus::from_raw(97 << 8);
        assert!(matches!(judge(&finding("deadlock", 1), Some((hung, said.clone()))), Native::Reproduced(_)));
        let fine = ExitStatus::from_raw(0);
        assert!(matches!(judge(&finding("deadlock", 1), Some((fine, said))), Native::Otherwise(_)));
        assert!(matches!(judge(&finding("deadlock", 1), None), Native::Otherwise(_)));
    }
}
