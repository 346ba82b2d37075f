/** Which of the failures of many scopes is reported. */
import { expect, test } from 'vitest';
import { createFailureCounts } from '#core/refresh/tenant-status.ts';

type Failure = [code: string, since: number, at?: number];
const CODES = Array.from({ length: 65 }, (_, n): Failure => [`CODE_${String(n + 10)}`, 1]);

test.each<[string, Failure[], named: object | null]>([
  ['nothing without failures', [], null],
  [
    'the failure of most scopes',
    [
      ['B', 5],
      ['A', 5],
      ['B', 6],
    ],
    { code: 'B', scopes: 2, since: 5 },
  ],
  [
    'the first by name of equally common failures',
    [
      ['B', 5],
      ['A', 6],
    ],
    { code: 'A', scopes: 1, since: 6 },
  ],
  [
    'the time of its first scope',
    [
      ['A', 5],
      ['A', 3],
      ['A', 4],
    ],
    { scopes: 3, since: 3 },
  ],
  [
    'the reason of the latest dead letter',
    [
      ['A', 1, 7],
      ['A', 1, 9],
      ['A', 1, 8],
    ],
    { reason: 'at 9' },
  ],
  [
    'the reason of the first of two simultaneous dead letters',
    [
      ['A', 1, 0],
      ['A', 1, 0],
    ],
    { reason: 'at 0' },
  ],
  [
    'only a reason of its own dead letters',
    [
      ['A', 1],
      ['A', 1],
      ['B', 1, 9],
    ],
    { reason: null },
  ],
  ['a known code with its later scopes', [...CODES, ['CODE_10', 0]], { scopes: 2, since: 0 }],
  ['no code beyond the first 64', [...CODES, ['CODE_74', 1]], { code: 'CODE_10' }],
])('%s is named', (_, failures, named) => {
  const counts = createFailureCounts();
  for (const [code, since, at] of failures) {
    const letter = at === undefined ? null : { code, reason: `at ${String(at)}`, at };
    counts.add(code, since, letter);
  }
  if (named === null) expect(counts.mostCommon()).toBeNull();
  else expect(counts.mostCommon()).toMatchObject(named);
});
