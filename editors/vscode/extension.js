// Shows what `unpick lsp` finds, and starts `unpick dap` for saved traces.
"use strict";

const vscode = require("vscode");
const { Client } = require("./client.js");

let client;

function setting(name) {
  return vscode.workspace.getConfiguration("unpick").get(name);
}

function rangeOf(range) {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

function diagnosticOf(item) {
  const severity = item.severity === 1 ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
  const diagnostic = new vscode.Diagnostic(rangeOf(item.range), item.message, severity);
  diagnostic.source = item.source;
  diagnostic.code = item.code;
  diagnostic.relatedInformation = (item.relatedInformation || []).map((related) => {
    const location = new vscode.Location(vscode.Uri.parse(related.location.uri), rangeOf(related.location.range));
    return new vscode.DiagnosticRelatedInformation(location, related.message);
  });
  return diagnostic;
}

async function activate(context) {
  const found = vscode.languages.createDiagnosticCollection("unpick");
  const log = vscode.window.createOutputChannel("unpick");
  context.subscriptions.push(found, log);

  const factory = {
    createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(setting("path"), ["dap"]),
  };
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("unpick", factory));

  const onNotice = (method, params) => {
    if (method === "textDocument/publishDiagnostics") {
      found.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnosticOf));
    } else if (method === "window/logMessage") {
      log.appendLine(params.message);
    }
  };
  const onEnd = (why) => {
    client = undefined;
    if (why) log.appendLine(why);
  };
  client = new Client(setting("path"), ["lsp", "--time", setting("time"), "--", ...setting("flags")], onNotice, onEnd);
  await client.request("initialize", { processId: process.pid, capabilities: {} });
  client.notify("initialized", {});

  const isC = (document) => document.languageId === "c" && document.uri.scheme === "file";
  const send = (method, params) => client && client.notify(method, params);
  const open = (document) => {
    if (!isC(document)) return;
    const uri = document.uri.toString();
    send("textDocument/didOpen", { textDocument: { uri, languageId: "c", version: 1, text: document.getText() } });
  };
  vscode.workspace.textDocuments.forEach(open);
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument((event) => {
      const textDocument = { uri: event.document.uri.toString(), version: event.document.version };
      if (isC(event.document)) {
        send("textDocument/didChange", { textDocument, contentChanges: [{ text: event.document.getText() }] });
      }
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (isC(document)) send("textDocument/didSave", { textDocument: { uri: document.uri.toString() } });
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (isC(document)) send("textDocument/didClose", { textDocument: { uri: document.uri.toString() } });
    }),
    vscode.languages.registerCodeActionsProvider("c", { provideCodeActions: actions }),
    vscode.commands.registerCommand("unpick.run", (command, args) => {
      return client && client.request("workspace/executeCommand", { command, arguments: args });
    }),
    vscode.commands.registerCommand("unpick.checkThisFile", () => {
      const editor = vscode.window.activeTextEditor;
      const args = editor && [editor.document.uri.toString()];
      return client && args && client.request("workspace/executeCommand", { command: "unpick.checkFile", arguments: args });
    }),
    vscode.commands.registerCommand("unpick.openTrace", async () => {
      const picked = await vscode.window.showOpenDialog({ filters: { "Saved traces": ["json"] } });
      if (!picked || picked.length === 0) return;
      const trace = picked[0].fsPath;
      await vscode.debug.startDebugging(undefined, { type: "unpick", request: "launch", name: "unpick trace", trace });
    }),
  );
}

async function actions(document, range) {
  if (!client) return [];
  const place = { line: range.start.line, character: range.start.character };
  const params = { textDocument: { uri: document.uri.toString() }, range: { start: place, end: place } };
  const list = await client.request("textDocument/codeAction", params);
  return list.map((item) => {
    const action = new vscode.CodeAction(item.title, vscode.CodeActionKind.Source);
    const command = item.command;
    action.command = { title: item.title, command: "unpick.run", arguments: [command.command, command.arguments] };
    return action;
  });
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
