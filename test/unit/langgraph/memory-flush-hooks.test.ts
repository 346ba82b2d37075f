import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { MemoryFlushes, type MemoryFlushEvent } from '#langgraph/memory-flush-hooks.ts';
import { SummarizationNode } from '#langgraph/summarization-node.ts';
import { SIX, idsOf, nineMessages, scriptedModel } from './scripted-model.ts';

const THREAD = { configurable: { thread_id: 't', user: 'ann' } };

function recordingLog(): { log: Log; errors: Readonly<Record<string, unknown>>[] } {
  const errors: Readonly<Record<string, unknown>>[] = [];
  return { errors, log: { ...SILENT_LOG, error: (fields) => void errors.push(fields) } };
}

function event(id: string): Omit<MemoryFlushEvent, 'signal'> {
  const runningSummary = {
    summary: 'A summary.',
    summarized_message_ids: [],
    last_summarized_message_id: null,
  };
  return {
    id,
    threadId: null,
    messages: [],
    preservedMessages: [],
    runningSummary,
    configurable: {},
  };
}

describe('the memory flush hook', () => {
  test('TOK-05: gets the leaving messages after the summary and before the node answers', async () => {
    const order: string[] = [];
    const events: MemoryFlushEvent[] = [];
    const model = scriptedModel('A summary.');
    const node = new SummarizationNode({
      ...SIX,
      model,
      memoryFlushHook: (given) => {
        order.push(`flush after ${String(model.asked.length)} calls`);
        events.push(given);
      },
    });
    await node.invoke({ messages: nineMessages() }, THREAD);
    order.push('answered');
    expect(order).toEqual(['flush after 1 calls', 'answered']);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      threadId: 't',
      configurable: { user: 'ann' },
      runningSummary: { summary: 'A summary.' },
    });
    expect(idsOf(events[0]?.messages ?? [])).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(idsOf(events[0]?.preservedMessages ?? [])).toEqual(['7', '8', '9']);
  });

  test('TOK-05: runs in the background, and settled() waits for it', async () => {
    let ended = false;
    const node = new SummarizationNode({
      ...SIX,
      model: scriptedModel('A summary.'),
      memoryFlushHook: async () => {
        await pause(50);
        ended = true;
      },
    });
    await node.invoke({ messages: nineMessages() });
    expect(ended).toBe(false);
    await node.settled();
    expect(ended).toBe(true);
    await node.settled();
  });

  test('runs once more for a thread only when its last flush has ended', async () => {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const flushes = new MemoryFlushes(
      ({ id }) => {
        begun.push(id);
        return new Promise<void>((resolve) => ends.set(id, resolve));
      },
      { log: SILENT_LOG },
    );
    for (const id of ['a-1', 'a-2', 'b-1', 'none-1', 'none-2']) {
      const thread = id.slice(0, id.indexOf('-'));
      flushes.begin({ ...event(id), threadId: thread === 'none' ? null : thread });
    }
    await pause(5);
    expect(begun).toEqual(['a-1', 'b-1', 'none-1', 'none-2']);
    ends.get('a-1')?.();
    await pause(5);
    expect(begun.at(-1)).toBe('a-2');
    for (const end of ends.values()) end();
    await flushes.settled();
  });

  test('is not called below the threshold', async () => {
    let called = 0;
    const memoryFlushHook = (): number => (called += 1);
    const node = new SummarizationNode({
      ...SIX,
      model: scriptedModel('A summary.'),
      memoryFlushHook,
    });
    await node.invoke({ messages: nineMessages().slice(0, 5) });
    await node.settled();
    expect(called).toBe(0);
  });

  test.each([
    [
      'throws',
      () => {
        throw new TypeError('secret words');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('secret words'))],
  ])('does not change the answer if it %s, and the log omits its message', async (_, hook) => {
    const { log, errors } = recordingLog();
    const node = new SummarizationNode({
      ...SIX,
      log,
      model: scriptedModel('A summary.'),
      memoryFlushHook: hook,
    });
    const state = await node.invoke({ messages: nineMessages() });
    expect(state['summarized_messages']).toHaveLength(4);
    await node.settled();
    expect(errors).toMatchObject([{ messages: 6, reason: 'TypeError', failures: 1 }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });

  test('tells the application of its failure with the messages, and settled() waits', async () => {
    const { log, errors } = recordingLog();
    const failure = new VarveError('FORBIDDEN', 'secret words');
    const queued: unknown[] = [];
    const node = new SummarizationNode({
      ...SIX,
      log,
      model: scriptedModel('A summary.'),
      memoryFlushHook: () => Promise.reject(failure),
      onHookError: async (error, { messages, threadId }) => {
        await pause(20);
        queued.push([error, idsOf(messages), threadId]);
      },
    });
    await node.invoke({ messages: nineMessages() }, THREAD);
    await node.settled();
    expect(queued).toEqual([[failure, ['1', '2', '3', '4', '5', '6'], 't']]);
    expect(errors).toMatchObject([{ reason: 'FORBIDDEN' }]);
  });

  test('whose failure the application cannot handle either is logged twice, and settles', async () => {
    const { log, errors } = recordingLog();
    const onError = () => Promise.reject(new RangeError('secret words'));
    const flushes = new MemoryFlushes(() => Promise.reject(new TypeError('x')), { log, onError });
    flushes.begin(event('one'));
    await flushes.settled();
    expect(errors.map(({ reason }) => reason)).toEqual(['TypeError', 'RangeError']);
  });

  test('gets the same flush id for the same messages of a thread, and another id otherwise', async () => {
    const ids: string[] = [];
    const node = new SummarizationNode({
      ...SIX,
      model: scriptedModel('A summary.'),
      memoryFlushHook: ({ id }) => ids.push(id),
    });
    await node.invoke({ messages: nineMessages() }, THREAD);
    await node.invoke({ messages: nineMessages() }, THREAD);
    await node.invoke({ messages: nineMessages() }, { configurable: { thread_id: 'u' } });
    await node.settled();
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('names a thread whose id is a number', async () => {
    const threads: (string | null)[] = [];
    const node = new SummarizationNode({
      ...SIX,
      model: scriptedModel('A summary.'),
      memoryFlushHook: ({ threadId }) => threads.push(threadId),
    });
    await node.invoke({ messages: nineMessages() }, { configurable: { thread_id: 42 } });
    await node.settled();
    expect(threads).toEqual(['42']);
  });

  test('is abandoned after its time limit, and its signal is aborted', async () => {
    const { log, errors } = recordingLog();
    let signal: AbortSignal | undefined;
    const hook = (given: MemoryFlushEvent): Promise<never> => {
      ({ signal } = given);
      return new Promise<never>(() => undefined);
    };
    const told: unknown[] = [];
    const onError = (error: unknown) => told.push(error);
    const flushes = new MemoryFlushes(hook, { log, timeoutMs: 20, onError });
    flushes.begin(event('one'));
    await flushes.settled();
    expect(signal?.aborted).toBe(true);
    expect(errors).toMatchObject([{ reason: 'TIMEOUT' }]);
    expect(told).toMatchObject([{ code: 'TIMEOUT' }]);
  });

  test('is awaited by settled() if it is told of a flush that is refused', async () => {
    const { log } = recordingLog();
    const told: unknown[] = [];
    const hook = () => pause(1);
    const onError = async (error: unknown) => {
      await pause(20);
      told.push(error);
    };
    const flushes = new MemoryFlushes(hook, { log, onError });
    for (let at = 0; at <= 1_000; at += 1) flushes.begin(event(String(at)));
    await flushes.settled();
    expect(told).toMatchObject([{ code: 'RATE_LIMITED' }]);
  });

  test('is abandoned if the application does not end its handling of a failure', async () => {
    const { log, errors } = recordingLog();
    const hook = () => Promise.reject(new TypeError('x'));
    const onError = () => new Promise<never>(() => undefined);
    const flushes = new MemoryFlushes(hook, { log, timeoutMs: 20, onError });
    flushes.begin(event('one'));
    await flushes.settled();
    expect(errors.map(({ reason }) => reason)).toEqual(['TypeError', 'TIMEOUT']);
  });

  test('has a limit of concurrent calls, and the log shows only some of many failures', async () => {
    const { log, errors } = recordingLog();
    let called = 0;
    const hook = (): never => {
      called += 1;
      throw new Error('down');
    };
    const told: unknown[] = [];
    const onError = (error: unknown) => told.push(error);
    const flushes = new MemoryFlushes(hook, { log, onError });
    for (let at = 0; at < 1_500; at += 1) flushes.begin(event(String(at)));
    await flushes.settled();
    expect(called).toBe(1_000);
    expect(errors.length).toBeLessThan(40);
    expect(errors.at(-1)).toMatchObject({ failures: 1_500 });
    expect(told).toHaveLength(1_500);
    expect(told[0]).toMatchObject({ code: 'RATE_LIMITED' });
  });
});
