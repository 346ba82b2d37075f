import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PASSAGES_MAX, passagesOf } from '#core/recall/sessions/split-into-passages.ts';

describe('the passages of a turn', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'are its sentences',
      'We moved the demo to Friday. Paula can do the room.',
      ['We moved the demo to Friday.', 'Paula can do the room.'],
    ],
    [
      'keep a short sentence with the one before it',
      'The bakery opens on Monday. Hurrah. My sister bakes the bread.',
      ['The bakery opens on Monday. Hurrah.', 'My sister bakes the bread.'],
    ],
    [
      'do not end at an abbreviation',
      'It is now with Dr. Lindqvist at the clinic. She starts in May.',
      ['It is now with Dr. Lindqvist at the clinic.', 'She starts in May.'],
    ],
    [
      'keep a code block whole',
      'Run this now please:\n```\na = 1. b = 2.\nc\n```\nThen tell me what it says.',
      ['Run this now please:', '```\na = 1. b = 2.\nc\n```', 'Then tell me what it says.'],
    ],
    [
      'split Chinese at its own punctuation',
      '钢琴处理掉了。车给我小舅开。',
      ['钢琴处理掉了。', '车给我小舅开。'],
    ],
    [
      'keep the number of a list item, and join the lines of short items',
      'My rules:\n1. Never call before ten.\n2. No jokes in mails.\nShopping:\n- milk\n- eggs',
      [
        'My rules:\n1. Never call before ten.',
        '2. No jokes in mails.',
        'Shopping:\n- milk\n- eggs',
      ],
    ],
  ])('%s', (_, text, passages) => {
    expect(passagesOf(text)).toEqual(passages);
  });

  test.each([
    'Ok! The hint is what?Ever!no.where. Good.',
    'See a.php?b=c! Right?!No.',
    '好。我知道了！谢谢你。再见',
    'Run ```a?B:c```?Yes. Fine. And `x`.',
    'Great!Thanks a lot. ¡Hola!¿Qué tal? Bien.',
  ])('are pieces of the turn, without a space more: %s', (text) => {
    for (const passage of passagesOf(text)) expect(text).toContain(passage);
  });

  test('are pieces of any text on one line, but for the width of the space in it', () => {
    const squeezed = (each: string) => each.replaceAll(/\s+/gu, ' ');
    const unit = fc.oneof(
      fc.constantFrom('a', 'B', '?', '!', '.', '。', '，', '好', ' ', '/', ':', '`'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
        const line = text.replaceAll('\n', ' ');
        for (const passage of passagesOf(line)) expect(squeezed(line)).toContain(squeezed(passage));
      }),
    );
  });

  test('contain every word of any text, in order and well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const passages = passagesOf(text);
        const squeezed = (each: string) => each.replaceAll(/\s+/gu, '');
        expect(squeezed(passages.join(''))).toBe(squeezed(text));
        for (const passage of passages) expect(passage.trim()).not.toBe('');
      }),
    );
  });

  test('are cut between characters in a text without breaks', () => {
    const passages = passagesOf('😀'.repeat(2_000));
    expect(passages.length).toBeGreaterThan(1);
    for (const passage of passages) expect(passage.isWellFormed()).toBe(true);
  });

  test('are at most the maximum, and have the last words of a turn of many sentences', () => {
    const sentences = Array.from({ length: 1_300 }, (_, n) => `Sentence number ${String(n)} ends.`);
    const passages = passagesOf([...sentences, 'The code is 8841.'].join(' '));
    expect(passages.length).toBeLessThanOrEqual(PASSAGES_MAX);
    expect(passages.join(' ')).toBe([...sentences, 'The code is 8841.'].join(' '));
  });
});
