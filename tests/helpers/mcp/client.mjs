// SPDX-License-Identifier: Apache-2.0
//
// client.mjs SCENARIO [ward's arguments]: drives `ward mcp` with the protocol's own SDK. Exits with 1 where something is
// not as it should be. MCP_CLIENTS: where the packages are; WARD: the program.

import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { call, prepare, text, types, until, withWord } from "./sdk.mjs";

const [scenario, ...options] = process.argv.slice(2);
const connect = (capabilities, args = options) => prepare([process.env.WARD, "mcp", ...args], capabilities);
const opened = (capabilities, args) => connect(capabilities, args).open();

const scenarios = {
  async list() {
    const client = await opened();
    const { tools } = await client.listTools();
    const names = tools.map((t) => t.name);
    for (const name of ["exec", "process", "read", "write", "edit", "apply_patch", "list", "search", "session_status"])
      assert(names.includes(name), name);
    for (const tool of tools) {
      assert(tool.title && tool.description && tool.inputSchema.type === "object", tool.name);
      assert.equal(typeof tool.annotations.readOnlyHint, "boolean");
    }
    const by = Object.fromEntries(tools.map((t) => [t.name, t.annotations]));
    assert(by.read.readOnlyHint && !by.exec.readOnlyHint && by.write.destructiveHint && !by.read.destructiveHint);
    assert.equal(client.getServerVersion().name, "ward");
    await client.ping();
    await client.close();
  },

  async exec() {
    const client = await opened();
    const good = await call(client, "exec", { command: "echo out; echo err >&2" });
    assert(!good.isError && text(good).includes("out") && good.structuredContent.exitCode === 0);
    assert.equal(good.structuredContent.stdout, "out\n");
    assert.equal(good.structuredContent.stderr, "err\n");
    const bad = await call(client, "exec", { argv: ["sh", "-c", "exit 3"] });
    assert(bad.isError && bad.structuredContent.exitCode === 3);
    const seen = [];
    const slow = await call(client, "exec", { command: "for i in 1 2 3 4 5; do echo $i; sleep 0.3; done" },
      { onprogress: (p) => seen.push(p.progress) });
    assert.equal(slow.structuredContent.exitCode, 0);
    assert(seen.length >= 2 && seen.length <= 8, `progress: ${seen}`);
    for (let i = 1; i < seen.length; i++) assert(seen[i] > seen[i - 1]);
    await client.close();
  },

  async cancel() {
    const client = await opened();
    const word = `777.${process.pid}`;
    const stop = new AbortController();
    const running = call(client, "exec", { command: `sleep ${word}` }, { signal: stop.signal });
    running.catch(() => {});
    await until("the command", () => withWord(word).length > 0);
    stop.abort("enough");
    await assert.rejects(running);
    await until("its end", () => withWord(word).length === 0);
    // The connection is as good as before.
    assert.equal(text(await call(client, "exec", { command: "echo still here" })), "still here\n");
    await client.close();
  },

  async files() {
    const client = await opened();
    await call(client, "write", { path: "a.txt", content: "one\ntwo\n" });
    assert.equal(fs.readFileSync("a.txt", "utf8"), "one\ntwo\n");
    const edited = await call(client, "edit", { path: "a.txt", oldText: "two", newText: "three" });
    assert(!edited.isError, text(edited));
    const read = await call(client, "read", { path: "a.txt" });
    assert.equal(read.structuredContent.content, "one\nthree\n");
    const outside = await call(client, "read", { path: "/etc/passwd" });
    assert(outside.isError);
    fs.writeFileSync("binary", Buffer.from([0, 255, 1]));
    const { resources } = await client.listResources();
    const uris = resources.map((r) => r.uri);
    assert(uris.includes("file:///workspace/a.txt"), uris.join());
    const file = await client.readResource({ uri: "file:///workspace/a.txt" });
    assert.equal(file.contents[0].text, "one\nthree\n");
    const blob = await client.readResource({ uri: "file:///workspace/binary" });
    assert.equal(blob.contents[0].blob, Buffer.from([0, 255, 1]).toString("base64"));
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0].uriTemplate, "file:///workspace/{+path}");
    for (const uri of ["file:///etc/passwd", "file:///workspace/../a.txt", "file:///workspace/%2e%2e/a.txt", "test://x",
      "file:///workspace/none", "file:///workspace/a%00.txt"])
      await assert.rejects(client.readResource({ uri }), (e) => e.code === -32002, uri);
    await client.close();
  },

  // With tools.deny=["exec", "write"].
  async denied() {
    const client = await opened();
    const names = (await client.listTools()).tools.map((t) => t.name);
    assert(!names.includes("exec") && !names.includes("write") && names.includes("read"), names.join());
    for (const name of ["exec", "bash", "write", "no_such_tool"])
      await assert.rejects(call(client, name, { command: "touch x" }), (e) => e.code === -32602 && /Unknown tool/.test(e.message), name);
    assert(!fs.existsSync("x"));
    await client.close();
  },

  // CONFIG: a file that is changed while the server runs.
  async changed() {
    const config = process.env.CONFIG;
    fs.writeFileSync(config, "{}");
    const client = await opened({}, ["--config", config]);
    const changes = () => client.notes.filter((n) => n.method === "notifications/tools/list_changed").length;
    assert.equal(text(await call(client, "exec", { command: "echo a" })), "a\n");
    fs.writeFileSync(config, '{tools: {deny: ["exec"]}}');
    await assert.rejects(call(client, "exec", { command: "touch x" }), (e) => e.code === -32602);
    await until("the note", () => changes() === 1);
    assert(!(await client.listTools()).tools.some((t) => t.name === "exec"));
    fs.writeFileSync(config, "{tools: {");
    const broken = await call(client, "read", { path: "x" });
    assert(broken.isError && /configuration/.test(text(broken)), text(broken));
    assert.equal((await client.listTools()).tools.length, 0);
    fs.writeFileSync(config, "{ }");
    assert.equal(text(await call(client, "exec", { command: "echo b" })), "b\n");
    // Nobody asks: the server notices by itself.
    const before = changes();
    fs.writeFileSync(config, '{tools: {deny: ["write"]}}');
    await until("the note of an idle server", () => changes() > before);
    await client.close();
  },

  async many() {
    const client = await opened();
    const all = await Promise.all([...Array(150).keys()].map((i) => call(client, "exec", { argv: ["echo", String(i)] })));
    all.forEach((result, i) => assert.equal(result.structuredContent.stdout, `${i}\n`));
    await client.close();
  },

  // With a rule that wants a person's consent for `id`.
  async elicit() {
    const asked = [];
    let answer = { action: "accept", content: { decision: "allow" } };
    const { client, open } = connect({ elicitation: {} });
    client.setRequestHandler(types.ElicitRequestSchema, async (request) => {
      asked.push(request.params);
      return answer;
    });
    await open();
    const yes = await call(client, "exec", { argv: ["/usr/bin/id", "-u"] });
    assert.equal(asked.length, 1);
    assert(asked[0].message.includes("/usr/bin/id"), asked[0].message);
    assert(!yes.isError && yes.structuredContent.stdout === `${process.getuid()}\n`, text(yes));
    for (answer of [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { decision: "deny", advice: "use whoami" } }]) {
      const no = await call(client, "exec", { argv: ["/usr/bin/id", "-u"] });
      assert(no.isError, text(no));
      if (answer.content) assert(text(no).includes("use whoami"), text(no));
      // Of what was run before, nothing.
      assert(!JSON.stringify(no).includes(`${process.getuid()}\\n`) && no.structuredContent?.stdout === undefined, JSON.stringify(no));
    }
    assert.equal(asked.length, 4);
    await client.close();
  },

  // The same where the client cannot ask: somebody denies it at another place.
  async waits() {
    const { client, open } = connect();
    const logs = [];
    client.setNotificationHandler(types.LoggingMessageNotificationSchema, (n) => void logs.push(n.params.data));
    await open();
    const waiting = call(client, "exec", { argv: ["/usr/bin/id", "-u"] });
    await until("the id", () => logs.some((l) => /approval/.test(l)));
    const id = logs.find((l) => /approval/.test(l)).match(/ward approve (\S+)/)[1];
    // Not by a process of ours: whoever asks cannot answer. This one is soon nobody's child.
    execFileSync("sh", ["-c", '(sleep 0.3; exec "$WARD" deny "$0" --reason "not today") >/dev/null 2>&1 &', id]);
    const no = await waiting;
    assert(no.isError && text(no).includes("not today"), text(no));
    await client.close();
  },
};

await scenarios[scenario]();
