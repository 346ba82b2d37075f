import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { askedRun, type NamedRun } from '#bench/named-runs.ts';

const RUNS: Readonly<Record<string, NamedRun>> = {
  search: { about: 'Searches.', options: { '--quick': 'is short', '--data PATH': 'a file' } },
  kill: { about: 'Kills.', words: '[ID…]' },
  seeds: { about: 'Seeds.', words: '[SEED…]', isCounts: true },
  flood: { about: 'Floods.', words: '[NAME…]', choices: () => Promise.resolve(['flood', 'large']) },
};
const asked = (...argv: string[]) => askedRun('npm run bench', RUNS, argv);

describe('a command of named runs', () => {
  test.each([
    [
      ['search', '--quick', '--data', 'a.jsonl'],
      ['--quick', '--data', 'a.jsonl'],
    ],
    [
      ['kill', 'a', 'b'],
      ['a', 'b'],
    ],
    [['seeds', '7'], ['7']],
    [['flood', 'large'], ['large']],
    [['search'], []],
  ])('runs what %j asks for', async (argv, args) => {
    expect(await asked(...argv)).toMatchObject({ kind: 'Run', args });
  });

  test.each([
    [['--help'], 'search            Searches.'],
    [['search', '--help'], '--data PATH         a file'],
    [['search', '--quick', '-h'], 'usage: npm run bench -- search [OPTION…]'],
    [['kill', '--help'], 'usage: npm run bench -- kill [ID…]'],
  ])('prints help for %j and runs nothing', async (argv, text) => {
    const answer = await asked(...argv);
    expect(answer).toMatchObject({ kind: 'Help', text: expect.stringContaining(text) as string });
  });

  test.each([
    [[], 'usage: npm run bench -- NAME'],
    [['serch'], '"serch" is not known; did you mean search? See: npm run bench -- --help'],
    [['__proto__'], '"__proto__" is not known'],
    [['search', '--quik'], 'the option --quik is not known; did you mean --quick?'],
    [['search', '--data'], '--data needs a PATH'],
    [['search', '--data', '--quick'], '--data needs a PATH'],
    [['search', 'more'], '"more" is one word too many'],
    [['kill', '--all'], 'the option --all is not known'],
    [['seeds', 'x'], '"x" is no whole number from 1 on'],
    [['flood', 'huge'], '"huge" is not one of flood, large'],
  ])('refuses %j', async (argv, text) => {
    const answer = await asked(...argv);
    expect(answer).toMatchObject({
      kind: 'Refused',
      text: expect.stringContaining(text) as string,
    });
  });
});

const ROOT = path.resolve(import.meta.dirname, '../../..');

test.each([
  ['bench/run.ts', 'search'],
  ['test/fault-injection.ts', 'fuzz'],
])('%s %s prints help for --help and refuses an unknown option', (...command) => {
  const run = (option: string) =>
    spawnSync(process.execPath, ['scripts/run.mjs', ...command, option], {
      cwd: ROOT,
      encoding: 'utf8',
    });
  const help = run('--help');
  expect(help.status).toBe(0);
  expect(help.stdout).toContain('npm ');
  const refused = run('--no-such-option');
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(/^varve: INVALID_INPUT: .*--no-such-option.* See: npm /u);
  expect(refused.stdout).toBe('');
});
