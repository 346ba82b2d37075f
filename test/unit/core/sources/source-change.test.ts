/** How adding, changing and deleting a memory changes its scope. */
import { describe, expect, test } from 'vitest';
import { sourceLane } from '#core/hash.ts';
import { memorySource } from '#core/sources/source.ts';
import { expiryOf, isLive, patchedMemory } from '#core/sources/memory-lifecycle.ts';
import { additionOf, removalOf, replacementOf } from '#core/sources/source-change.ts';
import { digest, memoryOf, newContent, NOW } from '#test/conformance/samples.ts';

const { vector: _, ...TEA } = memoryOf('acme', 1, {
  content: 'Ann likes tea.',
  tokenCount: 4,
  expiresAt: NOW + 9,
});
const COUNTED = { ...TEA, counted: true };
const UNCOUNTED = { ...TEA, counted: false };
const DROPPED = { id: TEA.id, reason: 'SourceDeleted' } as const;
const NOTHING = { lanes: [], sources: 0, tokens: 0, bytes: 0, written: [], expiresAt: null };

describe('a memory that is added', () => {
  test('adds a source, with its expiry', () => {
    expect(additionOf(digest, COUNTED)).toEqual({
      lanes: [sourceLane(digest, memorySource(TEA))],
      sources: 1,
      tokens: 4,
      bytes: 14,
      dropped: [],
      written: [TEA.id],
      expiresAt: NOW + 9,
    });
  });

  test('changes nothing if it is not a source', () => {
    expect(additionOf(digest, UNCOUNTED)).toBeNull();
  });
});

describe('a memory that is removed', () => {
  test('removes a source', () => {
    const less = {
      ...NOTHING,
      lanes: [sourceLane(digest, memorySource(TEA))],
      sources: -1,
      tokens: -4,
      bytes: -14,
    };
    expect(removalOf(digest, COUNTED, null)).toEqual({ ...less, dropped: [] });
    expect(removalOf(digest, COUNTED, DROPPED)).toEqual({ ...less, dropped: [DROPPED] });
  });

  test('drops what cites it, even if it is no longer a source', () => {
    expect(removalOf(digest, UNCOUNTED, DROPPED)).toEqual({ ...NOTHING, dropped: [DROPPED] });
  });

  test('changes nothing if it was neither a source nor cited', () => {
    expect(removalOf(digest, UNCOUNTED, null)).toBeNull();
  });
});

describe('a changed memory', () => {
  const coffee = newContent('Ann likes coffee.', 5);
  const { vector: __, embeddingGeneration: ___, ...content } = coffee;
  const after = { ...COUNTED, ...content, expiresAt: null };

  test('has another hash and size, and counts as written', () => {
    expect(replacementOf(digest, { before: COUNTED, after }, DROPPED)).toEqual({
      lanes: [sourceLane(digest, memorySource(TEA)), sourceLane(digest, memorySource(after))],
      sources: 0,
      tokens: 1,
      bytes: 3,
      dropped: [DROPPED],
      written: [TEA.id],
      expiresAt: null,
    });
  });

  test('sets its expiry again', () => {
    const lasting = { ...after, expiresAt: NOW + 20 };
    const change = replacementOf(digest, { before: COUNTED, after: lasting }, null);
    expect(change).toMatchObject({ expiresAt: NOW + 20, dropped: [] });
  });

  test('changes nothing if its content is the same', () => {
    const tagged = { ...COUNTED, tags: ['drinks'] };
    expect(replacementOf(digest, { before: COUNTED, after: tagged }, DROPPED)).toBeNull();
  });

  test('is counted again if only its tokens or only its content changed', () => {
    const recounted = { ...COUNTED, tokenCount: 5 };
    expect(replacementOf(digest, { before: COUNTED, after: recounted }, null)?.tokens).toBe(1);
    const alike = { ...after, tokenCount: 4 };
    expect(replacementOf(digest, { before: COUNTED, after: alike }, null)?.bytes).toBe(3);
  });

  test('drops what cites it, and changes nothing else, if it is not a source', () => {
    const pair = { before: UNCOUNTED, after: { ...after, counted: false } };
    expect(replacementOf(digest, pair, DROPPED)).toEqual({ ...NOTHING, dropped: [DROPPED] });
    expect(replacementOf(digest, pair, null)).toBeNull();
  });
});

test.each<[string, number | null, number | null, number | null]>([
  ['never', null, null, null],
  ['when it expires', 5, null, 5],
  ['when its validity ends', null, 5, 5],
  ['when it expires, even if it is valid for longer', 5, 9, 5],
  ['when its validity ends, even if it expires later', 9, 5, 5],
])('a memory ends as a source %s', (_case, expiresAt, validTo, end) => {
  const memory = { expiresAt, validTo, state: 'active' } as const;
  expect(expiryOf(memory)).toBe(end);
  expect(isLive(memory, 4)).toBe(true);
  expect(isLive(memory, 5)).toBe(end === null);
  expect(isLive({ ...memory, state: 'superseded' }, 4)).toBe(false);
});

describe('a patch of a memory', () => {
  const before = { ...TEA, tags: ['a'], metadata: { of: 'Ann', cups: 2 } };

  test('changes the fields it names, and removes metadata set to null', () => {
    const patch = {
      content: newContent('Ann likes coffee.', 5),
      tags: ['b'],
      metadata: { cups: null, milk: true },
    };
    expect(patchedMemory(before, patch, NOW + 7)).toMatchObject({
      content: 'Ann likes coffee.',
      tokenCount: 5,
      tags: ['b'],
      metadata: { of: 'Ann', milk: true },
      version: before.version + 1,
      updatedAt: NOW + 7,
    });
    expect(patchedMemory(before, patch, NOW).metadata).not.toHaveProperty('cups');
  });

  test('keeps the fields it does not name', () => {
    const changed = { tags: ['other'], version: before.version + 1, updatedAt: NOW + 7 };
    const patched = patchedMemory(before, { tags: ['other'] }, NOW + 7);
    expect(patched).toEqual({ ...before, ...changed });
  });

  test.each([[{}], [{ tags: [...before.tags], metadata: { ...before.metadata } }]])(
    'is the same memory after %j, which it has',
    (patch) => {
      expect(patchedMemory(before, patch, NOW + 7)).toBe(before);
    },
  );
});
