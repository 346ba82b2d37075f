import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contentHash,
  EMPTY_SOURCE_HASH,
  shortHash,
  sourceHashOf,
  sourceLane,
  xorHash,
} from '#core/hash.ts';
import { digest } from '#test/conformance/samples.ts';

const source = fc.record({ id: fc.uuid(), contentHash: fc.stringMatching(/^[0-9a-f]{64}$/) });

describe('content hash', () => {
  test.each([
    ['composed and decomposed letters', 'Zo\u00eb', 'Zoe\u0308'],
    ['line endings', 'a\r\nb', 'a\nb'],
    ['outer white space', '  a b\n', 'a b'],
  ])('%s do not change it', (_, one, other) => {
    expect(contentHash(digest, one)).toBe(contentHash(digest, other));
  });

  test.each([
    ['case', 'ann', 'Ann'],
    ['inner white space', 'a  b', 'a b'],
    ['a compatibility character', 'ﬁ', 'fi'],
    ['a letter', 'a', 'b'],
  ])('%s changes it', (_, one, other) => {
    expect(contentHash(digest, one)).not.toBe(contentHash(digest, other));
  });
});

describe('source hash', () => {
  test('does not depend on the order of writes', () => {
    fc.assert(
      fc.property(fc.array(source), fc.infiniteStream(fc.nat()), (sources, keys) => {
        const shuffled = sources
          .map((each) => ({ each, key: keys.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ each }) => each);
        expect(sourceHashOf(digest, shuffled)).toBe(sourceHashOf(digest, sources));
      }),
      { numRuns: 50 },
    );
  });

  test('a source that is added and removed leaves no trace', () => {
    fc.assert(
      fc.property(source, source, (a, b) => {
        const [lane, other] = [sourceLane(digest, a), sourceLane(digest, b)];
        expect(xorHash(xorHash(lane, other), other)).toBe(lane);
        expect(xorHash(lane, EMPTY_SOURCE_HASH)).toBe(lane);
        expect(xorHash(lane, lane)).toBe(EMPTY_SOURCE_HASH);
      }),
      { numRuns: 50 },
    );
  });

  test('the hash kept write by write equals a recount of what is left', () => {
    const writes = fc.uniqueArray(fc.record({ source, removed: fc.boolean() }), {
      selector: (write) => write.source.id,
    });
    fc.assert(
      fc.property(writes, (all) => {
        let kept = EMPTY_SOURCE_HASH;
        for (const write of all) kept = xorHash(kept, sourceLane(digest, write.source));
        for (const write of all.filter(({ removed }) => removed)) {
          kept = xorHash(kept, sourceLane(digest, write.source));
        }
        const left = all.filter(({ removed }) => !removed).map((write) => write.source);
        expect(kept).toBe(sourceHashOf(digest, left));
      }),
      { numRuns: 50 },
    );
  });

  test('the same text under another id is another source', () => {
    const text = digest('text');
    expect(sourceLane(digest, { id: 'a', contentHash: text })).not.toBe(
      sourceLane(digest, { id: 'b', contentHash: text }),
    );
  });
});

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('the short hash of %j follows FNV-1a', (text, hash) => {
  expect(shortHash(text)).toBe(hash);
});
