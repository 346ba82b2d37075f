import { expect, test } from 'vitest';
import { readTraceHeader, readTraceparent, writeTraceparent } from '#core/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('a W3C traceparent is read and written back unchanged', () => {
  for (const flags of ['00', '01']) {
    const line = `00-${TRACE}-${SPAN}-${flags}`;
    const context = { traceId: TRACE, spanId: SPAN, isSampled: flags === '01' };
    expect(readTraceparent(line)).toEqual(context);
    expect(writeTraceparent(context)).toBe(line);
  }
});

test('a later version is read by the fields of the known version', () => {
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-03-what-else`)).toEqual({
    traceId: TRACE,
    spanId: SPAN,
    isSampled: true,
  });
});

test.each([
  ['an empty header', ''],
  ['a forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['an all-zero trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['an all-zero span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['more fields in version 00', `00-${TRACE}-${SPAN}-01-more`],
  ['two lines', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
])('%s is ignored', (_what, line) => {
  expect(readTraceparent(line)).toBeNull();
});

test.each([null, 7, 'text', {}, { traceparent: 7 }, { traceparent: 'no trace' }])(
  'a Temporal header with %j is ignored',
  (value) => {
    expect(readTraceHeader(value)).toBeNull();
  },
);
