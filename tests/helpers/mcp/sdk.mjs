// SPDX-License-Identifier: Apache-2.0
//
// The protocol's own SDK, as the scenarios use it. MCP_CLIENTS: where the packages are.

import { createRequire } from "node:module";
import { strict as assert } from "node:assert";
import fs from "node:fs";

const require = createRequire(process.env.MCP_CLIENTS + "/");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
export const types = require("@modelcontextprotocol/sdk/types.js");

// A client, and how to connect it: handlers are set in between.
export function prepare(command, capabilities = {}) {
  const client = new Client({ name: "tests", version: "1" }, { capabilities });
  client.notes = [];
  client.fallbackNotificationHandler = async (note) => void client.notes.push(note);
  const transport = new StdioClientTransport({ command: command[0], args: command.slice(1), env: { ...process.env } });
  return { client, open: () => client.connect(transport).then(() => client) };
}

export const call = (client, name, args, more) => client.callTool({ name, arguments: args }, undefined, more);
export const text = (result) => result.content[0].text;

export async function until(what, condition) {
  for (let i = 0; i < 600; i++) {
    if (await condition()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail("it did not come: " + what);
}

// Processes whose command line has the word.
export const withWord = (word) =>
  fs.readdirSync("/proc").filter((p) => {
    try {
      return /^\d+$/.test(p) && Number(p) !== process.pid && fs.readFileSync(`/proc/${p}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
