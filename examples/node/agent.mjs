#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// What an agent does, from Node.js: runs commands, reads how they ended, changes files, keeps a process in the
// background. Run it in the folder that it should work in.
import { spawnSync } from 'node:child_process';

// The tool could not do it; code says why: denied, notFound, invalid, ...
class Refused extends Error {
	constructor(answer) {
		super(answer.error);
		this.code = answer.code;
	}
}

// One call of a tool. Arguments go through standard input: they may be large.
function call(tool, args) {
	const done = spawnSync('ward', ['tools', 'call', '--json', tool, '-'], {
		input: JSON.stringify(args),
		maxBuffer: 64 << 20,
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	if (done.status !== 0 && done.status !== 1) // 126: there is no such tool for this session
		throw new Error(`ward tools call ${tool}: status ${done.status}`);
	const answer = JSON.parse(done.stdout);
	if ('error' in answer)
		throw new Refused(answer);
	return answer;
}

// A command line. Its exit status is part of the answer.
const result = call('exec', { command: 'echo building; echo done' });
process.stdout.write(result.stdout);
console.log('exit status', result.exitCode);

// One that takes too long.
if (call('exec', { command: 'sleep 100', timeoutMs: 500 }).timedOut)
	console.log('too slow');

call('write', { path: 'settings', content: 'port = 80\nhost = here\n' });
call('edit', { path: 'settings', oldText: 'port = 80', newText: 'port = 8080' });
process.stdout.write(call('read', { path: 'settings' }).content);

try {
	call('read', { path: '../../etc/shadow' }); // not in the workspace
} catch (error) {
	if (!(error instanceof Refused))
		throw error;
	console.log('outside: refused');
}

const { id } = call('exec', { command: 'echo listening; cat', background: true });
call('process', { action: 'write', id, end: true });
call('process', { action: 'wait', id });
process.stdout.write(`background: ${call('process', { action: 'output', id }).output}`);
