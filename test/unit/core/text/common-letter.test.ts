import { expect, test } from 'vitest';
import { haveCommonLetter } from '#core/text/common-letter.ts';

test.each([
  ['What is my cat called?', '我住在大阪。', false],
  ['What is my cat called?', 'Я живу в Москве.', false],
  ['我的猫叫什么？', '猫の名前はルナです。', true],
  ['What is my cat called?', '我的猫叫Luna。', true],
  ['Room 7', '在7楼', true],
  ['ＣＡＴ', 'cat', true],
  ['?!', '?!', false],
  ['', 'cat', false],
])('whether %j and %j have a letter or a digit in common: %s', (one, other, expected) => {
  expect(haveCommonLetter(one, other)).toBe(expected);
  expect(haveCommonLetter(other, one)).toBe(expected);
});
