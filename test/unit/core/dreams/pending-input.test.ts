/** When Varve knows that a subject has nothing new. */
import { expect, test } from 'vitest';
import { hasNewAfter } from '#core/dreams/pending-input.ts';

const SEEN = { hasNew: true, version: 3 };
const LOOKED_AT = { subjectVersion: 3, hasLeft: false };

test.each<[string, Partial<typeof SEEN>, Partial<typeof LOOKED_AT>, boolean]>([
  ['nothing was announced since', {}, {}, false],
  ['something was announced since', { version: 4 }, {}, true],
  ['the dream left some unread', { hasNew: false }, { hasLeft: true }, true],
  ['it had nothing before', { hasNew: false, version: 4 }, {}, false],
])('a subject has something new after a dream: %s', (_, record, lookedAt, expected) => {
  expect(hasNewAfter({ ...SEEN, ...record }, { ...LOOKED_AT, ...lookedAt })).toBe(expected);
});
