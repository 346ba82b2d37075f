/** Retention on the command line. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { runVarve } from './varve-process.ts';

const MONTH_MS = 31 * 86_400_000;
const SAID = ['Well, hello there.', 'We decided that the travel budget is 300 euros.'];
const TURNS = SAID.map((content) => ({ role: 'user' as const, content }));

/** Does it at a time whose turns are just old by now. */
async function aMonthAgo(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - MONTH_MS });
  onTestFinished(() => void vi.useRealTimers());
  await run();
  vi.useRealTimers();
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-compact-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('varve compact', () => {
  test('previews what it would compact, compacts it, and then has nothing to do', async () => {
    const folder = await newFolder();
    const varve = (...args: string[]) => runVarve(['compact', ...args, '--data-dir', folder]);
    {
      await using library = await openVarve({ dataDir: folder });
      const tenant = 'default';
      await aMonthAgo(async () => {
        await library.conversation.append({ tenant, sessionId: 'call', turns: TURNS });
        await library.refresh({ tenant, kind: 'Stale' });
        await library.conversation.append({ tenant, sessionId: 'late', turns: TURNS.slice(1) });
      });
    }
    const dry = await varve('--dry-run');
    expect(dry.status).toBe(0);
    expect(dry.stdout).toMatch(/^2 turns of 1 session would lose their text: \d+ bytes in all\./u);
    expect(dry.stdout).toMatch(
      /1 session with old turns that stay for now: no summary covers them or no flush/u,
    );
    const done = await varve();
    expect(done.stdout).toBe(dry.stdout.replace('would lose', 'lost').replace('would no', 'no'));
    const json = await varve('--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'Done', counts: { turns: 0 } });
    expect((await varve('--dry-run', '--tenant', 'other')).stdout).toBe(
      'No turn would lose its text.\n',
    );
  });

  test('CLI-3: an invalid tenant name ends with status 2 and an error that names the option', async () => {
    const place = ['--data-dir', await newFolder()];
    await runVarve(['budget', 'grant', '--tokens', '1', '--reason', 'a store', ...place]);
    const { status, stdout, stderr } = await runVarve(['compact', '--tenant', 'Not one', ...place]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/tenant/u);
  });
});
