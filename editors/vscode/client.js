// A small client of the Language Server Protocol: starts `unpick lsp`, frames messages, pairs answers with requests.
"use strict";

const { spawn } = require("node:child_process");

class Client {
  constructor(program, args, onNotice, onEnd) {
    this.waiting = new Map();
    this.id = 0;
    this.rest = Buffer.alloc(0);
    this.onNotice = onNotice;
    this.child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.child.on("error", (error) => onEnd(String(error.message)));
    this.child.on("exit", (code) => onEnd(code === 0 ? undefined : `unpick lsp ended with status ${code}`));
    this.child.stdin.on("error", () => {});
    this.child.stdout.on("data", (bytes) => this.take(bytes));
  }

  take(bytes) {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (;;) {
      const end = this.rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.rest.subarray(0, end).toString());
      if (!length) throw new Error("a message without a length");
      const stop = end + 4 + Number(length[1]);
      if (this.rest.length < stop) return;
      const message = JSON.parse(this.rest.subarray(end + 4, stop).toString());
      this.rest = this.rest.subarray(stop);
      this.handle(message);
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      this.onNotice(message.method, message.params);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (!waiting) return;
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  write(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method, params) {
    this.write({ method, params });
  }

  request(method, params) {
    this.id += 1;
    const id = this.id;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.write({ id, method, params });
    });
  }

  async stop() {
    await this.request("shutdown", null);
    this.notify("exit", null);
  }
}

module.exports = { Client };
