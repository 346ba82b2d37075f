/** Error messages: what was expected, what was found, and what to do next. */
import { expect, test } from 'vitest';
import type { Varve } from '#cli/open-varve.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const ADD = { layer: 'user', identifiers: { userId: 'ann' }, content: 'Ann likes tea.' };
const ASK = { identifiers: { userId: 'ann' }, query: 'tea' };
const DANA = { kind: 'user', id: 'dana' };

type Call = (varve: Varve, input: never) => Promise<unknown>;
const add: Call = (varve, input) => varve.memory.add(input);
const search: Call = (varve, input) => varve.memory.search(input);

test.each<[string, Call, object, string]>([
  [
    'a number for a text',
    add,
    { ...ADD, content: 4711 },
    'content: expected a text, found a number',
  ],
  ['null for a text', add, { ...ADD, key: null }, 'key: expected a text, found null'],
  ['a list for a text', add, { ...ADD, key: [] }, 'key: expected a text, found a list'],
  ['a text for a list', add, { ...ADD, tags: 'tea' }, 'tags: expected a list, found a text'],
  ['a text for a number', search, { ...ASK, limit: '5' }, 'limit: expected a number, found a text'],
  [
    'a limit that is too high',
    search,
    { ...ASK, limit: 500 },
    'limit: expected at most 100, found 500',
  ],
  ['a key that is too long', add, { ...ADD, key: 'k'.repeat(600) }, '512 characters, found 600'],
  ['an unknown layer', add, { ...ADD, layer: 'a\u001b\n' }, 'no layer "a\\u001b\\n"; there are'],
  ['a layer without its id', add, { ...ADD, identifiers: {} }, 'userId; give it in identifiers'],
  [
    'a promise for identifiers',
    search,
    { ...ASK, identifiers: Promise.resolve({ userId: 'ann' }) },
    'identifiers: expected an object with fields, found a Promise',
  ],
  [
    'the subject of the command line',
    (varve, input) => varve.dream.run(input),
    { subject: 'user/ann' },
    'subject: expected an object, such as {"kind":"user","id":"ann"}',
  ],
  [
    'the id "undefined"',
    search,
    { ...ASK, identifiers: { userId: 'undefined' } },
    'identifiers.userId: expected an id, found undefined, null or an object',
  ],
  ['a Date', add, { ...ADD, at: new Date(0) }, 'found a Date; pass its getTime()'],
  ['a time in 2062', add, { ...ADD, at: '2062-11-01T00:00:00Z' }, 'at most two years ahead'],
  ['a time before 1970', add, { ...ADD, at: '1969-01-01T00:00:00Z' }, 'of the years 1970 to 9999'],
  [
    'a filter with NUL in its text',
    search,
    { ...ASK, filter: { field: 'a', gte: 'a\0' } },
    'filter.gte: expected whole Unicode characters without NUL',
  ],
  [
    'a malformed day',
    (varve, input) => varve.daily.get(input),
    { subject: DANA, day: 'Monday' },
    'day: expected a day as YYYY-MM-DD, such as 2026-11-21',
  ],
  [
    'an unknown memory',
    (varve, input) => varve.memory.update(input),
    { id: 'no-such', content: 'x' },
    'There is no memory "no-such" here; memory.list shows',
  ],
  [
    'an unknown dream',
    (varve, input) => varve.dream.approve(input),
    { id: 'no-such' },
    'There is no dream "no-such" with a proposal; see dream.list',
  ],
  [
    'an unknown key',
    (varve, input) => varve.key.revoke(input),
    { id: 'a\nb' },
    'has no key "a\\nb"; varve keys list',
  ],
  [
    'content that is too long',
    add,
    { ...ADD, content: 'x'.repeat(MEMORY_LENGTH_MAX + 1) },
    `has ${String(MEMORY_LENGTH_MAX + 1)} characters, and a memory at most`,
  ],
])('the error about %s names it and says what to do', async (_name, call, input, told) => {
  const failure = await failureOf(
    call(library().varve, { tenant: newTenant(), ...input } as never),
  );
  expect(failure.message).toContain(told);
});

test('a wrong type is reported once', async () => {
  const tags = 'x'.repeat(500);
  const input = { tenant: newTenant(), ...ADD, tags };
  const failure = await failureOf(add(library().varve, input as never));
  expect(failure.message).toBe('tags: expected a list, found a text');
});
