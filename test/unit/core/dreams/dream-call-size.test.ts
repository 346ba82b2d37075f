import { describe, expect, test } from 'vitest';
import { fittedDream } from '#core/dreams/dream-call-size.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Document } from '#core/records/document.ts';
import { AT, blockOf } from '../memory-files/tier-samples.ts';
import { BASE, questionOf, WORDS } from './dream-samples.ts';

/** Rules of 100 tokens and 10 for each source. */
function modelOf(inputTokensMax: number): Pick<DreamModel, 'usageMax' | 'inputTokensMax'> {
  return {
    inputTokensMax,
    usageMax: ({ memory, daily }) => ({
      inputTokens: 100 + [...memory, ...daily].reduce((sum, { bytes }) => sum + 10 + bytes, 0),
      outputTokens: 1,
    }),
  };
}

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const block = (id: string, version: number, differing: Partial<Document> = {}) =>
  blockOf(id, [words(40), words(40)], { version, at: AT + version, ...differing });
const FRESH = [block('b1', 1), block('b2', 2), block('b3', 3)];
const KNOWN = [block('k1', 4, { dreamedAt: 1 }), block('k2', 5, { dreamedAt: 1 })];

/** Each block takes 110; what MEMORY.md and the rules take comes before. */
const BEFORE =
  100 + BASE.reduce((sum, { text }) => sum + 10 + Math.ceil(WORDS.count(text) * 1.25), 0);

function fitted(room: number, fresh: readonly Document[] = FRESH, known: readonly Document[] = []) {
  const question = questionOf(BASE, fresh, known);
  const found = fittedDream(question, { model: modelOf(BEFORE + room), fresh, tokens: WORDS });
  return { ...found, ids: found.question.daily.map(({ id }) => id) };
}

describe('what one model call reads', () => {
  test.each([
    [330, ['b1', 'b2', 'b3'], 0],
    [329, ['b1', 'b2'], 1],
    [110, ['b1'], 2],
  ])('%j tokens of room fit the oldest new blocks %j and leave %j unread', (room, ids, left) => {
    const read = fitted(room);
    expect([read.ids, read.leftBlocks, read.unreadLines]).toEqual([ids, left, 0]);
    expect(read.read.map(({ id }) => id)).toEqual(ids);
    expect(read.readLines).toBe(2 * ids.length);
    expect(read.question.memory).toHaveLength(BASE.length);
  });

  test('a block too large for any call is read from its beginning', () => {
    const read = fitted(70);
    expect([read.ids, read.leftBlocks, read.unreadLines]).toEqual([['b1'], 2, 1]);
    expect(read.readLines).toBe(1);
    expect(read.question.daily[0]).toMatchObject({ text: words(40), tokens: 41 });
  });

  test('blocks read before fill the remaining room, newest first', () => {
    expect(fitted(550, FRESH, KNOWN).ids).toEqual(['b1', 'b2', 'b3', 'k1', 'k2']);
    expect(fitted(440, FRESH, KNOWN).ids).toEqual(['b1', 'b2', 'b3', 'k2']);
    expect(fitted(220, FRESH, KNOWN)).toMatchObject({ ids: ['b1', 'b2'], leftBlocks: 1 });
    expect(fitted(440, FRESH, KNOWN).read).toEqual(FRESH);
  });

  test('a model that cannot write MEMORY.md in one answer is too small', () => {
    const question = { ...questionOf(BASE, FRESH), tokensMax: 499 };
    expect(() =>
      fittedDream(question, { model: modelOf(9_000), fresh: FRESH, tokens: WORDS }),
    ).toThrow(expect.objectContaining({ code: 'CONTEXT_LIMIT_TOO_SMALL' }));
  });

  test('a model without room for MEMORY.md and one line is too small', () => {
    expect(() => fitted(10)).toThrow(expect.objectContaining({ code: 'CONTEXT_LIMIT_TOO_SMALL' }));
  });

  test('nothing is read if nothing is new and MEMORY.md is empty', () => {
    const question = questionOf([], []);
    const parts = { model: modelOf(1_000), fresh: [], tokens: WORDS };
    const nothing = { read: [], leftBlocks: 0, readLines: 0, unreadLines: 0 };
    expect(fittedDream(question, parts)).toEqual({ question, ...nothing });
  });
});
