//! A saved trace as a program under a debugger: the Debug Adapter Protocol over a [`Walk`].
//!
//! A session takes requests and gives the messages to send; it neither reads nor writes a stream. Threads have their
//! numbers plus one, because clients take 0 for none.

mod request;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unpick_witness::walk::{Activation, Arrival, Variable, Walk};
use unpick_witness::{Finding, SavedTrace};

use request::Request;

/// The variables that all share.
const GLOBALS: u64 = 1;
/// Those of activations follow, by the number of the frame.
const FIRST_LOCALS: u64 = 2;
/// Frames of one thread.
const MAX_DEPTH: u64 = 1 << 20;

/// Reads a trace; what is wrong with it in words.
type Load = Box<dyn Fn(&Path) -> Result<SavedTrace, String>>;

/// One client at work.
pub struct Session {
    /// Reads a trace by its path.
    load: Load,
    /// The trace that was named on the command line.
    given: Option<PathBuf>,
    opened: Option<Opened>,
    n_sent: u64,
    is_over: bool,
}

/// A trace that is being walked through.
struct Opened {
    walk: Walk,
    finding: Finding,
    saved: SavedTrace,
}

type Answer = Result<Value, String>;

impl Session {
    pub fn new(given: Option<PathBuf>, load: Load) -> Session {
        Session { load, given, opened: None, n_sent: 0, is_over: false }
    }

    /// Whether the client has said goodbye.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// What to send for a request.
    pub fn handle(&mut self, message: &Value) -> Vec<Value> {
        let Some(request) = Request::read(message) else { return Vec::new() };
        let mut events = Vec::new();
        let answer = self.answer(&request, &mut events);
        let mut response = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => response["body"] = body,
            Err(why) => {
                response["message"] = json!(why);
                response["body"] = json!({ "error": { "id": 1, "format": why, "showUser": true } });
            }
        }
        let mut messages = vec![response];
        messages
            .extend(events.into_iter().map(|(event, body)| json!({ "type": "event", "event": event, "body": body })));
        for message in &mut messages {
            self.n_sent += 1;
            message["seq"] = json!(self.n_sent);
        }
        messages
    }

    fn answer(&mut self, request: &Request, events: &mut Vec<(&'static str, Value)>) -> Answer {
        match request.command.as_str() {
            "initialize" => Ok(capabilities()),
            "launch" | "attach" => {
                let path = request.text("trace").map(PathBuf::from).or_else(|| self.given.clone());
                let path = path.ok_or("`trace` should name a file saved with `unpick check --save-trace`")?;
                let saved = (self.load)(&path)?;
                let walk = Walk::new(saved.trace.clone());
                self.opened = Some(Opened { walk, finding: saved.finding.clone(), saved });
                events.push(("initialized", json!({})));
                Ok(Value::Null)
            }
            "disconnect" | "terminate" => {
                self.is_over = true;
                events.push(("terminated", json!({})));
                Ok(Value::Null)
            }
            "setExceptionBreakpoints" | "setFunctionBreakpoints" => Ok(json!({ "breakpoints": [] })),
            command => {
                let opened = self.opened.as_mut().ok_or("no trace is open yet: send `launch` first")?;
                opened.answer(command, request, events)
            }
        }
    }
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsStepBack": true,
        "supportsDataBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
    })
}

impl Opened {
    fn answer(&mut self, command: &str, request: &Request, events: &mut Vec<(&'static str, Value)>) -> Answer {
        let thread = request.number("threadId").and_then(|id| u32::try_from(id.checked_sub(1)?).ok());
        let thread = thread.unwrap_or_else(|| self.walk.thread());
        let arrival = match command {
            "configurationDone" => Arrival::Beginning,
            "next" => self.walk.step_over(thread),
            "stepIn" => self.walk.step_in(),
            "stepOut" => self.walk.step_out(thread),
            "stepBack" => self.walk.step_back(thread),
            "continue" => self.walk.run(),
            "reverseContinue" => self.walk.run_back(),
            "pause" => Arrival::Step,
            _ => return self.ask(command, request, thread),
        };
        events.push(("stopped", self.stopped(arrival)));
        Ok(if command == "continue" { json!({ "allThreadsContinued": true }) } else { Value::Null })
    }

    /// Requests that do not move.
    fn ask(&mut self, command: &str, request: &Request, thread: u32) -> Answer {
        match command {
            "threads" => Ok(self.threads()),
            "stackTrace" => Ok(self.stack_trace(thread)),
            "scopes" => self.scopes(request.number("frameId").unwrap_or(0)),
            "variables" => self.variables(request.number("variablesReference").unwrap_or(0)),
            "evaluate" => self.evaluate(request),
            "source" => self.source(request),
            "setBreakpoints" => Ok(self.set_breakpoints(request)),
            "dataBreakpointInfo" => Ok(self.data_breakpoint_info(request)),
            "setDataBreakpoints" => Ok(self.set_data_breakpoints(request)),
            "exceptionInfo" => Ok(json!({
                "exceptionId": self.finding.kind,
                "description": self.finding.message,
                "breakMode": "always",
            })),
            _ => Err(format!("`{command}` is not supported")),
        }
    }

    fn stopped(&self, arrival: Arrival) -> Value {
        let reason = match arrival {
            Arrival::Step => "step",
            Arrival::Line => "breakpoint",
            Arrival::Variable => "data breakpoint",
            Arrival::Beginning => "entry",
            Arrival::End => "exception",
        };
        let mut body = json!({ "reason": reason, "threadId": self.walk.thread() + 1, "allThreadsStopped": true });
        if arrival == Arrival::End {
            body["description"] = json!(self.finding.kind);
            body["text"] = json!(self.finding.message);
        }
        body
    }

    fn threads(&self) -> Value {
        let actors = &self.walk.trace().actors;
        let threads = self.walk.threads();
        json!({
            "threads": threads
                .into_iter()
                .map(|thread| json!({ "id": thread + 1, "name": actors.long(thread) }))
                .collect::<Vec<_>>(),
        })
    }

    fn stack_trace(&self, thread: u32) -> Value {
        let stack = self.walk.stack(thread);
        let frames = stack.iter().map(|activation| {
            json!({
                "id": frame_id(thread, activation.depth),
                "name": activation.function,
                "line": activation.line,
                "column": activation.column.max(1),
                "source": self.source_of(activation),
            })
        });
        json!({ "stackFrames": frames.collect::<Vec<_>>(), "totalFrames": stack.len() })
    }

    /// The file if it is there, else the text that the trace carries.
    fn source_of(&self, activation: &Activation) -> Value {
        let path = Path::new(&activation.file);
        let name = path.file_name().map_or_else(|| activation.file.clone(), |name| name.to_string_lossy().into_owned());
        match std::path::absolute(path) {
            Ok(absolute) if absolute.exists() => json!({ "name": name, "path": absolute }),
            Ok(_) | Err(_) => json!({ "name": name, "sourceReference": self.source_number(&activation.file) }),
        }
    }

    fn source_number(&self, file: &str) -> usize {
        self.files().iter().position(|known| known == file).map_or(0, |at| at + 1)
    }

    fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = self.walk.trace().steps.iter().map(|step| step.file.clone()).collect();
        files.sort();
        files.dedup();
        files
    }

    fn source(&self, request: &Request) -> Answer {
        let number = request.at(&["source", "sourceReference"]).and_then(Value::as_u64);
        let number = number.or_else(|| request.number("sourceReference")).unwrap_or(0);
        let files = self.files();
        let file = (number as usize).checked_sub(1).and_then(|at| files.get(at)).ok_or("there is no such source")?;
        let last = self.walk.trace().steps.iter().filter(|step| step.file == *file).map(|step| step.line).max();
        let lines = (1..=last.unwrap_or(0)).map(|line| self.saved.line(file, line).unwrap_or_default());
        Ok(json!({ "content": lines.collect::<Vec<_>>().join("\n"), "mimeType": "text/x-c" }))
    }

    fn scopes(&self, frame: u64) -> Answer {
        let scope = |name: &str, hint: &str, reference: u64| json!({ "name": name, "presentationHint": hint, "variablesReference": reference, "expensive": false });
        Ok(json!({ "scopes": [scope("Locals", "locals", FIRST_LOCALS + frame), scope("Globals", "globals", GLOBALS)] }))
    }

    fn variables(&self, reference: u64) -> Answer {
        let variables = match reference {
            GLOBALS => self.walk.globals(),
            0 => return Err("there is no such set of variables".to_owned()),
            _ => {
                let (thread, depth) = frame_of(reference - FIRST_LOCALS);
                self.walk.locals(thread, depth)
            }
        };
        let shown = variables.iter().map(|variable: &Variable| {
            json!({
                "name": variable.name,
                "value": variable.value,
                "evaluateName": variable.name,
                "variablesReference": 0,
            })
        });
        Ok(json!({ "variables": shown.collect::<Vec<_>>() }))
    }

    fn evaluate(&self, request: &Request) -> Answer {
        let expression = request.text("expression").ok_or("there is no expression")?;
        let (thread, depth) = match request.number("frameId") {
            Some(frame) => frame_of(frame),
            None => {
                let thread = self.walk.thread();
                (thread, self.walk.stack(thread).first().map_or(1, |activation| activation.depth))
            }
        };
        let value = self.walk.evaluate(expression, thread, depth)?;
        Ok(json!({ "result": value, "variablesReference": 0 }))
    }

    fn set_breakpoints(&mut self, request: &Request) -> Value {
        let path = request.at(&["source", "path"]).or_else(|| request.at(&["source", "name"]));
        let path = PathBuf::from(path.and_then(Value::as_str).unwrap_or_default());
        let wanted = request.at(&["breakpoints"]).and_then(Value::as_array).cloned().unwrap_or_default();
        let lines: Vec<u32> = wanted.iter().filter_map(|point| u32::try_from(point["line"].as_u64()?).ok()).collect();
        let files: Vec<String> =
            self.files().into_iter().filter(|file| path.ends_with(file) || names(file, &path)).collect();
        for file in &files {
            self.walk.set_lines(file, &lines);
        }
        let set = lines.iter().map(|line| {
            let is_reached = files.iter().any(|file| self.walk.is_reached(file, *line));
            let mut point = json!({ "verified": is_reached, "line": line });
            if !is_reached {
                point["message"] = json!("the trace does not come to this line");
            }
            point
        });
        json!({ "breakpoints": set.collect::<Vec<_>>() })
    }

    fn data_breakpoint_info(&self, request: &Request) -> Value {
        let name = request.text("name").unwrap_or_default();
        let mut changes = self.walk.trace().steps.iter().flat_map(|step| &step.changes);
        if changes.any(|change| change.name == name) {
            json!({ "dataId": name, "description": name, "accessTypes": ["write"] })
        } else {
            json!({ "dataId": null, "description": format!("`{name}` does not change in the trace") })
        }
    }

    fn set_data_breakpoints(&mut self, request: &Request) -> Value {
        let wanted = request.at(&["breakpoints"]).and_then(Value::as_array).cloned().unwrap_or_default();
        let names: Vec<String> =
            wanted.iter().filter_map(|point| point["dataId"].as_str().map(str::to_owned)).collect();
        let set: Vec<Value> = names.iter().map(|_| json!({ "verified": true })).collect();
        self.walk.set_watched(names);
        json!({ "breakpoints": set })
    }
}

/// Whether a name of the trace and a path of the client are the same file.
fn names(file: &str, path: &Path) -> bool {
    std::fs::canonicalize(file).is_ok_and(|file| std::fs::canonicalize(path).is_ok_and(|path| path == file))
}

fn frame_id(thread: u32, depth: u32) -> u64 {
    u64::from(thread) * MAX_DEPTH + u64::from(depth)
}

fn frame_of(id: u64) -> (u32, u32) {
    ((id / MAX_DEPTH) as u32, (id % MAX_DEPTH) as u32)
}

impl crate::wire::Answers for Session {
    fn is_over(&self) -> bool {
        Session::is_over(self)
    }

    fn handle(&mut self, message: &Value) -> Vec<Value> {
        Session::handle(self, message)
    }
}
