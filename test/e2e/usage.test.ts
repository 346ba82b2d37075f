/** What the command line says to somebody who does not know it yet. */
import { describe, expect, test } from 'vitest';
import { runVarve } from './varve-process.ts';

const COMMANDS = ['demo', 'start', 'import', 'context', 'doctor', 'worker'];

describe.concurrent('help and wrong use', () => {
  test('CLI-1: --help names every command and fits a terminal of 80 columns', async () => {
    const { status, stdout, stderr } = await runVarve(['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'mu'));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('CLI-2: demo --help names every option with what it does', async () => {
    const { status, stdout } = await runVarve(['demo', '--help']);
    expect(status).toBe(0);
    for (const option of ['--input', '--meeting', '--question', '--full', '--keep', '--data-dir']) {
      expect(stdout).toMatch(new RegExp(`^  ${option} .*\\w`, 'mu'));
    }
  });

  const WRONG: readonly (readonly [what: string, args: readonly string[], said: RegExp])[] = [
    ['no command', [], /Usage: varve \[options\] \[command\]/],
    ['an unknown command', ['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    ['an unknown option', ['demo', '--kep'], /unknown option '--kep'\n\(Did you mean --keep\?\)/],
    ['an argument too many', ['start', 'now'], /too many arguments for 'start'/],
    ['a missing argument', ['import'], /missing required argument 'path'[^]*Usage: varve import/],
    ['a port that is a word', ['start', '--api-port', 'x'], /--api-port.*0 to 65535/],
    ['a port that is too large', ['start', '--ui-port', '65536'], /--ui-port.*0 to 65535/],
    ['a count that is a word', ['context', '--max-tokens', 'x', 'why'], /--max-tokens takes/],
    ['a worker without a server', ['worker'], /TEMPORAL_ADDRESS/],
  ];
  test.each(WRONG)('CLI-3: %s ends with status 2 and says what is right', async (_, args, said) => {
    const { status, stdout, stderr } = await runVarve(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/^\s+at /mu);
  });

  test('CLI-4: a setting from the environment is named as the variable that it is', async () => {
    const env = { VARVE_LOG_LEVEL: 'loud', VARVE_UI_PORT: '-1' };
    const { status, stderr } = await runVarve(['doctor'], { env });
    expect(status).toBe(2);
    expect(stderr).toMatch(/VARVE_LOG_LEVEL.*debug.*info.*warn.*error/u);
    expect(stderr).toMatch(/VARVE_UI_PORT.*0 to 65535/u);
  });
});
