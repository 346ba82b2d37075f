/** Bad input and a broken environment: a named error, its exit status, one line, nothing lost. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { stackPaths } from '#cli/installation-files.ts';
import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { takenPort } from './ports.ts';
import { untilNoneOn } from './processes.ts';
import { runVarve, temporaryFolder, type Ended } from './varve-process.ts';

/** One line for people, naming what is wrong; never where in our code it was noticed. */
function expectOneLine({ stderr }: Ended, said: RegExp): void {
  const lines = stderr.trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  expect(last).toMatch(/^varve: [A-Z_]+: /u);
  expect(last).toMatch(said);
  expect(stderr).not.toMatch(/^\s+at /mu);
}

describe.concurrent('policies', () => {
  const TENANT =
    'apiVersion: memory.varve.dev/v1alpha1\nkind: MemoryTenant\nmetadata: { name: a }\n';
  const WRONG: readonly (readonly [what: string, yaml: string, said: readonly string[]])[] = [
    ['YAML that does not parse', `${TENANT}spec:\n  budget: [\n`, ['tenant.yaml:', 'expected']],
    [
      'a field of the wrong type',
      `${TENANT}spec:\n  refresh:\n    batchWindow: soon\n`,
      [
        'tenant.yaml:6:18  spec.refresh.batchWindow',
        'expected  a duration',
        'found     the text "soon"',
        'example   batchWindow: 5m',
      ],
    ],
    [
      'a field that does not exist',
      `${TENANT}spec:\n  budgte: {}\n`,
      [
        'tenant.yaml:5:3  spec.budgte',
        'expected  one of the fields',
        'did you mean budget?',
        'example',
      ],
    ],
  ];
  test.each(WRONG)(
    'E2E-POLICY-1: %s is reported with its place, and nothing is applied',
    async (_, yaml, said) => {
      await using folder = await temporaryFolder();
      const dataDir = path.join(folder.path, 'data');
      await writeFile(path.join(folder.path, 'tenant.yaml'), yaml);
      const valid = TENANT.replace('name: a', 'name: b');
      await writeFile(path.join(folder.path, 'valid.yaml'), `${valid}spec: {}\n`);
      const ended = await runVarve(['start', '--data-dir', dataDir, '--policy-dir', folder.path]);
      expect(ended.status).toBe(2);
      expect(ended.stderr).toContain('nothing was applied');
      for (const text of said) expect(ended.stderr).toContain(text);
      expect(await policiesIn(dataDir)).toEqual([]);
    },
  );
});

describe.concurrent('import and demo input', () => {
  const HUGE_BYTES = 17 * 1024 * 1024;
  const FILES: readonly (readonly [what: string, name: string, content: Buffer, said: RegExp])[] = [
    ['an empty file', 'a.md', Buffer.alloc(0), /a\.md: there is no text in it/],
    ['a blank file', 'a.md', Buffer.from('\n  \n'), /a\.md: there is no text in it/],
    ['a binary file', 'a.md', randomBinary(), /a\.md: this is a binary file/],
    ['a binary file of records', 'a.jsonl', randomBinary(), /a\.jsonl: this is a binary file/],
    [
      'a huge document',
      'a.md',
      Buffer.alloc(HUGE_BYTES, 'word '),
      /17\.0 MiB is too large.*16 MiB/,
    ],
    ['a broken record', 'a.jsonl', Buffer.from('{"role":"user",\n'), /a\.jsonl, line 1:.*not JSON/],
    ['a record of an unknown shape', 'a.jsonl', Buffer.from('{"x":1}\n'), /a\.jsonl/],
  ];
  test.each(FILES)('E2E-INPUT-1: import refuses %s in one line', async (_, name, content, said) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, name);
    await writeFile(file, content);
    const ended = await runVarve(['import', file, '--data-dir', path.join(folder.path, 'data')]);
    expect(ended.status).toBe(2);
    expect(ended.stderr.match(/there is no text/gu)?.length ?? 1).toBe(1);
    expectOneLine(ended, said);
  });

  test.each([
    ['a path that does not exist', 'nothing', null, /nothing: there is no such file/],
    ['an empty file', 'a.md', Buffer.alloc(0), /there is no text in it/],
    ['a binary file', 'a.jsonl', randomBinary(), /this is a binary file/],
    ['a huge document', 'a.md', Buffer.alloc(HUGE_BYTES, 'word '), /too large/],
  ] as const)(
    'E2E-INPUT-2: demo refuses %s before it starts a server',
    async (_, name, content, said) => {
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, name);
      if (content !== null) await writeFile(file, content);
      const ended = await runVarve([
        'demo',
        '--input',
        file,
        '--data-dir',
        path.join(folder.path, 'd'),
      ]);
      expect({ status: ended.status, stdout: ended.stdout }).toEqual({ status: 2, stdout: '' });
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
      expectOneLine(ended, said);
    },
  );

  test('E2E-INPUT-3: demo does not empty a folder that it did not create', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'thesis.md'), 'years of work');
    const ended = await runVarve(['demo', '--data-dir', folder.path]);
    expect(ended.status).toBe(2);
    expectOneLine(ended, /holds something else/);
    expect(await readdir(folder.path)).toContain('thesis.md');
  });
});

describe.concurrent('the data folder', () => {
  const COMMANDS = [['start'], ['import', import.meta.filename], ['context', 'why?'], ['demo']];

  test.each(COMMANDS)(
    'E2E-FOLDER-1: a folder below a file is refused in %s',
    async (...command) => {
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, 'file');
      await writeFile(file, 'kept');
      const ended = await runVarve([...command, '--data-dir', path.join(file, 'data')]);
      expect(ended.status).toBe(8);
      expectOneLine(ended, /PROVIDER_REJECTED.*folder/);
    },
  );

  test.each([['start'], ['demo']])(
    'E2E-FOLDER-2: %s refuses a folder that another process uses',
    async (command) => {
      await using folder = await temporaryFolder();
      await using _lock = await acquireExclusiveLock(stackPaths(folder.path).lock);
      const before = await readdir(folder.path);
      const ended = await runVarve([command, '--data-dir', folder.path]);
      expect(ended.status).toBe(5);
      expectOneLine(ended, /CONFLICT.*--data-dir/);
      expect(await readdir(folder.path)).toEqual(before);
    },
  );
});

describe.concurrent('the store', () => {
  const DAMAGES: readonly (readonly [what: string, damage: (file: string) => Promise<void>])[] = [
    ['random bytes', (file) => writeFile(file, randomBytes(100_000))],
    ['half of the file', async (file) => truncate(file, Math.floor((await stat(file)).size / 2))],
  ];
  const COMMANDS = [['start'], ['import', import.meta.filename], ['context', 'why?']];

  test.each(DAMAGES)(
    'E2E-STORE-1: %s as a database file is CORRUPT, and the file stays unchanged',
    async (_, damage) => {
      await using folder = await temporaryFolder();
      const dataDir = path.join(folder.path, 'data');
      await fillStore(dataDir);
      const file = path.join(dataDir, 'varve.db');
      await damage(file);
      const { size } = await stat(file);
      for (const command of COMMANDS) {
        const ended = await runVarve([...command, '--data-dir', dataDir]);
        expect(ended.status).toBe(70);
        expectOneLine(ended, /CORRUPT: The database varve\.db .*backup/);
      }
      expect((await stat(file)).size).toBe(size);
      const doctor = await runVarve(['doctor', '--data-dir', dataDir]);
      expect(doctor.status).toBe(1);
      expect(doctor.stdout).toMatch(/^WRONG {2}store .*CORRUPT/mu);
    },
  );

  test('E2E-STORE-2: a full disk is reported in one line, and earlier writes stay', async () => {
    await using folder = await temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const notes = path.join(folder.path, 'notes');
    await fillStore(dataDir);
    await mkdir(notes);
    const long = Array.from(
      { length: 400 },
      (_, n) => `## Part ${String(n)}\n\nStep ${String(n)} is done.\n`,
    );
    await writeFile(path.join(notes, 'long.md'), long.join('\n'));
    const full = await runVarve(['import', notes, '--data-dir', dataDir], {
      fileKibibytesMax: 1_024,
    });
    expect(full.status).toBe(7);
    expectOneLine(full, /PROVIDER_ERROR: The database varve\.db could not/);

    const doctor = await runVarve(['doctor', '--data-dir', dataDir]);
    expect(doctor.stdout).toMatch(/^ok .* store .* sound$/mu);
    const again = await runVarve(['import', notes, '--data-dir', dataDir]);
    expect(again.status).toBe(0);
    await using varve = await openVarve({ dataDir });
    const identifiers = { projectId: 'default' };
    const asked = { tenant: 'default', layer: 'project', identifiers, depth: 'detailed' } as const;
    expect((await varve.summary.get(asked))?.sourceCount).toBe(401);
  });
});

describe.concurrent('ports and servers', () => {
  test.each([
    ['--api-port', /Port|port/],
    ['--temporal-port', /is in use/],
    ['--ui-port', /is in use/],
  ] as const)(
    'E2E-PORT-1: the error names a taken port, and no process is left (%s)',
    async (option, said) => {
      await using folder = await temporaryFolder();
      await using taken = await takenPort();
      const ended = await runVarve([
        'start',
        '--data-dir',
        folder.path,
        option,
        String(taken.port),
      ]);
      expect(ended.status).toBe(2);
      expectOneLine(ended, said);
      expect(ended.stderr).toContain(String(taken.port));
      await untilNoneOn(folder.path);
    },
  );

  test('E2E-SERVER-1: the error names an address without a Temporal server', async () => {
    await using folder = await temporaryFolder();
    await using taken = await takenPort();
    const address = `127.0.0.1:${String(taken.port)}`;
    const env = { TEMPORAL_ADDRESS: address };
    const ended = await runVarve(['start', '--data-dir', folder.path], { env });
    expect(ended.status).toBe(7);
    expectOneLine(ended, new RegExp(`No Temporal server answers at ${address}`, 'u'));
  });

  test('E2E-SERVER-2: without Temporal, a download and Go, one message offers three solutions', async () => {
    await using folder = await temporaryFolder();
    const env = {
      PATH: folder.path,
      HOME: folder.path,
      XDG_CACHE_HOME: '',
      VARVE_CACHE_DIR: path.join(folder.path, 'cache'),
      // No vendor's host, and no toolchain of the age that this asks for, wherever Go lies.
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      GOTOOLCHAIN: 'go1.2.1',
      GOPROXY: 'off',
    };
    const ended = await runVarve(['start', '--data-dir', path.join(folder.path, 'data')], { env });
    expect(ended.status).toBe(7);
    const [, message = ''] = ended.stderr.split('varve: PROVIDER_ERROR: ');
    expect(message.split('\n').slice(0, 5)).toEqual([
      'Varve needs a Temporal server and found none. Any one of these is enough:',
      expect.stringMatching(/^ {2}1\. Install Temporal's command line: .*\w/u),
      expect.stringMatching(/^ {2}2\. Use a server that runs already: .*TEMPORAL_ADDRESS=/u),
      expect.stringMatching(/^ {2}3\. Install Go 1\.26 or newer: .*\w/u),
      expect.stringMatching(/the next start builds the server/u),
    ]);
  });
});

function randomBinary(): Buffer {
  return Buffer.concat([Buffer.from([0]), randomBytes(2_000)]);
}

async function fillStore(dataDir: string): Promise<void> {
  await using varve = await openVarve({ dataDir });
  const identifiers = { projectId: 'default' };
  const content = 'The boat was painted blue in May 2026.';
  await varve.memory.add({ tenant: 'default', layer: 'project', identifiers, content });
}

/** Tenants whose policy the store of a folder holds. */
async function policiesIn(dataDir: string): Promise<readonly string[]> {
  const { openParts } = await import('#cli/composition-root.ts');
  const { SILENT_LOG } = await import('#core/ports/platform.ts');
  await using parts = await openParts({ dataDir, log: SILENT_LOG });
  return (await parts.store.policies.list(10)).map(({ tenant }) => tenant);
}

test('varve init refuses a data folder that is a file, and writes nothing', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'notes.txt');
  await writeFile(file, 'Notes.');
  const ended = await runVarve(['init', '--data-dir', file]);
  expect(ended.status).toBe(8);
  expectOneLine(ended, /PROVIDER_REJECTED: The data folder ".*notes\.txt" cannot be created/u);
  expect(await readdir(folder.path)).toEqual(['notes.txt']);
});
