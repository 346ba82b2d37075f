import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeSessionAnalysis, encodeSessionAnalysis } from '#api/encode-session-analysis.ts';
import { analyzeSession } from '#core/recall/sessions/session-analysis.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();
const PIECES = [
  'I moved to Graz.',
  'It costs £1,200!',
  ' ',
  '\n',
  '```\nls\n```',
  '我叫小林。',
  'Why?',
];
const content = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 30 });
const contents = fc.array(
  content.map((pieces) => pieces.join('')),
  { maxLength: 12 },
);

describe('the analysis of a session', () => {
  test('is the same after it was encoded and decoded', () => {
    fc.assert(
      fc.property(contents, (texts) => {
        const analysis = analyzeSession(texts, analyzer);
        const encoded = encodeSessionAnalysis(analysis);
        expect(decodeSessionAnalysis(encoded, texts.length)).toEqual(analysis);
      }),
    );
  });

  test('is null if its text was damaged or cut, or is of another number of turns', () => {
    const encoded = encodeSessionAnalysis(analyzeSession(['I moved to Graz.'], analyzer));
    const middle = Math.floor(encoded.length / 2);
    const other = encoded.charAt(middle) === 'A' ? 'B' : 'A';
    const damaged = `${encoded.slice(0, middle)}${other}${encoded.slice(middle + 1)}`;
    for (const text of ['', 'no analysis', damaged, encoded.slice(0, middle)]) {
      expect(decodeSessionAnalysis(text, 1)).toBeNull();
    }
    expect(decodeSessionAnalysis(encoded, 2)).toBeNull();
    expect(decodeSessionAnalysis(encoded, 1)).not.toBeNull();
  });
});
