/** Flushes of sessions as durable runs, and what remains of them after crashes. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startWorkerChild } from '#cli/stack/worker-child.ts';
import { flushWorkflowId } from '#core/flush/flush-contract.ts';
import { SESSION_SILENCE_MS } from '#core/policy/policy-defaults.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { KILLED_FILE, type WorkerUnderKill } from '../fault-injection/worker-under-kill.ts';
import { LASTING, openFlushes, PASSING, PERSON, SESSION } from './flush-fixture.ts';
import { answering } from './model-stub.ts';
import { historiesOfWorkflow, readHistory } from './history-text.ts';

const WORKER = fileURLToPath(new URL('../fault-injection/worker-under-kill.ts', import.meta.url));
const TOLD = 'Zaphod grew up in Lyon, by the way, before his parents left.';
const DONE = { memories: [LASTING], lines: [LASTING, PASSING] };
const TOTALS = { turns: 2, lines: 2, added: 1, superseded: 0, known: 0 };

describe('a session that ends', () => {
  it('TMP-01: is flushed once by a run whose history has none of its text', async () => {
    await using stack = await openFlushes();
    await using _worker = await stack.startWorker();
    const { tenant } = stack;
    const flushId = await stack.talk();
    await stack.library.conversation.end({ tenant, sessionId: SESSION });
    expect(await stack.settled(flushId)).toEqual(TOTALS);
    expect(await stack.kept()).toEqual(DONE);
    // The same turns again reopen nothing.
    await expect(stack.talk()).rejects.toThrow('Nothing waits in the session.');
    await stack.library.conversation.end({ tenant, sessionId: SESSION });
    expect(await stack.temporal.flushes.start({ tenant, flushId })).toBe('Started');
    expect(await stack.settled(flushId)).toMatchObject({ turns: 0 });
    expect(await stack.kept()).toEqual(DONE);
    const [run] = await historiesOfWorkflow(stack, flushWorkflowId({ flushId }));
    const text = readHistory(run?.history).texts.join('\n');
    expect(text).toContain('superseded');
    for (const secret of [PERSON, SESSION, 'Lyon', 'Postgres']) expect(text).not.toContain(secret);
  });

  it('by silence is found by the tick, and not before', async () => {
    await using stack = await openFlushes();
    await using _worker = await stack.startWorker();
    const flushId = await stack.talk();
    await stack.tick();
    expect(await stack.kept()).toEqual({ memories: [], lines: [] });
    stack.advance(SESSION_SILENCE_MS);
    await stack.tick();
    expect(await stack.settled(flushId)).toEqual(TOTALS);
    expect(await stack.kept()).toEqual(DONE);
  });
});

describe('a flush with a failing worker', () => {
  it.each(['gatherFlush', 'keepFlush', 'writeFlush', 'endFlush'] as const)(
    'has its effect once if the answer of %s is lost',
    async (name) => {
      await using stack = await openFlushes();
      let calls = 0;
      await using _worker = await stack.startWorker((activities) => ({
        ...activities,
        [name]: async (input: never) => {
          const answer: unknown = await activities[name](input);
          calls += 1;
          if (calls === 1) throw new Error('the answer was lost');
          return answer;
        },
      }));
      const flushId = await stack.talk();
      await stack.temporal.flushes.start({ tenant: stack.tenant, flushId });
      expect(await stack.settled(flushId)).toMatchObject({ turns: 2 });
      expect(calls).toBe(2);
      expect(await stack.kept()).toEqual(DONE);
      const session = await stack.parts.store.sessions.get(stack.tenant, SESSION);
      expect(session).toMatchObject({ flushedTo: 2, flush: null });
    },
  );

  it('is finished by the next worker if its worker is killed', async () => {
    await using stack = await openFlushes();
    const { dataDir, address, namespace, tenant } = stack;
    const flushId = await stack.talk();
    await stack.temporal.flushes.start({ tenant, flushId });
    const markDir = path.join(dataDir, 'marks');
    await mkdir(markDir);
    const given: WorkerUnderKill = {
      dataDir,
      markDir,
      address,
      namespace,
      kill: { activity: 'writeFlush', at: 'After', call: 1 },
      atOnce: 8,
      refusals: 0,
      answerMs: 0,
    };
    await using _child = await startWorkerChild({
      module: WORKER,
      args: [JSON.stringify(given)],
      env: process.env,
      log: SILENT_LOG,
    });
    expect(await stack.settled(flushId)).toEqual(TOTALS);
    expect(existsSync(path.join(markDir, KILLED_FILE))).toBe(true);
    expect(await stack.kept()).toEqual(DONE);
  });
});

describe('a session read by a model', () => {
  const fact = { text: 'Zaphod grew up in Lyon.', sources: ['t3'], quote: TOLD, kind: 'Self' };

  it('costs one paid call even if its answer is lost, and keeps only grounded facts', async () => {
    const unsaid = { text: 'Zaphod is a vegetarian.', sources: ['t9'], quote: '', kind: 'Self' };
    const { model, calls } = answering([fact, unsaid]);
    await using stack = await openFlushes({ model });
    const { tenant } = stack;
    let asked = 0;
    await using _worker = await stack.startWorker((activities) => ({
      ...activities,
      askFlush: async (input) => {
        const report = await activities.askFlush(input);
        asked += 1;
        if (asked === 1) throw new Error('the answer was lost');
        return report;
      },
    }));
    const flushId = await stack.talk([{ id: 't3', role: 'user', content: TOLD }]);
    const session = { tenant, sessionId: SESSION };
    expect(await stack.library.conversation.flush(session)).toMatchObject({ state: 'Started' });
    expect(await stack.settled(flushId)).toMatchObject({ turns: 3, added: 1 });
    expect([asked, calls.length]).toEqual([2, 1]);
    expect(await stack.kept()).toEqual({ memories: [fact.text], lines: [fact.text] });
    const paid = await stack.parts.store.accounts.entries(tenant, { batchId: flushId, limit: 9 });
    expect(paid).toMatchObject([{ purpose: 'extraction', state: 'Settled', outcome: 'Usage' }]);
    const answers = await stack.parts.store.answers.ofBatch(tenant, flushId);
    expect(answers.map(({ text }) => text)).toEqual([null]);
  });

  it('is read by rules if the model refuses', async () => {
    const { model } = answering([], () => {
      throw new VarveError('PROVIDER_REJECTED', 'Refused.');
    });
    await using stack = await openFlushes({ model });
    await using _worker = await stack.startWorker();
    const flushId = await stack.talk();
    await stack.temporal.flushes.start({ tenant: stack.tenant, flushId });
    expect(await stack.settled(flushId)).toEqual(TOTALS);
    expect(await stack.kept()).toEqual(DONE);
  });
});
