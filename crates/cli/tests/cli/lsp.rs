//! A scripted client of the Language Server Protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = "#include <assert.h>\nint half(int n)\n{\n    assert(n != 4);\n    return n / 2;\n}\nint main(void)\n{\n    \
                       int x = 3;\n    return half(x) - 1;\n}\n";

struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    fn start() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unpick"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unpick should start");
        let to = child.stdin.take().expect("there should be a pipe");
        let from = BufReader::new(child.stdout.take().expect("there should be a pipe"));
        Client { child, to, from, id: 0 }
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server should listen");
        self.to.flush().expect("the server should listen");
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

    fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer, and what came before it.
    fn request(&mut self, method: &str, params: Value) -> (Value, Vec<Value>) {
        self.id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        let mut before = Vec::new();
        loop {
            let message = self.read();
            if message["id"] == self.id {
                return (message, before);
            }
            before.push(message);
        }
    }

    /// The diagnostics that are published before the log says that the check is over.
    fn published(&mut self) -> Vec<Value> {
        let mut found = Vec::new();
        loop {
            let message = self.read();
            match message["method"].as_str() {
                Some("textDocument/publishDiagnostics") => found.push(message["params"].clone()),
                _ => return found,
            }
        }
    }
}

fn file(name: &str, text: &str) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lsp-{name}"));
    std::fs::create_dir_all(&folder).expect("the target folder should be writable");
    let path = folder.join("a.c");
    std::fs::write(&path, text).expect("the target folder should be writable");
    let uri = format!("file://{}", path.display());
    (path, uri)
}

#[test]
fn diagnostics_follow_the_file_and_functions_can_be_checked() {
    let (path, uri) = file("check", PROGRAM);
    let mut client = Client::start();
    let (answer, _) = client.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(answer["result"]["capabilities"]["codeActionProvider"], true);
    client.notify("initialized", json!({}));
    client.notify("textDocument/didOpen", json!({ "textDocument": { "uri": uri, "text": PROGRAM } }));
    let found = client.published();
    assert_eq!(found, [json!({ "uri": uri, "diagnostics": [] })], "main is fine");

    let range = json!({ "start": { "line": 3, "character": 4 }, "end": { "line": 3, "character": 4 } });
    let (answer, _) =
        client.request("textDocument/codeAction", json!({ "textDocument": { "uri": uri }, "range": range }));
    let action = &answer["result"][0];
    assert_eq!(action["command"]["arguments"], json!([uri, "half"]), "{answer}");
    let command = json!({ "command": action["command"]["command"], "arguments": action["command"]["arguments"] });
    let (answer, before) = client.request("workspace/executeCommand", command);
    assert!(answer.get("error").is_none(), "{answer}");
    let item = &before[0]["params"]["diagnostics"][0];
    assert_eq!((&item["code"], &item["range"]["start"]["line"]), (&json!("assertion"), &json!(3)), "{before:?}");
    let related = item["relatedInformation"].as_array().expect("there should be steps");
    assert!(related.iter().any(|step| step["message"].as_str().is_some_and(|text| text.contains("n"))), "{related:?}");
    assert_eq!(related[0]["location"]["uri"], json!(uri));

    let broken = PROGRAM.replace("x = 3", "x = 4");
    std::fs::write(&path, &broken).expect("writable");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.published()[0]["diagnostics"][0]["range"]["start"]["line"], 3);
    std::fs::write(&path, "int main(void) { return 1 +; }\n").expect("writable");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    let found = client.published();
    assert_eq!(found[0]["diagnostics"][0]["severity"], 1, "{found:?}");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.read()["params"], json!({ "uri": uri, "diagnostics": [] }));

    let (answer, _) = client.request("textDocument/hover", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    client.request("shutdown", json!(null));
    client.notify("exit", json!(null));
    assert_eq!(client.child.wait().expect("the server should end").code(), Some(0));
}
