import { describe, expect, test } from 'vitest';
import { contentKey, keyAfter, unitedTags } from '#core/sources/memory-key.ts';
import { TAGS_MAX } from '#core/records/memory.ts';

describe('keys', () => {
  test.each([
    ['a key of the content', contentKey('a'), contentKey('b')],
    ['a key of another content', contentKey('c'), contentKey('c')],
    ["a caller's own key", 'tea', 'tea'],
    ['no key', null, null],
  ])('STORE-45: after a change of content: %s', (_, key, expected) => {
    expect(keyAfter({ key, contentHash: 'a' }, 'b')).toBe(expected);
  });

  test('STORE-44: united tags are sorted, each once, at most as many as a memory has', () => {
    expect(unitedTags(['b', 'c'], ['a', 'b'])).toEqual(['a', 'b', 'c']);
    const many = Array.from({ length: TAGS_MAX }, (_, n) => `tag-${n}`);
    expect(unitedTags(many, ['zebra'])).toEqual(many.toSorted());
  });
});
