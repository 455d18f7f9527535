//! Requests of the Debug Adapter Protocol, read from messages of the client.

use serde_json::Value;

/// A request.
pub struct Request {
    pub seq: u64,
    pub command: String,
    arguments: Value,
}

impl Request {
    /// Reads a message; `None` if it is something else.
    pub fn read(message: &Value) -> Option<Request> {
        if message["type"] != "request" {
            return None;
        }
        Some(Request {
            seq: message["seq"].as_u64()?,
            command: message["command"].as_str()?.to_owned(),
            arguments: message["arguments"].clone(),
        })
    }

    /// An argument by the names that lead to it.
    pub fn at(&self, names: &[&str]) -> Option<&Value> {
        names.iter().try_fold(&self.arguments, |value, name| value.get(name))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.at(&[name])?.as_str()
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.at(&[name])?.as_u64()
    }
}
