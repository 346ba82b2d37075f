/** When Varve knows that a subject has nothing new. */
import { expect, test } from 'vitest';
import { hasNewAfter } from '#core/dreams/pending-input.ts';

const SEEN = { hasNew: true, version: 3 };
const GATHERED = { subjectVersion: 3, hasLeft: false };

test.each<[string, Partial<typeof SEEN>, Partial<typeof GATHERED>, boolean]>([
  ['nothing was announced since', {}, {}, false],
  ['something was announced since', { version: 4 }, {}, true],
  ['the dream left some unread', { hasNew: false }, { hasLeft: true }, true],
  ['it had nothing before', { hasNew: false, version: 4 }, {}, false],
])('a subject has something new after a dream: %s', (_, record, gathered, expected) => {
  expect(hasNewAfter({ ...SEEN, ...record }, { ...GATHERED, ...gathered })).toBe(expected);
});
