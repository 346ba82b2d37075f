/** What the command line tells people who do not know it yet. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { runVarve, temporaryFolder } from './varve-process.ts';

const COMMANDS = ['demo', 'start', 'import', 'context', 'doctor', 'worker'];

describe.concurrent('help and wrong use', () => {
  test('CLI-1: --help lists every command and fits a terminal of 80 columns', async () => {
    const { status, stdout, stderr } = await runVarve(['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'mu'));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('CLI-2: demo --help lists every option with a description', async () => {
    const { status, stdout } = await runVarve(['demo', '--help']);
    expect(status).toBe(0);
    for (const option of ['--input', '--question', '--keep', '--data-dir']) {
      expect(stdout).toMatch(new RegExp(`^  ${option} .*\\w`, 'mu'));
    }
  });

  test.each([
    [['budget', 'grant'], '--reason <text>'],
    [['keys', 'create'], '--role <role>'],
    [['export'], '--user <id>'],
    [['plan'], '--file <path...>'],
    [['tenants', 'move'], '--to-namespace <name>'],
    [['core', 'show'], '--subject <kind/id>'],
  ])('CLI-2: %j --help says once that %s is required', async (args, option) => {
    const { stdout } = await runVarve([...args, '--help']);
    const [, after = ''] = stdout.split(option);
    const [description] = after.split(/\n +-/u);
    expect(description?.match(/\(required\)/gu)).toHaveLength(1);
  });

  const WRONG: readonly (readonly [what: string, args: readonly string[], said: RegExp])[] = [
    ['no command', [], /Usage: varve \[options\] \[command\]/],
    ['an unknown command', ['strat'], /unknown command 'strat'\. Did you mean start\?/],
    [
      'an unknown option',
      ['demo', '--kep'],
      /^varve: INVALID_INPUT: unknown option '--kep'\. Did you mean --keep\?\nvarve demo --help/,
    ],
    ['one argument too many', ['start', 'now'], /too many arguments for 'start'/],
    ['a missing argument', ['import'], /missing required argument 'path'\.\nvarve import --help/],
    ['a port that is not a number', ['start', '--api-port', 'x'], /--api-port.*0 to 65535/],
    ['a port that is too large', ['start', '--ui-port', '65536'], /--ui-port.*0 to 65535/],
    ['a count that is not a number', ['context', '--max-tokens', 'x', 'why'], /--max-tokens takes/],
    ['an option for a value', ['search', 'x', '--user', '--json'], /--user takes a value, not/],
    [
      'a version of a command',
      ['core', 'show', '--subject', 'user/ann', '--version', '9'],
      /unknown option '--version'/,
    ],
    ['a worker without a server', ['worker'], /TEMPORAL_ADDRESS/],
  ];
  test.each(WRONG)(
    'CLI-3: %s ends with status 2 and an error that says what is valid',
    async (_, args, said) => {
      const { status, stdout, stderr } = await runVarve(args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(said);
      expect(stderr).not.toMatch(/^\s+at /mu);
    },
  );

  const OF = ['--subject', 'user/ann'];
  const BAD_TENANT = ['--tenant', 'Not one'];
  const BEFORE_THE_STORE: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['context', '--max-tokens', '0', 'why'], /--max-tokens takes .*, not "0"/],
    [['context', 'why', ...BAD_TENANT], /--tenant takes/],
    [['context', 'why', '--user', ''], /--user: expected/],
    [['search', 'why', '--limit', '0'], /--limit takes .* from 1 to 100, not "0"/],
    [['search', 'why', '--threshold', '2'], /--threshold takes .* from 0 to 1, not "2"/],
    [['search', 'why', '--layer', 'usr'], /--layer takes one of .*, not "usr"/],
    [['search', 'why', '--filter', '{"field":1}'], /filter/],
    [['budget', 'show', '--period', '2026-13'], /--period takes .* YYYY-MM/],
    [['budget', 'grant', '--tokens', '5', '--reason', 'r', ...BAD_TENANT], /--tenant takes/],
    [['summaries', 'dead-letters', ...BAD_TENANT], /--tenant takes/],
    [['summaries', 'retry', '--scope', ''], /scopeId: /],
    [['compact', ...BAD_TENANT], /--tenant takes/],
    [['import', '.', ...BAD_TENANT], /--tenant takes/],
    [['import', '.', '--project', ''], /--project: expected/],
    [['embeddings', 'estimate', '--to', 'endpoint'], /No embedding endpoint is configured/],
    [['embeddings', 'migrate', '--yes', ...BAD_TENANT], /--tenant takes .*, not "Not one"/],
    [['embeddings', 'pause', '--to', 'endpoint'], /No embedding endpoint is configured/],
    [['daily', 'append', 'tea', ...OF, '--at', 'now'], /--at takes/],
    [['daily', 'show', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['daily', 'list', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['core', 'show', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['core', 'versions', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['core', 'restore', '1', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['dream', 'run', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['dream', 'status', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['dream', 'diary', ...OF, ...BAD_TENANT], /--tenant takes/],
    [['dream', 'list', ...BAD_TENANT], /--tenant takes/],
    [['dream', 'show', ''], /Name a dream by its id/],
    [['dream', 'approve', ''], /Name a dream by its id/],
    [['dream', 'reject', 'x', '--reason', ' '], /--reason takes/],
    [['dream', 'schedules', ...BAD_TENANT], /--tenant takes/],
  ];
  test.each(BEFORE_THE_STORE)(
    'CLI-3: %j is refused for a wrong value, and nothing is stored',
    async (args, said) => {
      await using folder = await temporaryFolder();
      const { status, stdout, stderr } = await runVarve([...args, '--data-dir', folder.path]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(said);
      expect(await readdir(folder.path)).toEqual([]);
    },
  );

  test('CLI-4: an error in a setting names the environment variable', async () => {
    const env = { VARVE_LOG_LEVEL: 'loud', VARVE_UI_PORT: '-1' };
    const { status, stderr } = await runVarve(['doctor'], { env });
    expect(status).toBe(2);
    expect(stderr).toMatch(/VARVE_LOG_LEVEL.*debug.*info.*warn.*error/u);
    expect(stderr).toMatch(/VARVE_UI_PORT.*0 to 65535/u);
  });
});
