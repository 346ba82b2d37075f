/** What a search learns when it stops waiting for its vector. */
import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import { createQueryWaits } from '#memory/wait-for-query-vector.ts';
import { failureOf } from '#test/unit/library/open-library.ts';
import { seenEmbedder } from './provider-fixture.ts';

type Waited = Parameters<typeof createQueryWaits>[0];
type Lifetime = Parameters<typeof createQueryWaits>[1];

const NEVER = new Promise<never>(() => undefined);
const CALL = { purpose: 'query', signal: new AbortController().signal } as const;

/** Asks once more after the pause that a refusal asks for, as calls are retried; here it lasts. */
async function lateOf(outcomes: readonly ('Answer' | VarveError)[], passedMs = 0) {
  let now = 1_000;
  const asked = Promise.withResolvers<void>();
  const platform = { clock: () => now } as Waited['platform'];
  const timers = { wait: () => asked.promise } as unknown as Waited['timers'];
  const lifetime = { runBeside: () => undefined } as unknown as Lifetime;
  const embedder: Embedder = seenEmbedder('one', { searchWaitMs: 1_000 });
  const waits = createQueryWaits({ timers, platform }, lifetime);
  const left = [...outcomes];
  const embed: Embedder['embed'] = (texts, call) => {
    const next = left.shift();
    return next instanceof VarveError ? Promise.reject(next) : embedder.embed(texts, call);
  };
  const waiting = waits.within({ ...embedder, embed }, async (watched) => {
    for (const _ of outcomes) await watched.embed(['Oslo'], CALL).catch(() => undefined);
    now += passedMs;
    asked.resolve();
    return NEVER;
  });
  return failureOf(waiting);
}

const limited = (details: object) =>
  new VarveError('RATE_LIMITED', 'Too many calls.', { details: { ...details } });

test.each([
  ['the embedder did not answer', [], 0, { code: 'TIMEOUT' }],
  [
    'the embedder refuses for 5 s and 2 s have passed',
    [limited({ retryAfterMs: 5_000 })],
    2_000,
    { code: 'RATE_LIMITED', details: { retryAfterMs: 3_000 } },
  ],
  ['the embedder refuses without a time', [limited({})], 0, { code: 'RATE_LIMITED', details: {} }],
  [
    'the pause of the embedder is over',
    [limited({ retryAfterMs: 5_000 })],
    5_000,
    { code: 'TIMEOUT' },
  ],
  ['the embedder answered since', [limited({}), 'Answer' as const], 0, { code: 'TIMEOUT' }],
])(
  'the wait for a query vector ends with the right error if %s',
  async (_, outcomes, passedMs, expected) => {
    expect(await lateOf(outcomes, passedMs)).toMatchObject(expected);
  },
);
