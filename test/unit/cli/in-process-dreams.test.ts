/** Dreams without Temporal: one at a time, with failures in their outcome and in the log. */
import { describe, expect, test } from 'vitest';
import { openParts } from '#cli/composition-root.ts';
import { dreamsInProcess } from '#cli/in-process-work.ts';
import type { DreamInput } from '#core/dreams/dream-contract.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import {
  ANN,
  blockOf,
  lineOf,
  proposalOf,
  subjectIdOf,
} from '#test/conformance/document-samples.ts';
import { TEA } from '#test/conformance/dream-samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const TENANT = 'acme';

/** With a daily block of Ann, and a dreamer that does first what a test says. */
async function openFixture(before: () => Promise<void>, log: Log = SILENT_LOG) {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const opened = held.use(await openParts({ dataDir: folder, log }));
  const { extractiveDreamer } = opened.models;
  const dreamer: DreamModel = {
    ...extractiveDreamer,
    dream: async (question, call) => {
      await before();
      return extractiveDreamer.dream(question, call);
    },
  };
  const models = { ...opened.models, dreamerByName: () => dreamer, extractiveDreamer: dreamer };
  const parts = { ...opened, models, platform: { ...opened.platform, log } };
  const { store, platform, calendar } = parts;
  const path = dailyPath(calendar.dayOf(platform.clock(), 'UTC'));
  const block = blockOf(TENANT, 1, { path, lines: [lineOf(1, { text: TEA })] });
  await store.documents.append(block, { subjectId: subjectIdOf(1) });
  const running = held.move();
  const dreamOf = (dreamId: string): DreamInput => {
    const round = null;
    return { tenant: TENANT, subjectId: subjectIdOf(1), dreamId, round, lookbackDays: null };
  };
  const { dreams } = dreamsInProcess(parts);
  return {
    dreams,
    proposals: store.proposals,
    start: (dreamId: string) => dreams.start(dreamOf(dreamId)),
    memory: () => store.documents.latest({ tenant: TENANT, subject: ANN, path: 'MEMORY.md' }),
    last: async () => (await store.subjects.get(TENANT, ANN))?.last,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

describe('an inline dream', () => {
  test('has ended when its start is answered, and blocks another one meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await using fixture = await openFixture(() => promise);
    const first = fixture.start('dream-1');
    expect(await fixture.start('dream-2')).toBe('Running');
    resolve(undefined);
    expect(await first).toBe('Started');
    expect((await fixture.memory())?.lines.map(({ text }) => text)).toEqual([TEA]);
    expect(await fixture.last()).toMatchObject({ outcome: 'Dreamed', dreamId: 'dream-1' });
    expect(await fixture.start('dream-3')).toBe('Started');
    expect(await fixture.last()).toMatchObject({ outcome: 'NothingNew', dreamId: 'dream-3' });
  });

  test('records a failure in its outcome and the log, and may run again', async () => {
    const told: string[] = [];
    const log: Log = { ...SILENT_LOG, warn: (_, message) => void told.push(message) };
    let calls = 0;
    await using fixture = await openFixture(async () => {
      calls += 1;
      if (calls === 1) throw new Error('Ann was in the text.');
    }, log);
    expect(await fixture.start('dream-1')).toBe('Started');
    expect(await fixture.last()).toMatchObject({ outcome: 'Failed' });
    expect(told).toContain('dream failed; the next one retries');
    expect(await fixture.memory()).toBeNull();
    await fixture.start('dream-2');
    expect(await fixture.last()).toMatchObject({ outcome: 'Dreamed' });
  });

  test('applies an approved proposal first', async () => {
    await using fixture = await openFixture(() => Promise.resolve());
    const approved = proposalOf(TENANT, 1, { state: 'Approved', findings: [] });
    await fixture.proposals.put(approved);
    expect(await fixture.start('dream-1')).toBe('Started');
    expect(await fixture.proposals.get(TENANT, approved.id)).toMatchObject({ state: 'Applied' });
    const kept = approved.lines.map(({ text }) => text);
    expect((await fixture.memory())?.lines.map(({ text }) => text)).toEqual([...kept, TEA]);
  });

  test('ignores an unknown proposal', async () => {
    await using fixture = await openFixture(() => Promise.resolve());
    expect(await fixture.dreams.apply({ tenant: TENANT, proposalId: 'none' })).toBe('Started');
    expect(await fixture.memory()).toBeNull();
  });
});
