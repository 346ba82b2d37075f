/** The faults that the fuzz proof would find, so that finding none means something. */
import { expect, test } from 'vitest';
import { findingsOf } from '#test/fault-injection/fuzz/judge.ts';
import { TEXT_MARK } from '#test/fault-injection/fuzz/inputs.ts';
import { BOB_CANARY, OTHER_CANARY } from '#test/fault-injection/fuzz/harness.ts';

const FOLDER = '/folder/of/store';
const PROBLEM = { title: 'NOT_FOUND', status: 404, code: 'NOT_FOUND', detail: 'Nothing there.' };

interface Given {
  readonly status?: number | null;
  readonly body?: unknown;
  readonly isLate?: boolean;
  readonly isWhole?: boolean;
}

function judged({ status = 404, body = PROBLEM, isLate = false, isWhole = true }: Given) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return findingsOf({
    sent: { bytes: Buffer.alloc(0), isWhole, spoiling: '', method: 'GET' },
    answer: { status, body: text, ms: 1, isLate },
    foreign: [OTHER_CANARY],
    secret: ['s3cret', FOLDER],
  });
}

test.each<[what: string, given: Given, finding: string]>([
  ['that is late', { isLate: true }, 'no answer within'],
  ['that never came', { status: null, body: '' }, 'no answer'],
  ['from a failing server', { status: 503 }, 'status 503'],
  ['with an error without a body', { body: '' }, 'an error status without an error body'],
  ['with an error in plain text', { body: 'Not Found' }, 'an error status without an error body'],
  ['with an unknown code', { body: { ...PROBLEM, code: 'OOPS' } }, 'an error without a code'],
  [
    'from tRPC without a code',
    { status: 207, body: [{ result: {} }, { error: { data: {} } }] },
    'an error without a code',
  ],
  [
    'from MCP without a code',
    { status: 200, body: { jsonrpc: '2.0', error: { code: -32_603, message: 'x' } } },
    'an error without a code',
  ],
  [
    'from a tool without a code',
    { status: 200, body: { result: { isError: true, content: [] } } },
    'an error without a code',
  ],
  [
    'with a text that was sent',
    { body: { ...PROBLEM, detail: TEXT_MARK } },
    'memory text in an error',
  ],
  ['with a stored text', { body: { ...PROBLEM, detail: BOB_CANARY } }, 'memory text in an error'],
  ['with a secret', { body: { ...PROBLEM, detail: 's3cret' } }, 'a secret or a folder'],
  ['with a folder', { body: { ...PROBLEM, detail: `${FOLDER}/a` } }, 'a secret or'],
  [
    'with a stack',
    { body: { ...PROBLEM, detail: 'at parse (file:///srv/a.js:1:2)' } },
    'the inside of the server',
  ],
  [
    'with the data of another tenant',
    { status: 200, body: { text: OTHER_CANARY } },
    "another's data",
  ],
])('the judge reports an answer %s', (_, given, finding) => {
  expect(judged(given).join('; ')).toContain(finding);
});

test.each<[what: string, given: Given]>([
  ['problem with a code', {}],
  ['error of tRPC with a code', { body: { error: { message: 'x', data: PROBLEM } } }],
  ['answer that holds what was sent', { status: 200, body: { text: TEXT_MARK } }],
  ['connection closed under a broken request', { status: null, body: '', isWhole: false }],
])('the judge does not report a %s', (_, given) => {
  expect(judged(given)).toEqual([]);
});
