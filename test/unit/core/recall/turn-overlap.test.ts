import { expect, test } from 'vitest';
import { onlyRepeats } from '#core/recall/turn-overlap.ts';

test.each([
  ['user: 14 people. and btw I cant eat gluten', '14 people. oh and btw I cant eat gluten, celiac'],
  ['user: I leave on Friday (as of 2026-11-03)', 'Well, I leave on Friday.'],
  ['周会改到周四下午了', '对了，周会改到周四下午了哈哈'],
  ['user: 手机坏了', 'iPhone手机坏了'],
  ['user: room B12', 'It is room B12.'],
])('the line "%s" only repeats the turn "%s"', (line, turn) => {
  expect(onlyRepeats(line, turn)).toBe(true);
});

test.each([
  ['user: Ann eats no gluten', '14 people. oh and btw I cant eat gluten, celiac'],
  ['user: gluten I cant eat', 'I cant eat gluten'],
  ['user: I eat meat', 'I do not eat meat'],
  ['user: Ich esse Fleisch', 'Ich esse kein Fleisch'],
  ['user: Ana lives in Porto', 'Ana called. She lives in Porto.'],
  ['user: I leave on Friday at nine', 'I leave on Friday.'],
])('the line "%s" says more than the turn "%s"', (line, turn) => {
  expect(onlyRepeats(line, turn)).toBe(false);
});
