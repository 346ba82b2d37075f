/** How many of the oldest messages a summary replaces. */
import { expect, test } from 'vitest';
import { planSummary } from '#core/running-summary/messages-to-summarize.ts';
import { messageOf } from './messages.ts';

const EACH = 10;

interface Limits {
  readonly max: number;
  readonly before?: number;
  readonly call?: number;
}

// Messages of ten tokens each; the summary so far has five, and ten are kept free for the next.
test.each<[string, roles: string, limits: Limits, kept: readonly number[] | null]>([
  ['nothing within both limits', 'uauauau', { max: 75, before: 70 }, null],
  ['enough to leave half, over the limit', 'uauauau', { max: 60, before: 70 }, [5, 6]],
  ['only what triggered it', 'uauauau', { max: 60, before: 20 }, [2, 3, 4, 5, 6]],
  ['what one call takes, if the rest fits', 'uauauau', { max: 60, call: 40 }, [4, 5, 6]],
  ['more than one call takes if less does not fit', 'uauauau', { max: 40, call: 30 }, [6]],
  ['the recent work of the assistant, down to half', 'uaaaaaa', { max: 70 }, [0, 5, 6]],
  ['all but the last message, if half is out of reach', 'uaaaaaa', { max: 40 }, [0, 6]],
])('a summary replaces %s', (_, roles, { max, before = 1_000, call = 1_000 }, kept) => {
  const messages = Array.from(roles, (role) =>
    messageOf({ role: role === 'u' ? 'user' : 'assistant' }),
  );
  const plan = planSummary({
    messages,
    tokens: messages.map(() => EACH),
    systemTokens: 0,
    summaryTokens: 5,
    callTokens: call,
    limits: { maxTokens: max, maxTokensBeforeSummary: before, maxSummaryTokens: 10 },
  });
  expect(plan?.kept ?? null).toEqual(kept);
});
