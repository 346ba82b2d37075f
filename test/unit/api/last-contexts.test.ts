import { describe, expect, test } from 'vitest';
import { LastContexts } from '#api/last-contexts.ts';

describe('last contexts', () => {
  test.each([
    ['the first call', null, 'a\nb', ''],
    ['the same text', 'a\nb', 'a\nb', 'a\nb'],
    ['a different end', 'a\nb\nc', 'a\nb\nd', 'a\nb'],
    ['a different beginning', 'a\nb', 'z\nb', ''],
    ['a longer text', 'a', 'a\nb', 'a'],
    ['a shorter text', 'a\nb', 'a', 'a'],
  ])('%s: returns the leading lines that stayed the same', (_, before, text, shared) => {
    const last = new LastContexts();
    if (before !== null) last.sharedPrefix('ann', before);
    expect(last.sharedPrefix('ann', text)).toBe(shared);
  });

  test('callers are kept apart, and the least recent caller is forgotten', () => {
    const last = new LastContexts(2);
    for (const caller of ['ann', 'bob', 'ann', 'cem']) last.sharedPrefix(caller, 'a');
    expect(['ann', 'cem', 'bob'].map((caller) => last.sharedPrefix(caller, 'a'))).toEqual([
      ...['a', 'a', ''],
    ]);
  });
});
