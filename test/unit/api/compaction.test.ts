/** memory.compact over HTTP and in the library, in a process without workflows. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectApi } from '#cli/api-client.ts';
import { refreshInProcess } from '#cli/in-process-work.ts';
import { openVarve } from '#cli/open-varve.ts';
import { NO_COMPACTION } from '#core/retention/retention-contract.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { serveApi, TOKEN } from './served-api.ts';

const TENANT = 'acme';
const SAID = ['Well, hello there.', 'We decided that the travel budget is 300 euros.'];
const LONG_AGO = Date.UTC(2020, 0, 1);
const TURNS = SAID.map((content) => ({ role: 'user' as const, content }));

/** Does it at a time whose turns are old by now. */
async function longAgo(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: LONG_AGO });
  onTestFinished(() => void vi.useRealTimers());
  await run();
  vi.useRealTimers();
}

async function serve() {
  const served = await serveApi();
  return { ...served, api: connectApi({ url: served.url, token: TOKEN }) };
}

describe('memory.compact', () => {
  test('previews the counts and then compacts exactly those', async () => {
    await using served = await serve();
    const { api, parts } = served;
    await longAgo(async () => {
      await api.conversation.append({ tenant: TENANT, sessionId: 'call', turns: TURNS });
      await refreshInProcess(parts, TENANT, 'Stale');
    });
    const asked = { tenant: TENANT, dryRun: true };
    const preview = await api.memory.compact(asked);
    expect(preview).toMatchObject({ state: 'Preview', counts: { turns: 2, sessions: 1 } });
    const done = await api.memory.compact({ tenant: TENANT });
    expect(done).toEqual({ state: 'Done', counts: preview.counts });
    expect(await api.memory.compact(asked)).toEqual({ state: 'Preview', counts: NO_COMPACTION });
    const turns = await parts.store.turns.latest({ tenant: TENANT, sessionId: 'call' }, 9);
    expect(turns.map(({ content }) => content)).toEqual(['', '']);
  });

  test.each([
    ['an invalid tenant name', { tenant: 'Not a tenant' }],
    ['a session, which has no run of its own', { tenant: TENANT, sessionId: 'call' }],
  ])('refuses %s', async (_, input) => {
    await using served = await serve();
    const refused = served.api.memory.compact(input);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('reports that compaction never ran if no workflows run', async () => {
    await using served = await serve();
    const { memory } = served.api;
    const never = { state: 'Never', counts: null };
    expect(await memory.compactionStatus({ tenant: TENANT })).toEqual(never);
    const refused = memory.compactionStatus({ tenant: 'Not a tenant' });
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('runs at once in the library', async () => {
    await using temporary = await temporaryFolder();
    await using varve = await openVarve({ dataDir: temporary.folder });
    await longAgo(async () => {
      await varve.conversation.append({ tenant: TENANT, sessionId: 'call', turns: TURNS });
      await varve.refresh({ tenant: TENANT, kind: 'Stale' });
    });
    const { state, counts } = await varve.memory.compact({ tenant: TENANT });
    expect({ state, turns: counts?.turns }).toEqual({ state: 'Done', turns: 2 });
    const identifiers = { sessionId: 'call' };
    const shown = await varve.summary.get({ tenant: TENANT, layer: 'session', identifiers });
    expect(JSON.stringify(shown)).toContain('travel budget');
  });
});
