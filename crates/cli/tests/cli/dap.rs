//! A client of the Debug Adapter Protocol walks through a real trace.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\nstatic int x;\nstatic int add(int n) {\n    x = x + n;\n    \
                       return x;\n}\nstatic void *other(void *unused) {\n    add(1);\n    return unused;\n}\nint main(void) \
                       {\n    pthread_t thread;\n    pthread_create(&thread, 0, other, 0);\n    int sum = add(2);\n    \
                       pthread_join(thread, 0);\n    assert(x == 3);\n    return sum;\n}\n";

struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    seq: u64,
}

impl Client {
    fn start(folder: &Path) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unpick"))
            .arg("dap")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unpick should start");
        let to = child.stdin.take().expect("there should be a pipe");
        let from = BufReader::new(child.stdout.take().expect("there should be a pipe"));
        Client { child, to, from, seq: 0 }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).expect("the server should answer");
            match line.trim_end().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("the length should be a number"),
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("the message should be complete");
        serde_json::from_slice(&bytes).expect("the message should be JSON")
    }

    fn send(&mut self, command: &str, arguments: Value) -> Value {
        self.seq += 1;
        let message = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server should listen");
        self.to.flush().expect("the server should listen");
        let answer = self.read();
        assert_eq!(answer["type"], "response", "{answer}");
        assert_eq!(answer["request_seq"], self.seq, "{answer}");
        answer
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.send(command, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    /// Sends a request that moves; the event that follows, and the line where the thread stands.
    fn step(&mut self, command: &str, thread: u64) -> (String, u64) {
        self.ask(command, json!({ "threadId": thread }));
        let event = self.read();
        assert_eq!(event["event"], "stopped", "{event}");
        let thread = event["body"]["threadId"].as_u64().expect("a thread should have stopped");
        (event["body"]["reason"].as_str().unwrap_or_default().to_owned(), self.line(thread))
    }

    fn line(&mut self, thread: u64) -> u64 {
        let stack = self.ask("stackTrace", json!({ "threadId": thread }));
        stack["stackFrames"][0]["line"].as_u64().expect("a frame should have a line")
    }

    fn names(&mut self, reference: &Value) -> Vec<String> {
        let variables = self.ask("variables", json!({ "variablesReference": reference }));
        let list = variables["variables"].as_array().expect("a list").clone();
        list.iter().map(|variable| format!("{}={}", variable["name"], variable["value"]).replace('"', "")).collect()
    }
}

fn saved(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dap-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder should be writable");
    std::fs::write(folder.join("a.c"), PROGRAM).expect("the target folder should be writable");
    let words = ["check", "-q", "--property", "assertion", "--save-trace", "bug.json", "a.c"];
    let check = Command::new(env!("CARGO_BIN_EXE_unpick")).current_dir(&folder).args(words).output();
    assert_eq!(check.expect("unpick should start").status.code(), Some(1));
    folder
}

fn launched(name: &str) -> Client {
    let mut client = Client::start(&saved(name));
    let capabilities = client.ask("initialize", json!({ "adapterID": "unpick" }));
    assert_eq!(capabilities["supportsStepBack"], true);
    client.ask("launch", json!({ "trace": "bug.json" }));
    assert_eq!(client.read()["event"], "initialized");
    client
}

#[test]
fn stepping_through_threads_frames_and_variables() {
    let mut client = launched("steps");
    client.ask("configurationDone", json!({}));
    let event = client.read();
    assert_eq!((&event["event"], &event["body"]["reason"]), (&json!("stopped"), &json!("entry")));
    let threads = client.ask("threads", json!({}));
    assert_eq!(threads["threads"], json!([{ "id": 1, "name": "thread 0 (main)" }]));
    let first = client.line(1);
    while client.line(1) != 15 {
        client.step("next", 1);
    }
    let (reason, line) = client.step("next", 1);
    assert_eq!((reason.as_str(), line), ("step", 16), "the call of add is passed over");
    assert_eq!(client.step("stepBack", 1).1, 15, "stepping back undoes stepping over");
    let (_, inside) = client.step("stepIn", 1);
    assert!([5, 9].contains(&inside), "into add, or to the other thread: {inside}");
    let stack = client.ask("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(stack["stackFrames"][0]["source"]["name"], "a.c");
    while client.line(1) != 16 {
        client.step("stepIn", 1);
    }
    let stack = client.ask("stackTrace", json!({ "threadId": 1 }));
    let frame = stack["stackFrames"][0]["id"].clone();
    let scopes = client.ask("scopes", json!({ "frameId": frame }));
    let locals = client.names(&scopes["scopes"][0]["variablesReference"]);
    let globals = client.names(&scopes["scopes"][1]["variablesReference"]);
    assert!(locals.iter().any(|local| local.starts_with("sum=")), "{locals:?}");
    assert!(globals.iter().any(|global| global == "x=1" || global == "x=2"), "{globals:?}");
    let value = client.ask("evaluate", json!({ "expression": "x + 10 * (sum > 0)", "frameId": frame }));
    assert!(["11", "12"].contains(&value["result"].as_str().unwrap_or_default()), "{value}");
    assert_eq!(client.send("evaluate", json!({ "expression": "nothing" }))["success"], false);
    let (reason, line) = client.step("continue", 1);
    assert_eq!((reason.as_str(), line), ("exception", 17));
    assert_eq!(client.ask("exceptionInfo", json!({ "threadId": 1 }))["exceptionId"], "assertion");
    let (reason, line) = client.step("reverseContinue", 1);
    assert_eq!((reason.as_str(), line), ("entry", first));
}

#[test]
fn breakpoints_on_lines_and_on_changes() {
    let mut client = launched("breakpoints");
    let points = json!({ "source": { "path": "/somewhere/a.c" }, "breakpoints": [{ "line": 16 }, { "line": 2 }] });
    let set = client.ask("setBreakpoints", points);
    assert_eq!((&set["breakpoints"][0]["verified"], &set["breakpoints"][1]["verified"]), (&json!(true), &json!(false)));
    client.ask("configurationDone", json!({}));
    client.read();
    assert_eq!(client.step("continue", 1), ("breakpoint".to_owned(), 16));
    let none = json!({ "source": { "path": "/somewhere/a.c" }, "breakpoints": [] });
    client.ask("setBreakpoints", none);
    let info = client.ask("dataBreakpointInfo", json!({ "name": "x", "variablesReference": 1 }));
    assert_eq!(info["dataId"], "x");
    assert_eq!(client.ask("dataBreakpointInfo", json!({ "name": "y" }))["dataId"], Value::Null);
    client.ask("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": "x" }] }));
    let (reason, line) = client.step("reverseContinue", 1);
    assert_eq!((reason.as_str(), line), ("data breakpoint", 5));
    let (reason, _) = client.step("stepOut", 1);
    assert!(reason == "step" || reason == "exception");
}

#[test]
fn what_is_no_trace_and_what_is_no_request() {
    let folder = saved("bad");
    let mut client = Client::start(&folder);
    client.ask("initialize", json!({}));
    assert_eq!(client.send("threads", json!({}))["success"], false, "before launch");
    let refused = client.send("launch", json!({ "trace": "a.c" }));
    assert_eq!(refused["success"], false);
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("not a saved trace")), "{refused}");
    assert_eq!(client.send("launch", json!({ "trace": "missing.json" }))["success"], false);
    client.ask("launch", json!({ "trace": "bug.json" }));
    client.read();
    assert_eq!(client.send("noSuchRequest", json!({}))["success"], false);
    client.ask("disconnect", json!({}));
    assert_eq!(client.read()["event"], "terminated");
    let status = client.child.wait().expect("the server should end");
    assert_eq!(status.code(), Some(0));
}
