/** The result of `npm pack` works in other people's projects. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { projectFiles, readProjectFile, ROOT } from '../tidy/source-file.ts';
import { installPackage, run } from './installed.ts';
import { shared } from '#test/shared-fixture.ts';

const PACKED_BYTES_MAX = 4_000_000;
const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** Its threads would check many of the same types again. */
const COMPILE = [TSC, '-p', '.', '--singleThreaded'];
/** The first demo of a machine builds the Temporal server. */
const DEMO_MS_MAX = 1_800_000;
const NODES = ['22', '24'] as const;

/** The sample of the README, as it stands there. */
const SAMPLE = [...readProjectFile('README.md').text.matchAll(/```ts\n([\s\S]+?)```/gu)]
  .map(([, block]) => block)
  .join('');
/** Node 22 does not know `await using`. */
const PLAIN_SAMPLE = `${SAMPLE.replace('await using varve', 'const varve')}
await varve[Symbol.asyncDispose]();
`;

/** Of docs/library.md: CommonJS, types, a policy, a layout, then models. */
const PAGE = [...readProjectFile('docs/library.md').text.matchAll(/```ts\n([\s\S]+?)```/gu)].map(
  ([, block = '']) => block,
);

/** Of docs/ai-sdk.md, with a mistake that its types must see. */
const [, AI_SDK = ''] = /```ts\n([\s\S]+?)```/u.exec(readProjectFile('docs/ai-sdk.md').text) ?? [];
const AI_SDK_SAMPLE = `${AI_SDK}
// @ts-expect-error: a limit is a number
memoryMiddleware({ ...about, sessionId: 'monday', maxTokens: '600' });
`;

/** Its package is installed by the test of its clients. */
const OTHER_CLIENT = "from 'mem0ai'";

/** Every sample in TypeScript of the pages; one that goes on with an open store is given it. */
function pageSamples(): Readonly<Record<string, string>> {
  const pages = projectFiles(ROOT).filter(({ path: page }) => /^docs\/.+\.md$/u.test(page));
  const samples = pages.flatMap(({ path: page, text }) =>
    [...text.matchAll(/```ts\n([\s\S]+?)```/gu)].map(
      ([, block = ''], at) => [page, at, block] as const,
    ),
  );
  return Object.fromEntries(
    samples
      .filter(([, , block]) => !block.includes(OTHER_CLIENT))
      .map(([page, at, block]) => {
        const name = `${page.replaceAll('/', '-').replace('.md', '')}-${String(at)}.ts`;
        const isOpened = /\bvarve = /u.test(block);
        return [name, isOpened ? block : `${block}declare const varve: import('varve').Varve;\n`];
      }),
  );
}

const installed = shared(installPackage, 300_000);

/** Standard error is free: Node 22 calls its SQLite experimental there. */
const SAMPLE_ENDED = {
  status: 0,
  stdout: expect.stringMatching(
    /- project: Checkout launches[\s\S]+ of 3000 tokens[\s\S]+found 0\.\d+ memory: Checkout/u,
  ) as string,
};

describe('the package', () => {
  test('contains compiled JavaScript and declarations, within its size limit', () => {
    expect(installed().packedBytes).toBeLessThan(PACKED_BYTES_MAX);
    const sources = installed().files.filter(
      (file) => /(?<!\.d)\.[cm]?ts$/u.test(file) && !file.startsWith('examples/'),
    );
    expect(sources).toEqual([]);
    expect(installed().files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/types/cli/open-varve.d.ts', 'LICENSE']),
    );
  });

  test('contains every page and example that its README links to', () => {
    const { text } = readProjectFile('README.md');
    const links = [...text.matchAll(/\]\(([^)#:]+)/gu)].map(([, link = '']) => link);
    const wanted = links.filter((link) => /^(?:docs|examples|clients)\/|^[A-Z]+\.md$/u.test(link));
    expect(wanted.length).toBeGreaterThan(20);
    expect(installed().files).toEqual(expect.arrayContaining(wanted));
  });

  test.each(NODES)('runs the README sample as an ES module on Node %s', async (version) => {
    const folder = await installed().project(
      `esm-${version}`,
      { type: 'module' },
      { 'sample.js': PLAIN_SAMPLE },
    );
    expect(await run(installed().nodes[version], ['sample.js'], folder)).toMatchObject(
      SAMPLE_ENDED,
    );
  });

  test.each(NODES)('can be imported and required from CommonJS on Node %s', async (version) => {
    const code = `
      const { openVarve } = require('varve');
      import('varve').then(async (imported) => {
        const varve = await openVarve({ dataDir: 'memory' });
        const { version } = await varve.health();
        await varve[Symbol.asyncDispose]();
        console.log(imported.openVarve === openVarve, typeof version);
      });`;
    const folder = await installed().project(`cjs-${version}`, {}, { 'sample.js': code });
    const ended = await run(installed().nodes[version], ['sample.js'], folder);
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('true') });
  });

  test('reports on Node 20 which Node it needs, as a library and as a command', async () => {
    const code = `import('varve')
      .then(({ openVarve }) => openVarve())
      .catch((error) => console.log(error.code, error.message));`;
    const folder = await installed().project('old', {}, { 'sample.js': code });
    const wanted = 'This is Node 20.20.2; Varve needs 22.16 or newer.';
    expect(await run(installed().nodes['20'], ['sample.js'], folder)).toMatchObject({
      stdout: expect.stringContaining(`PROVIDER_REJECTED ${wanted}`),
    });
    const program = path.join(installed().folder, 'node_modules', 'varve', 'dist', 'varve.js');
    expect(await run(installed().nodes['20'], [program, 'doctor'], folder)).toMatchObject({
      status: 69,
      stderr: expect.stringContaining(`varve: UNAVAILABLE: ${wanted}`),
    });
  });

  test('runs the README sample with tsx on Node 22', async () => {
    const tsx = path.join(installed().folder, 'node_modules', 'tsx', 'dist', 'cli.mjs');
    const files = { 'sample.mts': SAMPLE };
    const folder = await installed().project('tsx', {}, files);
    expect(await run(installed().nodes['22'], [tsx, 'sample.mts'], folder)).toMatchObject(
      SAMPLE_ENDED,
    );
  });

  test('has declarations that a strict compiler accepts without skipLibCheck', async () => {
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable'] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ noEmit: true, skipLibCheck: false, types: ['node'] },
    };
    const wrong = `${SAMPLE}
      // @ts-expect-error: userid is not userId
      await varve.memory.search({ ...about, query, identifiers: { userid: 'dana' } });`;
    const pages = Object.fromEntries(PAGE.map((text, at) => [`page-${String(at)}.ts`, text]));
    const folder = await installed().project(
      'strict',
      { type: 'module' },
      { 'tsconfig.json': JSON.stringify({ compilerOptions }), 'sample.ts': wrong, ...pages },
    );
    expect(await run(process.execPath, COMPILE, folder)).toMatchObject({
      status: 0,
      stdout: '',
    });
  });

  test('has pages whose samples a strict compiler accepts', async () => {
    const files = pageSamples();
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['docs-langgraph-0.ts', 'docs-memory-files-0.ts']),
    );
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable', 'dom'] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      // The declarations of other packages do not all hold by themselves.
      ...{ noEmit: true, skipLibCheck: true, types: ['node'] },
    };
    const folder = await installed().project(
      'pages',
      { type: 'module' },
      { 'tsconfig.json': JSON.stringify({ compilerOptions }), ...files },
    );
    expect(await run(process.execPath, COMPILE, folder)).toMatchObject({
      status: 0,
      stdout: '',
    });
  });

  test('has declarations for the AI SDK that a strict compiler accepts', async () => {
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true };
    const lib = ['es2023', 'esnext.disposable', 'dom'];
    const files = {
      'tsconfig.json': JSON.stringify({
        compilerOptions: { module: 'nodenext', target: 'es2023', lib, types: ['node'], ...strict },
      }),
      'sample.ts': AI_SDK_SAMPLE,
    };
    const folder = await installed().project('ai-sdk', { type: 'module' }, files);
    const { stdout } = await run(process.execPath, COMPILE, folder);
    // Those of the AI SDK itself do not hold by themselves.
    const ours = stdout.split('\n').filter((line) => /^\S+\(\d+,\d+\): error/u.test(line));
    expect(ours.filter((line) => !/node_modules\/(?:@ai-sdk|ai)\//u.test(line))).toEqual([]);
  });

  test('serves MCP with the program of docs/mcp.md, which a strict compiler accepts', async () => {
    const [, , sample = ''] = readProjectFile('docs/mcp.md').text.split('```ts\n');
    const [program = ''] = sample.split('```');
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true };
    const lib = ['es2023', 'esnext.disposable', 'dom'];
    const files = {
      'tsconfig.json': JSON.stringify({
        compilerOptions: { module: 'nodenext', target: 'es2023', lib, types: ['node'], ...strict },
      }),
      'server.ts': program,
    };
    const folder = await installed().project('mcp', { type: 'module' }, files);
    const compiled = await run(process.execPath, COMPILE, folder);
    expect(compiled).toMatchObject({ status: 0, stdout: '' });
    const client = new Client({ name: 'test', version: '1' });
    const started = { command: installed().nodes['24'], args: ['server.ts'], cwd: folder };
    await client.connect(new StdioClientTransport(started));
    const content = 'Ann is allergic to peanuts.';
    await client.callTool({ name: 'add_memory', arguments: { content } });
    const query = 'Which allergies does Ann have?';
    const found = await client.callTool({ name: 'get_context', arguments: { query } });
    await client.close();
    expect(JSON.stringify(found.content)).toContain(content);
  });

  test('has a client that can be bundled for a browser and needs no Node types', async () => {
    const code = readProjectFile('docs/client.md').text;
    const [, sample = ''] = /```ts\n([\s\S]+?)```/u.exec(code) ?? [];
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true };
    const lib = ['es2023', 'esnext.disposable', 'dom'];
    const compilerOptions = { module: 'nodenext', target: 'es2023', lib, ...strict };
    const files = {
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, types: ['node'] } }),
      'sample.ts': sample,
    };
    const folder = await installed().project('client', { type: 'module' }, files);
    const compiled = await run(process.execPath, COMPILE, folder);
    expect(compiled).toMatchObject({ status: 0, stdout: '' });
    const esbuild = path.join(installed().folder, 'node_modules', 'esbuild', 'bin', 'esbuild');
    const flags = ['--bundle', '--platform=browser', '--format=esm', '--outfile=out.js'];
    const args = [esbuild, 'sample.ts', ...flags, '--define:process.env={}'];
    expect(await run(installed().nodes['24'], args, folder)).toMatchObject({ status: 0 });
  });

  test('applies the policy of docs/library.md, and names the package that its models need', async () => {
    const [, types = '', policy = '', layout = '', models = ''] = PAGE;
    const keyed = `process.env['OPENAI_API_KEY'] = 'none';\n${models}`;
    const files = {
      'types.ts': types,
      'policy.ts': policy,
      'layout.ts': layout,
      'models.ts': keyed,
    };
    const folder = await installed().project('page', { type: 'module' }, files);
    const applied = await run(installed().nodes['24'], ['policy.ts'], folder);
    expect(applied).toMatchObject({ status: 0, stdout: '1 made\n' });
    const laidOut = await run(installed().nodes['24'], ['layout.ts'], folder);
    expect(laidOut).toMatchObject({ status: 0, stdout: expect.stringMatching(/^0 \d+\n$/u) });
    const lacking = await run(installed().nodes['24'], ['models.ts'], folder);
    expect(lacking.stderr).toContain('npm install openai@7');
    const recalled = await run(installed().nodes['24'], ['types.ts'], folder);
    expect(recalled.stdout).toContain('We meet on Tuesdays.');
  });

  test('runs when bundled by esbuild with external packages', async () => {
    const esbuild = path.join(installed().folder, 'node_modules', 'esbuild', 'bin', 'esbuild');
    const folder = await installed().project('bundle', { type: 'module' }, { 'sample.ts': SAMPLE });
    const flags = ['--bundle', '--platform=node', '--format=esm', '--target=node22'];
    const args = [esbuild, 'sample.ts', ...flags, '--packages=external', '--outfile=out.js'];
    expect(await run(installed().nodes['24'], args, folder)).toMatchObject({ status: 0 });
    expect(await run(installed().nodes['22'], ['out.js'], folder)).toMatchObject(SAMPLE_ENDED);
  });

  test('refuses an optional feature without its package, and shows the command that installs it', async () => {
    const code = `
      import { openVarve } from 'varve';
      const mongodb = { uri: 'mongodb://127.0.0.1:1', database: 'varve' };
      for (const options of [{ settings: { mongodb } }, { embedder: 'local' }]) {
        await openVarve({ dataDir: 'memory', ...options }).catch((error) => {
          console.log(error.code, error.message);
        });
      }`;
    const folder = await installed().project('missing', { type: 'module' }, { 'sample.js': code });
    const { stdout } = await run(installed().nodes['22'], ['sample.js'], folder);
    expect(stdout.match(/MISSING_PACKAGE/gu)).toHaveLength(2);
    expect(stdout).toContain('npm install mongodb@7');
    expect(stdout).toContain('npm install --ignore-scripts @huggingface/tokenizers@0');
  });
});

describe('the command of the package', () => {
  const varve = (args: readonly string[], node: (typeof NODES)[number] = '22') => {
    const program = path.join(installed().folder, 'node_modules', 'varve', 'dist', 'varve.js');
    return run(installed().nodes[node], [program, ...args], installed().folder);
  };

  test('is installed by npm under its name', async () => {
    const program = path.join(installed().folder, 'node_modules', '.bin', 'varve');
    const { status, stdout } = await run(program, ['--help'], installed().folder);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: varve');
  });

  test.each(NODES)('imports and searches without Temporal on Node %s', async (node) => {
    const notes = { 'launch.md': '# Launch\n\nThe checkout launches on December 1.\n' };
    const folder = await installed().project(`notes-${node}`, {}, notes);
    const dataDir = ['--data-dir', path.join(folder, 'data')];
    const imported = await varve(['import', path.join(folder, 'launch.md'), ...dataDir], node);
    expect(imported.stdout).toContain('1 memory added');
    expect(imported.stdout).toContain('1 summary made');
    const found = await varve(['search', 'When does the checkout launch?', ...dataDir], node);
    expect(found).toMatchObject({ status: 0, stdout: expect.stringContaining('December 1') });
  });

  test(
    'demo names the packages that it needs, and runs once they are installed',
    async () => {
      const refused = await varve(['demo']);
      const doctor = await varve(['doctor']);
      expect(doctor.stdout).toMatch(/packages .* start, .*npm install .*@temporalio\/worker@1/u);
      expect(refused.status).toBe(69);
      const [, packages = ''] =
        /npm install (.*@temporalio\/worker@1.*)/u.exec(refused.stderr) ?? [];
      const folder = await installed().separately('demo', packages.trim().split(' '));
      const program = path.join(folder, 'node_modules', '.bin', 'varve');
      const ended = await run(program, ['demo'], folder, DEMO_MS_MAX);
      const stdout = expect.stringContaining('(completed, completed)') as string;
      expect(ended).toMatchObject({ status: 0, stdout });
    },
    DEMO_MS_MAX,
  );
});
