/** Errors about inputs name what was expected or the similar name, and never a value. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '#api/operations/table.ts';
import { parseInput } from '#api/parse-input.ts';
import { thrownBy } from '#test/unit/failures.ts';

const ASKED = { tenant: 'acme', query: 'x' };
const Small = z.strictObject({ depth: z.string().optional(), limit: z.int().optional() });

test.each<[schema: z.ZodType, input: unknown, said: string]>([
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, identifiers: { user: 'secret' } },
    'identifiers.user is not known; did you mean userId?',
  ],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, identifiers: { userid: 'secret' } },
    'identifiers.userid is not known; did you mean userId?',
  ],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, treshold: 0.5 },
    'treshold is not known; did you mean threshold?',
  ],
  [
    OPERATIONS.memory.add.input,
    { tenant: 'acme', messages: [{ role: 'user', content: 'secret' }] },
    'messages is not known here; memory.addMessages takes it',
  ],
  [
    OPERATIONS.memory.add.input,
    { tenant: 'acme', memories: [] },
    'memories is not known here; memory.bulkAdd takes it',
  ],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, userId: 'secret' },
    'userId is not known here; it belongs in identifiers',
  ],
  ...[
    OPERATIONS.conversation.end,
    OPERATIONS.conversation.flush,
    OPERATIONS.conversation.messages,
    OPERATIONS.conversation.delete,
  ].map(({ input }): [z.ZodType, object, string] => [
    input,
    { tenant: 'acme', identifiers: { userId: 'dana' }, sessionId: 's' },
    'identifiers is not known here; leave it out: the sessionId is enough',
  ]),
  [OPERATIONS.memory.search.input, { tenant: 'acme' }, 'query: required, a text'],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, limit: 1.5 },
    'limit: expected a whole number, found a fraction',
  ],
  [OPERATIONS.memory.search.input, { ...ASKED, limit: 0 }, 'limit: expected at least 1, found 0'],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, mode: 'secret' },
    'mode: expected one of hybrid, semantic, keyword',
  ],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, mode: 'Keywords' },
    'mode: expected one of hybrid, semantic, keyword; did you mean keyword?',
  ],
  [OPERATIONS.memory.search.input, { ...ASKED, query: ' \n' }, 'query: expected some text'],
  [
    OPERATIONS.conversation.append.input,
    { tenant: 'acme', sessionId: 's', turns: [] },
    'turns: expected at least 1 item, found 0',
  ],
  [
    OPERATIONS.memory.add.input,
    { tenant: 'acme', content: 'x' },
    'layer: expected a layer: agent, user, session, project, team, org, company',
  ],
  [
    OPERATIONS.memory.search.input,
    { ...ASKED, tenant: 'A b' },
    'tenant: expected 1 to 63 characters of a-z, 0-9 and -, such as acme-1',
  ],
  [Small, { zzz: 'secret' }, 'zzz is not known; known are depth, limit'],
  [Small, { zzz: 1, yyy: 2 }, 'zzz is not known (and 1 more); known are depth, limit'],
  [
    OPERATIONS.memory.bulkAdd.input,
    { tenant: 'acme', memories: [{ layer: 'user', content: 'x', tag: 'secret' }] },
    'memories.0.tag is not known; did you mean tags?',
  ],
  [
    OPERATIONS.daily.append.input,
    { tenant: 'acme', subject: { kind: 'user', id: 'ann' }, text: 'x', headings: 'secret' },
    'headings is not known; did you mean heading?',
  ],
])('an input error names what was expected or the near miss (%#)', (schema, input, said) => {
  const { code, message } = thrownBy(() => parseInput(schema, input));
  expect({ code, message }).toEqual({ code: 'INVALID_INPUT', message: said });
});

const AT = { tenant: 'acme', layer: 'user', content: 'x' };
const TIME =
  'at: expected a time with its offset, such as 2026-11-21T14:30:00+01:00, a date, such as ' +
  '2026-11-21, or milliseconds since the epoch';
const TARGET = 'expected an object with kind, which is Memory, Session, User or Turn, and id';

test.each<[schema: z.ZodType, input: unknown, said: string]>([
  [OPERATIONS.memory.add.input, { ...AT, at: 'yesterday' }, TIME],
  [
    OPERATIONS.memory.add.input,
    { ...AT, at: '2026-11-21T14:30:00' },
    `${TIME}; this time has no offset, such as Z`,
  ],
  [OPERATIONS.memory.add.input, { ...AT, at: '2026-02-30' }, TIME],
  [OPERATIONS.memory.add.input, { ...AT, at: {} }, TIME],
  [OPERATIONS.memory.erase.input, { tenant: 'acme', target: 'ann' }, `target: ${TARGET}`],
  [
    OPERATIONS.memory.erase.input,
    { tenant: 'acme', target: { kind: 'Person', id: 'ann' } },
    `target.kind: ${TARGET}`,
  ],
])(
  'a value that may have several forms is refused with all of them (%#)',
  (schema, input, said) => {
    const { code, message } = thrownBy(() => parseInput(schema, input));
    expect({ code, message }).toEqual({ code: 'INVALID_INPUT', message: said });
  },
);
