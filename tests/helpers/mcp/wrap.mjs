// SPDX-License-Identifier: Apache-2.0
//
// wrap.mjs SCENARIO COMMAND...: drives a server of others, with or without `ward wrap` in front of it, and prints what came
// of it as JSON. MCP_CLIENTS: where the packages are.

import { strict as assert } from "node:assert";
import { call, prepare, text, types, until } from "./sdk.mjs";

const [scenario, ...command] = process.argv.slice(2);
const opened = (capabilities) => prepare(command, capabilities).open();
// What a call comes to: the text, or the error.
const outcome = (client, name, args) =>
  call(client, name, args).then((r) => ({ failed: !!r.isError, text: text(r) }), (e) => ({ failed: true, code: e.code, text: e.message }));

const scenarios = {
  async list() {
    const client = await opened();
    const { tools } = await client.listTools();
    await client.close();
    return tools.map((t) => t.name).sort();
  },

  // READ, WRITE: paths, as the server sees them.
  async files() {
    const client = await opened();
    const result = {
      read: await outcome(client, "read_text_file", { path: process.env.READ }),
      write: await outcome(client, "write_file", { path: process.env.WRITE, content: "written" }),
    };
    await client.close();
    return result;
  },

  async fetch() {
    const client = await opened();
    const result = await outcome(client, "gzip-file-as-resource", { name: "x.gz", data: process.env.URL, outputType: "resource" });
    await client.close();
    return result;
  },

  // What a server asks of its client passes, and so do progress, logging and cancelling.
  async everything() {
    const { client, open } = prepare(command, { elicitation: {}, sampling: {}, roots: { listChanged: true } });
    const asked = [];
    client.setRequestHandler(types.ElicitRequestSchema, async () => (asked.push("elicitation"), { action: "decline" }));
    client.setRequestHandler(types.CreateMessageRequestSchema, async () => (asked.push("sampling"), {
      model: "none", role: "assistant", content: { type: "text", text: "made up" } }));
    client.setRequestHandler(types.ListRootsRequestSchema, async () => (asked.push("roots"), { roots: [] }));
    await open();
    assert.equal(text(await call(client, "echo", { message: "hello" })), "Echo: hello");
    await call(client, "trigger-elicitation-request", {});
    await call(client, "trigger-sampling-request", { prompt: "x", maxTokens: 5 });
    const seen = [];
    await call(client, "trigger-long-running-operation", { duration: 1, steps: 4 }, { onprogress: (p) => seen.push(p.progress) });
    assert(seen.length >= 3, `progress: ${seen}`);
    await client.setLoggingLevel("debug");
    const { resources } = await client.listResources();
    assert(resources.length > 0);
    const stop = new AbortController();
    const long = call(client, "trigger-long-running-operation", { duration: 60, steps: 60 }, { signal: stop.signal });
    long.catch(() => {});
    setTimeout(() => stop.abort("enough"), 200);
    await assert.rejects(long);
    assert.equal(text(await call(client, "echo", { message: "again" })), "Echo: again");
    await until("all three", () => ["elicitation", "sampling", "roots"].every((w) => asked.includes(w)));
    await client.close();
    return asked.sort();
  },

  // The server ends in the middle.
  async death() {
    const client = await opened();
    let closed = false;
    client.onclose = () => (closed = true);
    const result = await outcome(client, "exit", {});
    await until("the end", () => closed);
    return result;
  },
};

console.log(JSON.stringify(await scenarios[scenario]()));
