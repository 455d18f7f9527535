//! Findings in an editor: the Language Server Protocol around `unpick check --json`.
//!
//! A file is checked when it is opened and when it is saved. The server takes messages and gives those to send; the
//! check itself is handed in, so that tests need no process.

mod diagnostics;
mod function;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use diagnostics::diagnostics;
use function::function_at;

/// The commands that clients may send.
pub const CHECK_FUNCTION: &str = "unpick.checkFunction";
pub const CHECK_FILE: &str = "unpick.checkFile";

/// Checks a file, from an entry function if one is named; the report as JSON.
pub type Check = dyn Fn(&Path, Option<&str>) -> Result<Value, String>;

/// One client at work.
pub struct Server {
    check: Box<Check>,
    /// Texts as the client has them, by URI.
    texts: BTreeMap<String, String>,
    /// Files that have diagnostics because of another one that was checked, by its URI.
    published: BTreeMap<String, Vec<String>>,
    has_shut_down: bool,
    is_over: bool,
}

impl Server {
    pub fn new(check: Box<Check>) -> Server {
        Server { check, texts: BTreeMap::new(), published: BTreeMap::new(), has_shut_down: false, is_over: false }
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// 0 after a proper goodbye.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.has_shut_down)
    }

    /// What to send for a message.
    pub fn handle(&mut self, message: &Value) -> Vec<Value> {
        let Some(method) = message["method"].as_str() else { return Vec::new() };
        let params = &message["params"];
        match message.get("id") {
            Some(id) => {
                let mut sent = Vec::new();
                let response = match self.request(method, params, &mut sent) {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err((code, why)) => {
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
                    }
                };
                sent.push(response);
                sent
            }
            None => self.notice(method, params),
        }
    }

    fn request(&mut self, method: &str, params: &Value, sent: &mut Vec<Value>) -> Result<Value, (i64, String)> {
        match method {
            "initialize" => Ok(json!({
                "capabilities": {
                    "textDocumentSync": { "openClose": true, "change": 1, "save": true },
                    "codeActionProvider": true,
                    "executeCommandProvider": { "commands": [CHECK_FUNCTION, CHECK_FILE] },
                },
                "serverInfo": { "name": "unpick", "version": env!("CARGO_PKG_VERSION") },
            })),
            "shutdown" => {
                self.has_shut_down = true;
                Ok(Value::Null)
            }
            "textDocument/codeAction" => Ok(self.actions(params)),
            "workspace/executeCommand" => {
                let arguments = &params["arguments"];
                let uri = arguments[0].as_str().unwrap_or_default().to_owned();
                let function = arguments[1].as_str();
                match params["command"].as_str() {
                    Some(CHECK_FUNCTION) if function.is_some() => *sent = self.publish(&uri, function),
                    Some(CHECK_FILE) => *sent = self.publish(&uri, None),
                    Some(_) | None => return Err((-32602, "the command is not known".to_owned())),
                }
                Ok(Value::Null)
            }
            _ => Err((-32601, format!("`{method}` is not supported"))),
        }
    }

    fn notice(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "textDocument/didOpen" => {
                self.texts.insert(uri.clone(), document["text"].as_str().unwrap_or_default().to_owned());
                self.publish(&uri, None)
            }
            "textDocument/didChange" => {
                if let Some(text) = params["contentChanges"][0]["text"].as_str() {
                    self.texts.insert(uri, text.to_owned());
                }
                Vec::new()
            }
            "textDocument/didSave" => self.publish(&uri, None),
            "textDocument/didClose" => {
                self.texts.remove(&uri);
                self.clear(&uri)
            }
            "exit" => {
                self.is_over = true;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// "Check this function", for the function at the cursor.
    fn actions(&self, params: &Value) -> Value {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let line = params["range"]["start"]["line"].as_u64().unwrap_or(0) as usize;
        let Some(function) = self.texts.get(uri).and_then(|text| function_at(text, line)) else { return json!([]) };
        let title = format!("Check this function with unpick: {function}()");
        let command = json!({ "title": title, "command": CHECK_FUNCTION, "arguments": [uri, function] });
        json!([{ "title": title, "kind": "source", "command": command }])
    }

    /// Checks a file and says what was found.
    fn publish(&mut self, uri: &str, function: Option<&str>) -> Vec<Value> {
        let Some(path) = path_of(uri) else { return vec![log(&format!("{uri} is no file"))] };
        let report = match (self.check)(&path, function) {
            Ok(report) => report,
            Err(why) => return vec![log(&why)],
        };
        let mut messages = self.clear(uri);
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let found = diagnostics(&report, &|file| uri_of(&folder.join(file)));
        messages.retain(|message| !found.contains_key(message["params"]["uri"].as_str().unwrap_or_default()));
        self.published.insert(uri.to_owned(), found.keys().cloned().collect());
        for (uri, list) in found {
            messages.push(publication(&uri, list));
        }
        let verdict = report["verdict"].as_str().unwrap_or("error");
        let of = function.map_or_else(String::new, |function| format!(", function {function}"));
        let why = report["reason"].as_str().map_or_else(String::new, |why| format!(" ({why})"));
        messages.push(log(&format!("{}{of}: {verdict}{why}", path.display())));
        messages
    }

    /// Takes back what an earlier check of a file has said.
    fn clear(&mut self, uri: &str) -> Vec<Value> {
        let mut uris = self.published.remove(uri).unwrap_or_default();
        if !uris.iter().any(|known| known == uri) {
            uris.push(uri.to_owned());
        }
        uris.iter().map(|uri| publication(uri, Vec::new())).collect()
    }
}

fn publication(uri: &str, diagnostics: Vec<Value>) -> Value {
    let params = json!({ "uri": uri, "diagnostics": diagnostics });
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}

fn log(text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": { "type": 3, "message": text } })
}

/// The file that a URI names.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut left = rest.as_bytes();
    while let Some((&first, tail)) = left.split_first() {
        let escaped = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                left = &tail[2..];
            }
            Some(_) | None => {
                bytes.push(first);
                left = tail;
            }
        }
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

/// The URI of a file.
fn uri_of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.display().to_string().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(byte as char),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

impl crate::wire::Answers for Server {
    fn is_over(&self) -> bool {
        Server::is_over(self)
    }

    fn handle(&mut self, message: &Value) -> Vec<Value> {
        Server::handle(self, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_as_uris() {
        for path in ["/a/b c/ü%20.c", "/plain.c"] {
            assert_eq!(path_of(&uri_of(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(path_of("untitled:1"), None);
        assert_eq!(path_of("file:///a%"), Some(PathBuf::from("/a%")));
    }
}
