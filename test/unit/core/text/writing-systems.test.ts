import { expect, test } from 'vitest';
import { haveSharedScript } from '#core/text/writing-systems.ts';

test.each([
  ['What is my cat called?', '我住在大阪。', false],
  ['What is my cat called?', 'Я живу в Москве.', false],
  ['我的猫叫什么？', '猫の名前はルナです。', true],
  ['What is my cat called?', '我的猫叫Luna。', true],
  ['Room 7', '在7楼', true],
  ['ＣＡＴ', 'cat', true],
  ['?!', '?!', false],
  ['', 'cat', false],
  [`${'long '.repeat(200)}猫`, '我的猫', true],
  ['long '.repeat(200), '我的猫', false],
  ['long'.repeat(200), '很长'.repeat(200), false],
])('whether %j and %j have a letter or a digit in common: %s', (one, other, expected) => {
  expect(haveSharedScript(one, other)).toBe(expected);
  expect(haveSharedScript(other, one)).toBe(expected);
});
