import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideDream, hasNewAfter, newContentHash } from '#core/dreams/whether-to-dream.ts';
import { digest } from '#test/conformance/samples.ts';
import { blockOf } from '../memory-files/tier-samples.ts';

const BLOCKS = [
  blockOf('b1', ['Ann prefers tea.', 'Bob left.']),
  blockOf('b2', ['The launch is in May.']),
];
const HASH = newContentHash(digest, BLOCKS);

describe('a dream is skipped', () => {
  test('DREAM-05: if no daily file has anything new', () => {
    expect(decideDream([], { processedHash: null }, digest)).toEqual({
      kind: 'Skip',
      outcome: 'NothingNew',
    });
  });

  test('DREAM-04: if the new content is what the last dream processed', () => {
    expect(decideDream(BLOCKS, { processedHash: HASH }, digest)).toEqual({
      kind: 'Skip',
      outcome: 'SameContent',
    });
  });

  test('but not if the content differs', () => {
    const oldest = { path: BLOCKS[0]?.path, version: 1 };
    const go = { kind: 'Go', contentHash: HASH, oldest };
    expect(decideDream(BLOCKS, { processedHash: null }, digest)).toEqual(go);
    expect(decideDream(BLOCKS, { processedHash: digest('other') }, digest)).toEqual(go);
  });

  test.each([
    ['another word', [blockOf('b1', ['Ann prefers tea.', 'Bob stays.']), BLOCKS[1]]],
    ['one more line', [blockOf('b1', ['Ann prefers tea.', 'Bob left.', 'x']), BLOCKS[1]]],
    ['one block fewer', [BLOCKS[0]]],
    ['another day', [BLOCKS[0], { ...BLOCKS[1], path: 'memory/2026-11-22.md' }]],
  ])('the hash differs for %s', (_, blocks) => {
    const present = blocks.flatMap((block) => block ?? []);
    expect(newContentHash(digest, present as typeof BLOCKS)).not.toBe(HASH);
  });

  test('the hash is the same under other ids, in another order or with duplicates', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...BLOCKS, ...BLOCKS], { minLength: 4 }), (blocks) => {
        const renamed = blocks.map((block, index) => ({ ...block, id: `other-${String(index)}` }));
        expect(newContentHash(digest, renamed)).toBe(HASH);
      }),
    );
  });
});

const SEEN = { hasNew: true, version: 3 };
const GATHERED = { subjectVersion: 3, hasLeft: false };

test.each<[string, Partial<typeof SEEN>, Partial<typeof GATHERED>, boolean]>([
  ['nothing was announced since', {}, {}, false],
  ['something was announced since', { version: 4 }, {}, true],
  ['the dream left some unread', { hasNew: false }, { hasLeft: true }, true],
  ['it had nothing before', { hasNew: false, version: 4 }, {}, false],
])('a subject has something new after a dream: %s', (_, record, gathered, expected) => {
  expect(hasNewAfter({ ...SEEN, ...record }, { ...GATHERED, ...gathered })).toBe(expected);
});
