import { expect, test } from 'vitest';
import { markedNewAgain } from '#core/dreams/whether-to-dream.ts';
import { subjectOf } from '#test/conformance/document-samples.ts';

const PROPOSAL = { contentHash: 'read' };

test.each<[hasNew: boolean, processedHash: string | null, after: object | null]>([
  [false, 'read', { hasNew: true, processedHash: null }],
  [true, 'read', { hasNew: true, processedHash: null }],
  [false, 'other', { hasNew: true, processedHash: 'other' }],
  [false, null, { hasNew: true, processedHash: null }],
  [true, 'other', null],
  [true, null, null],
])('with hasNew %s and hash %s, an outdated proposal leaves %j', (...row) => {
  const [hasNew, processedHash, after] = row;
  const record = subjectOf('acme', { hasNew, processedHash });
  const marked = markedNewAgain(record, PROPOSAL);
  expect(marked).toEqual(after === null ? null : { ...record, ...after });
});
