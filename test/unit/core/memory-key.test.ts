import { describe, expect, test } from 'vitest';
import { contentKey, keyAfter, mergedTags } from '#core/sources/memory-key.ts';
import { TAGS_MAX } from '#core/records/memory.ts';

describe('the key of a memory', () => {
  test.each([
    ['becomes that of the new content', contentKey('a'), contentKey('b')],
    ['stays if it is of other content', contentKey('c'), contentKey('c')],
    ['stays if a caller chose it', 'tea', 'tea'],
    ['stays empty', null, null],
  ])('STORE-45: after a change of content: %s', (_, key, expected) => {
    expect(keyAfter({ key, contentHash: 'a' }, 'b')).toBe(expected);
  });

  test('STORE-44: mergedTags sorts and deduplicates tags, up to the maximum of a memory', () => {
    expect(mergedTags(['b', 'c'], ['a', 'b'])).toEqual(['a', 'b', 'c']);
    const many = Array.from({ length: TAGS_MAX }, (_, n) => `tag-${n}`);
    expect(mergedTags(many, ['zebra'])).toEqual(many.toSorted());
  });
});
