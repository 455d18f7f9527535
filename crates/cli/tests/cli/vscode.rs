//! The extension for Visual Studio Code: its manifest, its package, its client against the real server.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../editors/vscode")
        .canonicalize()
        .expect("the extension should be there")
}

fn manifest() -> Value {
    let text = std::fs::read_to_string(folder().join("package.json")).expect("there should be a manifest");
    serde_json::from_str(&text).expect("the manifest should be JSON")
}

/// What Visual Studio Code asks of a manifest, as far as this extension uses it.
fn schema() -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    let command = json!({ "type": "object", "required": ["command", "title"], "properties": {
        "command": { "type": "string", "pattern": "^unpick\\.[a-zA-Z]+$" }, "title": text } });
    let debugger = json!({ "type": "object", "required": ["type", "label", "configurationAttributes"], "properties": {
        "type": { "const": "unpick" }, "label": text, "languages": { "type": "array", "items": text },
        "initialConfigurations": { "type": "array", "items": {
            "type": "object", "required": ["type", "request", "name", "trace"],
            "properties": { "type": { "const": "unpick" }, "request": { "const": "launch" } } } } } });
    let setting = json!({ "type": "object", "required": ["type", "default", "description"] });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["name", "publisher", "version", "engines", "main", "contributes", "activationEvents", "license"],
        "properties": {
            "name": { "type": "string", "pattern": "^[a-z0-9-]+$" },
            "version": { "type": "string", "pattern": "^\\d+\\.\\d+\\.\\d+$" },
            "engines": { "type": "object", "required": ["vscode"],
                "properties": { "vscode": { "type": "string", "pattern": "^\\^\\d+\\.\\d+\\.\\d+$" } } },
            "dependencies": false,
            "contributes": { "type": "object", "additionalProperties": false, "properties": {
                "commands": { "type": "array", "items": command },
                "breakpoints": { "type": "array" },
                "debuggers": { "type": "array", "items": debugger },
                "configuration": { "type": "object", "required": ["title", "properties"], "properties": {
                    "properties": { "type": "object", "additionalProperties": setting } } } } },
        },
    })
}

#[test]
fn the_manifest_is_valid_and_names_what_is_there() {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("mem:///manifest.json", schema()).expect("the schema should be a schema");
    let index = compiler.compile("mem:///manifest.json", &mut schemas).expect("the schema should compile");
    let manifest = manifest();
    schemas.validate(&manifest, index).unwrap_or_else(|error| panic!("{error}"));
    let mut broken = manifest.clone();
    broken["contributes"]["commands"][0] = json!({ "command": "unpick.x" });
    assert!(schemas.validate(&broken, index).is_err(), "the schema should refuse a command without a title");

    for file in manifest["files"].as_array().expect("a list of files") {
        assert!(folder().join(file.as_str().unwrap_or_default()).exists(), "{file}");
    }
    let source = std::fs::read_to_string(folder().join("extension.js")).expect("the extension should be there");
    for command in manifest["contributes"]["commands"].as_array().expect("a list of commands") {
        let name = command["command"].as_str().unwrap_or_default();
        assert!(source.contains(&format!("registerCommand(\"{name}\"")), "{name} is not registered");
    }
    for setting in manifest["contributes"]["configuration"]["properties"].as_object().expect("settings").keys() {
        let name = setting.trim_start_matches("unpick.");
        assert!(source.contains(&format!("setting(\"{name}\")")), "{setting} is not used");
    }
}

#[test]
fn the_extension_packs_with_its_files_only() {
    let packed = Command::new("npm").args(["pack", "--dry-run", "--json"]).current_dir(folder()).output();
    let packed = packed.expect("npm should be installed (Debian: apt-get install npm)");
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    let list: Value = serde_json::from_slice(&packed.stdout).expect("npm should answer with JSON");
    let mut files: Vec<&str> =
        list[0]["files"].as_array().expect("a list").iter().filter_map(|file| file["path"].as_str()).collect();
    files.sort_unstable();
    assert_eq!(files, ["README.md", "client.js", "extension.js", "package.json"]);
}

#[test]
fn the_client_talks_to_the_server() {
    let script = r#"
        const { Client } = require("./client.js");
        (async () => {
            const seen = [];
            const client = new Client(process.argv[1], ["lsp"], (method, params) => seen.push([method, params]), () => {});
            await client.request("initialize", { capabilities: {} });
            await client.request("workspace/executeCommand",
                { command: "unpick.checkFile", arguments: ["file://" + process.argv[2]] });
            await client.request("nothing", {}).then(() => process.exit(5), () => {});
            await client.stop();
            const found = seen.filter(([method]) => method === "textDocument/publishDiagnostics");
            console.log(JSON.stringify(found.at(-1)[1].diagnostics.map((item) => item.code)));
        })();
    "#;
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vscode.c");
    std::fs::write(&source, "int main(void) { int x = 0; return 1 / x; }\n").expect("writable");
    let words = ["-e", script, env!("CARGO_BIN_EXE_unpick")];
    let output = Command::new("node").args(words).arg(&source).current_dir(folder()).output();
    let output = output.expect("node should be installed (Debian: apt-get install nodejs)");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.trim(), "[\"division-by-zero\"]");
    let checked = Command::new("node").args(["--check", "extension.js"]).current_dir(folder()).status();
    assert!(checked.expect("node should run").success());
}
