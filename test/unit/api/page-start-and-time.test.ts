/** Which forms of a time and of the beginning of a page the operations take. */
import { expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { parseInput } from '#api/parse-input.ts';
import { thrownBy } from '#test/unit/failures.ts';

const ADD = { tenant: 'acme', layer: 'user', content: 'x' };

test.each<[at: string | number, read: object]>([
  ['2027-02-01', { at: Date.UTC(2027, 1, 1) }],
  ['2027-02-01T08:00:00+01:00', { at: Date.UTC(2027, 1, 1, 7), utcOffset: 60 }],
  [Date.UTC(2027, 1, 1), { at: Date.UTC(2027, 1, 1) }],
])('memory.add reads the time %j', (at, read) => {
  expect(parseInput(OPERATIONS.memory.add.input, { ...ADD, at }).at).toEqual(read);
});

test('memory.add reads a date as the end of a memory', () => {
  const { expiresAt } = parseInput(OPERATIONS.memory.add.input, {
    ...ADD,
    expiresAt: '2027-02-01',
  });
  expect(expiresAt).toBe(Date.UTC(2027, 1, 1));
});

const { audit, conversation, daily, document, memory, review } = OPERATIONS;
const OF = { tenant: 'acme' };
const SUBJECT = { ...OF, subject: { kind: 'user', id: 'ann' } };

test.each([
  ['memory.list', memory.list, OF, 'cursor'],
  ['conversation.list', conversation.list, OF, 'cursor'],
  ['conversation.messages', conversation.messages, { ...OF, sessionId: 's' }, 'after'],
  ['conversation.messages', conversation.messages, { ...OF, sessionId: 's' }, 'before'],
  ['review.list', review.list, OF, 'before'],
  ['audit.list', audit.list, OF, 'after'],
  ['daily.get', daily.get, SUBJECT, 'after'],
  ['document.get', document.get, SUBJECT, 'after'],
] as const)('%s begins anew where the page of before ended with null', (...row) => {
  const [, { input }, fields, start] = row;
  const fresh: unknown = parseInput(input, fields);
  expect(parseInput(input, { ...fields, [start]: null })).toEqual(fresh);
});

test.each<[what: string, input: unknown, path: string]>([
  ['a misspelled field', { ...ADD, contnet: 'x' }, 'contnet'],
  ['a misspelled identifier', { ...ADD, identifiers: { userID: 'ann' } }, 'identifiers.userID'],
  ['an identifier outside of identifiers', { ...ADD, userId: 'ann' }, 'userId'],
  ['a field of another operation', { ...ADD, messages: [] }, 'messages'],
  ['no object at all', 'ann', 'input'],
])('the issue about %s has the path of the field', (_, input, path) => {
  const { details } = thrownBy(() => parseInput(memory.add.input, input));
  expect(details).toMatchObject({ issues: [{ path }] });
});
