import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { loggedReason } from '#langgraph/code-of-failure.ts';

const SAID = 'Ann is allergic to peanuts';

test.each<[expected: string, what: string, error: unknown]>([
  ['BUDGET_EXHAUSTED', 'an error of Varve', new VarveError('BUDGET_EXHAUSTED', SAID)],
  [
    'MODEL_AUTHENTICATION (status 401)',
    'an error of LangChain that a model answered',
    Object.assign(new Error(SAID), { lc_error_code: 'MODEL_AUTHENTICATION', status: 401 }),
  ],
  ['Error (status 503)', 'an answer of a model', Object.assign(new Error(SAID), { status: 503 })],
  ['TypeError', 'any other error', new TypeError(SAID)],
  ['string', 'a text that was thrown', SAID],
])('a log says %s of %s, and nothing that was said', (expected, _, error) => {
  expect(loggedReason(error)).toBe(expected);
});
