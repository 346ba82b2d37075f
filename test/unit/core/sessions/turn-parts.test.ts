import { describe, expect, test } from 'vitest';
import { partIds, turnParts } from '#core/sessions/turn-parts.ts';
import { TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';

const SENTENCE = 'The tide gauge reads 2.4 metres. ';

describe('parts of a turn', () => {
  test.each([
    ['a short text', 'Hello.', 1],
    ['the longest text of one part', 'x'.repeat(CONTENT_LENGTH_MAX), 1],
    ['one character more', 'x'.repeat(CONTENT_LENGTH_MAX + 1), 2],
    ['a blank text', ' \n\t', 0],
    ['no text', '', 0],
  ])('%s is split into the expected number of parts', (_, text, count) => {
    expect(turnParts('a', text)).toHaveLength(count);
  });

  test.each([
    ['sentences', SENTENCE.repeat(Math.floor(TURN_LENGTH_MAX / SENTENCE.length))],
    ['one long word', 'x'.repeat(TURN_LENGTH_MAX)],
    ['paragraphs of just over half a part', `${'y'.repeat(16_500)}\n\n`.repeat(15)],
  ])('the longest turn of %s keeps all its text in parts whose ids a deletion names', (_, text) => {
    const parts = turnParts('a', text);
    expect(parts.map(({ content }) => content).join('')).toBe(text);
    expect(partIds('a')).toEqual(expect.arrayContaining(parts.map(({ id }) => id)));
    for (const { content } of parts) {
      expect(content.length).toBeLessThanOrEqual(CONTENT_LENGTH_MAX);
    }
  });

  test('the first part has the id of the turn, and the others follow it', () => {
    const ids = turnParts('a', 'x'.repeat(70_000)).map(({ id }) => id);
    expect(ids).toEqual(['a', 'a/part-2', 'a/part-3']);
  });
});
