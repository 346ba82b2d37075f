/** Of the failures of many scopes, the one that is named. */
import { expect, test } from 'vitest';
import { failureFold } from '#core/refresh/commonest-failure.ts';

type Failure = [code: string, since: number, at?: number];
const CODES = Array.from({ length: 65 }, (_, n): Failure => [`CODE_${String(n + 10)}`, 1]);

test.each<[string, Failure[], named: object | null]>([
  ['none of none', [], null],
  [
    'that of most scopes',
    [
      ['B', 5],
      ['A', 5],
      ['B', 6],
    ],
    { code: 'B', scopes: 2, since: 5 },
  ],
  [
    'of as many the first by name',
    [
      ['B', 5],
      ['A', 6],
    ],
    { code: 'A', scopes: 1, since: 6 },
  ],
  [
    'since its first scope',
    [
      ['A', 5],
      ['A', 3],
      ['A', 4],
    ],
    { scopes: 3, since: 3 },
  ],
  [
    'with the reason of the latest letter',
    [
      ['A', 1, 7],
      ['A', 1, 9],
      ['A', 1, 8],
    ],
    { reason: 'at 9' },
  ],
  [
    'with that of the first of two at once',
    [
      ['A', 1, 0],
      ['A', 1, 0],
    ],
    { reason: 'at 0' },
  ],
  [
    'with the reason of its own letters',
    [
      ['A', 1],
      ['A', 1],
      ['B', 1, 9],
    ],
    { reason: null },
  ],
  ['with what comes later of a known code', [...CODES, ['CODE_10', 0]], { scopes: 2, since: 0 }],
  ['none of more codes than are told apart', [...CODES, ['CODE_74', 1]], { code: 'CODE_10' }],
])('%s is named', (_, failures, named) => {
  const fold = failureFold();
  for (const [code, since, at] of failures) {
    const letter = at === undefined ? null : { code, reason: `at ${String(at)}`, at };
    fold.add(code, since, letter);
  }
  if (named === null) expect(fold.most()).toBeNull();
  else expect(fold.most()).toMatchObject(named);
});
