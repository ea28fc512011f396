// SPDX-License-Identifier: Apache-2.0
//
// bridge.mjs FILE COMMAND...: a server of MCP over HTTP in front of one that speaks over standard input and output, for
// the conformance suite, which knows only HTTP. Writes its address to FILE. Messages pass as they are, but for the tools and
// resources that the suite calls by names of its own: they become those of ward (table below).

import { createRequire } from "node:module";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import readline from "node:readline";

const require = createRequire(process.env.MCP_CLIENTS + "/");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");

const [file, command, ...args] = process.argv.slice(2);
const exec = (line) => ({ name: "exec", arguments: { command: line } });
const tools = {
  test_simple_text: exec("printf 'This is a simple text response for testing.'"),
  test_error_handling: exec("echo 'This tool intentionally returns an error for testing' >&2; exit 1"),
  test_tool_with_progress: exec("for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done"),
};
const resources = {
  "test://static-text": "file:///workspace/static-text",
  "test://static-binary": "file:///workspace/static-binary",
};

function translate(message) {
  const { method, params } = message;
  if (method === "tools/call" && tools[params.name]) message.params = { ...params, ...tools[params.name] };
  if (method === "resources/read" && resources[params.uri]) message.params = { ...params, uri: resources[params.uri] };
  return message;
}

const sessions = {};
async function open() {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => (sessions[id] = transport),
  });
  const last = []; // requests that are not answered: what comes meanwhile belongs to the newest
  transport.onmessage = (message) => {
    if (message.id !== undefined && message.method) last.push(message.id);
    child.stdin.write(JSON.stringify(translate(message)) + "\n");
  };
  transport.onclose = () => child.stdin.end();
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    const answer = message.method === undefined;
    const related = answer ? undefined : last.at(-1);
    if (answer && last.includes(message.id)) last.splice(last.indexOf(message.id), 1);
    transport.send(message, related === undefined ? undefined : { relatedRequestId: related }).catch(() => {});
  });
  await transport.start();
  return transport;
}

const server = http.createServer(async (request, response) => {
  const session = sessions[request.headers["mcp-session-id"]];
  (session ?? (await open())).handleRequest(request, response);
});
server.listen(0, "127.0.0.1", () => {
  fs.writeFileSync(file + ".new", `http://127.0.0.1:${server.address().port}/mcp`);
  fs.renameSync(file + ".new", file);
});
