import { expect, test } from 'vitest';
import { quotedRanges } from '#core/extraction/others-words/quotations.ts';

test.each([
  ['She said “I hate tea” again', ['“I hate tea”']],
  ['Er rief „Ich hasse Tee“ und ging', ['„Ich hasse Tee“']],
  ['Gritó «odio el té»', ['«odio el té»']],
  ['Er so: »Ich bin da«.', ['»Ich bin da«']],
  ['他说“我在”，她说「我也在」', ['“我在”', '「我也在」']],
  ['Tom: "I live in Leeds" and \'I work at Lidl\'', ['"I live in Leeds"', "'I work at Lidl'"]],
  ["He said 'I don't live in Leeds'", ["'I don't live in Leeds'"]],
  ["I don't live at my parents' house, it's Tom's", []],
  ['A mail: “I live in York.', ['“I live in York.']],
  ['the 6" pipe and my house in Leeds', []],
])('quotedRanges finds the quotations in a text: %s', (text, quotes) => {
  expect(quotedRanges(text).map(({ start, end }) => text.slice(start, end))).toEqual(quotes);
});
