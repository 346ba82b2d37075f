import { describe, expect, test } from 'vitest';
import { isRestatedToUser } from '#core/recall/ranking/restated-to-user.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();
const isTold = (reply: string, said: string) =>
  isRestatedToUser(reply, said, recallTerms(analyzer, said));

describe('a reply', () => {
  test.each([
    ['As you said, you live in Bristol, so try the harbor cafe.', 'I live in Bristol.'],
    ['You still live in Bristol, so the bus is best.', 'I live in Bristol.'],
    ['Since your manager is Dana, I addressed it to her.', 'My manager is Dana.'],
    ['As you work at Acme, the discount applies.', 'I work at Acme.'],
    ['Wie du gesagt hast, wohnst du in Köln, also probier das Café.', 'Ich wohne in Köln.'],
    ['Deine Chefin ist Dana, also schreibe ich ihr.', 'Meine Chefin ist Dana.'],
    ['Como dijiste, vives en Lima, así que prueba el café.', 'Vivo en Lima.'],
    ['Tu jefa es Dana, así que le escribo.', 'Mi jefa es Dana.'],
    ['你说过你住在上海，可以去外滩。', '我住在上海。'],
    ['你的经理是小丽，我写给她。', '我的经理是小丽。'],
  ])('tells a user what the user said: %s', (reply, said) => {
    expect(isTold(reply, said)).toBe(true);
  });

  test.each([
    ['You live in Bath, and Bristol is near.', 'I live in Leeds.'],
    ['You no longer live in Bristol.', 'I live in Bristol.'],
    ['You moved away, so you live in Bath, not in Bristol.', 'I live in Bristol.'],
    ['Do you live in Bristol?', 'I live in Bristol.'],
    ['If you live in Bristol, try the harbor.', 'I live in Bristol.'],
    ['Your brother Joel lives in Bristol.', 'I live in Bristol.'],
    ['Many people live in Bristol.', 'I live in Bristol.'],
    ['You lived in Bristol for years.', 'I live in Bristol.'],
    ['Her manager is Dana.', 'My manager is Dana.'],
    ['Deine Schwester wohnt in Köln.', 'Ich wohne in Köln.'],
    ['Joel vive en Lima.', 'Vivo en Lima.'],
    ['他住在上海。', '我住在上海。'],
    ['你现在不住在上海了。', '我住在上海。'],
  ])('says something else: %s', (reply, said) => {
    expect(isTold(reply, said)).toBe(false);
  });
});
