/** The budget of a tenant, and its dead letters, on the command line. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { runVarve, temporaryFolder, type Ended } from './varve-process.ts';

const GRANT = ['budget', 'grant', '--dollars', '2.50', '--reason', 'the launch', '--key', 'k-1'];

interface CommandLine extends AsyncDisposable {
  readonly folder: string;
  readonly varve: (args: readonly string[]) => Promise<Ended>;
}

/** Each over a folder of its own. */
async function newCommandLine(): Promise<CommandLine> {
  const folder = await temporaryFolder();
  return {
    folder: folder.path,
    varve: (args) => runVarve([...args, '--data-dir', folder.path]),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe.concurrent('the budget on the command line', () => {
  test('a grant is shown with its principal and reason, and counts once for its key', async () => {
    await using commandLine = await newCommandLine();
    const { varve } = commandLine;
    const first = await varve(GRANT);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^Granted\./u);
    const again = await varve(GRANT);
    expect(again.stdout).toMatch(/nothing was added/u);
    const other = await varve([...GRANT, '--tokens', '9']);
    expect(other.status).toBe(5);
    expect(other.stderr).toMatch(/CONFLICT: This key granted another/u);
    const shown = await varve(['budget', 'show']);
    expect(shown.stdout).toMatch(/dollars +none +\$2\.50 +\$0\.00/u);
    expect(shown.stdout).toMatch(/granted \$2\.50 at \S+ by local: the launch/u);
    const json = await varve(['budget', 'show', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      tenant: 'default',
      microDollars: { granted: 2_500_000, limit: null },
      grants: [{ key: 'k-1', reason: 'the launch', principal: 'local' }],
    });
  });

  test('the commands say that there are no dead letters', async () => {
    await using commandLine = await newCommandLine();
    const { varve } = commandLine;
    await varve(GRANT);
    for (const command of ['dead-letters', 'retry']) {
      const { status, stdout } = await varve(['summaries', command]);
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'There are no dead letters.\n' });
    }
  });

  test.each([
    ['budget', 'show'],
    ['summaries', 'dead-letters'],
    ['compact'],
    ['search', 'tea'],
    ['dream', 'status', '--subject', 'user/ann'],
  ])(
    'CLI-3: %s on an empty folder says that nothing is stored, and creates nothing',
    async (...args) => {
      await using commandLine = await newCommandLine();
      const { status, stderr } = await commandLine.varve(args);
      expect(status).toBe(4);
      expect(stderr).toContain('NOT_FOUND: Nothing is stored in');
      expect(await readdir(commandLine.folder)).toEqual([]);
    },
  );

  test.each([
    ['an invalid amount', ['budget', 'grant', '--dollars', 'x', '--reason', 'r'], /--dollars/],
    ['no amount', ['budget', 'grant', '--reason', 'r'], /Give an amount by --tokens/],
    ['two amounts of one kind', [...GRANT, '--micro-dollars', '1'], /give one of them/],
    ['an invalid month', [...GRANT, '--period', '2026-13'], /--period takes .* YYYY-MM/],
    ['a month that is over', [...GRANT, '--period', '2020-01'], /A grant is for/],
    ['no reason', ['budget', 'grant', '--tokens', '5'], /required option '--reason/],
    ['an unknown layer', ['summaries', 'retry', '--layer', 'usr'], /--layer takes one of/],
  ])('CLI-3: %s ends with status 2 and an error that says what is valid', async (_, args, said) => {
    await using commandLine = await newCommandLine();
    const { varve } = commandLine;
    const { status, stdout, stderr } = await varve(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });
});
