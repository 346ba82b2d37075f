/** `varve mcp` as MCP clients start it: a process that communicates over standard streams. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { Experimental_StdioMCPTransport as AiSdkStdio } from '@ai-sdk/mcp/mcp-stdio';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { libraryOf } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { openVarve } from '#cli/open-varve.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { COMPILE_CACHE, runVarve, startVarve, VARVE_MAIN } from '#test/e2e/varve-process.ts';
import { until } from '#test/e2e/until.ts';
import { callsOf, textOf } from '#test/unit/mcp/connected.ts';

const TOKEN = 'a-token-of-this-test-alone';

let folder = '';
let held: AsyncDisposableStack;
beforeEach(async () => {
  held = new AsyncDisposableStack();
  ({ folder } = held.use(await temporaryFolder()));
});
afterEach(() => held.disposeAsync());

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function varveMcp(...args: readonly string[]): Program {
  const all = [VARVE_MAIN, 'mcp', '--data-dir', folder, ...args];
  return { command: process.execPath, args: all };
}

async function connect({ command, args, env: set = {} }: Program) {
  const stderr: string[] = [];
  // The SDK passes on little of the environment.
  const env = { ...COMPILE_CACHE, ...set };
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => void stderr.push(chunk.toString('utf8')));
  const wrong: Error[] = [];
  const client = new Client({ name: 'test', version: '1' });
  // Of the SDK, whose clients know no listeners.
  Object.assign(client, { onerror: (error: Error) => void wrong.push(error) });
  await client.connect(transport);
  return {
    ...callsOf(client),
    /** What was on standard output and is no protocol. */
    wrong,
    stderr: () => stderr.join(''),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

describe('varve mcp', () => {
  test.each<[string, () => Program, RegExp]>([
    [
      'a folder that cannot be made',
      () => {
        const program = varveMcp('--user', 'ann');
        const args = program.args.map((each) => (each === folder ? '/proc/nowhere' : each));
        return { ...program, args };
      },
      /PROVIDER_REJECTED: .*The data folder is \/proc\/nowhere\./u,
    ],
    [
      'a token that no API has',
      () => ({
        ...varveMcp('--user', 'ann', '--api-url', 'http://127.0.0.1:1'),
        env: { VARVE_API_TOKEN: 'bad token' },
      }),
      /INVALID_INPUT: .*VARVE_API_TOKEN/u,
    ],
    [
      'a tenant that cannot be',
      () => varveMcp('--user', 'ann', '--tenant', 'A B'),
      /INVALID_INPUT: .*tenant/u,
    ],
  ])('with %s: the client learns why the server does not start', async (_what, program, words) => {
    await expect(connect(program())).rejects.toThrow(words);
  });

  test('a memory from one conversation is known to the next, and to the library', async () => {
    const content = 'Ann is allergic to peanuts.';
    {
      await using first = await connect(varveMcp('--user', 'ann'));
      await first.answer('add_memory', { content });
      expect(first.wrong).toEqual([]);
      expect(first.stderr()).toContain('MCP server ready');
      expect(first.stderr()).not.toContain('peanuts');
    }
    {
      await using second = await connect(varveMcp('--user', 'ann'));
      const query = 'Is Ann allergic to peanuts?';
      expect(textOf(await second.call('search_memory', { query }))).toContain(content);
      expect(textOf(await second.call('get_context', { query }))).toContain(content);
    }
    await using varve = await openVarve({ dataDir: folder });
    const listed = { tenant: 'default', identifiers: { userId: 'ann' } };
    const { memories } = await varve.memory.list(listed);
    expect(memories).toMatchObject([{ content, origin: { principal: 'mcp' } }]);
  });

  test('the client of the AI SDK can use it', async () => {
    const { command, args } = varveMcp('--project', 'boat');
    const program = { command, args: [...args], env: COMPILE_CACHE };
    const transport = new AiSdkStdio({ ...program, stderr: 'ignore' });
    const client = await createMCPClient({ transport });
    try {
      const { add_memory: add, list_memories: list } = await client.tools();
      const options = { toolCallId: '1', messages: [], context: {} };
      await add?.execute({ content: 'The boat is painted blue.' }, options);
      expect(JSON.stringify(await list?.execute({}, options))).toContain('painted blue');
    } finally {
      await client.close();
    }
  });

  test('it refreshes due scopes if no other process does', async () => {
    const tenant = 'default';
    {
      await using varve = await openVarve({
        dataDir: folder,
        policy: { tenant, layers: { user: { updateOnChanges: 1 } } },
      });
      const about = { tenant, layer: 'user', identifiers: { userId: 'ann' } } as const;
      await varve.memory.add({ ...about, content: 'Ann sings in a choir.' });
    }
    await using server = await connect(varveMcp('--user', 'ann'));
    const summary = await until('there is a summary', async () => {
      const result = await server.call('get_summary', { layer: 'user' });
      return textOf(result).startsWith('There is no summary') ? null : textOf(result);
    });
    expect(summary).toBe('Ann sings in a choir.');
  });

  test('it ends when the client closes its input', async () => {
    const running = startVarve(['mcp', '--data-dir', folder]);
    const { status, stdout } = await running.ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  test('it answers what its client still asked before it closed its input', async () => {
    const { command, args } = varveMcp('--user', 'ann');
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const [stdout, stderr]: [string[], string[]] = [[], []];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void stdout.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void stderr.push(chunk));
    const content = 'Ann is allergic to peanuts.';
    const params = { name: 'add_memory', arguments: { content } };
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(JSON.parse(stdout.join(''))).toMatchObject({
      id: 1,
      result: { structuredContent: { memory: { content } } },
    });
    expect(stderr.join('')).not.toContain('error');
  });

  test.each([
    ['without output if its client stops reading', ['stdout'], 0, /^$/u],
    ['without output if its client stops reading both outputs', ['stdout', 'stderr'], 0, /^$/u],
    ['with an error if its output is a full disk', [], 7, /^varve: PROVIDER_ERROR: /u],
  ] as const)('before it answers, it ends %s', async (_, unread, status, said) => {
    await using disk = await open('/dev/full', 'w');
    const { command, args } = varveMcp();
    const stdout = unread.length === 0 ? disk.fd : 'pipe';
    const child = spawn(command, args, { stdio: ['pipe', stdout, 'pipe'] });
    const stderr: string[] = [];
    const ended = once(child, 'close');
    try {
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => void stderr.push(chunk));
      await until('it is ready', async () =>
        Promise.resolve(stderr.join('').includes('MCP server ready')),
      );
      stderr.length = 0;
      for (const name of unread) child[name]?.destroy();
      child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      expect(await ended).toEqual([status, null]);
      expect(stderr.join('')).toMatch(said);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('it uses a running API by its address and token', async () => {
    const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
    const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
    const place = { ports, host: '127.0.0.1', port: 0, token: TOKEN };
    const { url } = held.use(await startApiServer(place));
    const program = varveMcp('--tenant', 'acme', '--user', 'ann', '--api-url', url);
    await using server = await connect({ ...program, env: { VARVE_API_TOKEN: TOKEN } });
    await server.answer('add_memory', { content: 'Ann sings in a choir.' });
    const identifiers = { userId: 'ann' };
    const { memory } = libraryOf(ports, LOCAL_OPERATOR);
    expect(await memory.list({ tenant: 'acme', identifiers })).toMatchObject({ totalCount: 1 });
    await using stranger = await connect({
      ...program,
      env: { VARVE_API_TOKEN: 'another-token-than-that' },
    });
    expect(textOf(await stranger.call('list_memories'))).toMatch(/^UNAUTHENTICATED: /u);
  });

  test.each([
    ['an invalid tenant', ['--tenant', 'A B'], '--tenant takes'],
    ['an empty user', ['--user', ''], 'userId'],
    ['no user', ['--user', 'undefined'], 'userId: expected an id'],
    ['an unknown client', ['--print-config', 'emacs'], 'Allowed choices are'],
  ])(
    'it refuses %s with status 2, and prints nothing to standard output',
    async (_, args, words) => {
      const { status, stdout, stderr } = await runVarve(['mcp', ...args]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(words);
    },
  );
});

const Printed = z.object({
  mcpServers: z.object({
    varve: z.object({ command: z.string(), args: z.array(z.string()) }),
  }),
});

test('the configuration from --print-config starts a server for that user', async () => {
  const args = ['mcp', '--data-dir', folder, '--user', 'ann', '--print-config'];
  const { status, stdout, stderr } = await runVarve(args);
  expect(status).toBe(0);
  expect(stderr).toContain('claude_desktop_config.json');
  const { mcpServers } = Printed.parse(JSON.parse(stdout));
  await using server = await connect(mcpServers.varve);
  const added = await server.answer('add_memory', { content: 'Ann sings in a choir.' });
  expect(added).toMatchObject({ memory: { layer: 'user', scopeId: 'ann' } });
});
