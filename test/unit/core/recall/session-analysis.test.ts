import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { amountsIn } from '#core/recall/sessions/amounts.ts';
import { passageSigns } from '#core/recall/question/answer-types.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import {
  analyzeSession,
  passageTexts,
  SESSION_ANALYSIS_REVISION,
  signsAt,
} from '#core/recall/sessions/session-analysis.ts';
import { passagesOf } from '#core/recall/sessions/split-into-passages.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';

const analyzer = createTextAnalyzer();
const { digest } = createPlatform();

/** A hash of what this revision finds in the conversations of the benchmark. */
const FOUND = {
  revision: 9,
  hash: '58a44b54644455f974c0b6ae98907e84fdfa135806471c4463cdcbefa66d7fe1',
};

function everythingSaid(): readonly string[] {
  const file = new URL('../../../../bench/conversations/people.jsonl', import.meta.url);
  const people = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return people.flatMap((line) => {
    const { sessions } = JSON.parse(line) as {
      sessions: readonly { turns: readonly { text: string }[] }[];
    };
    return sessions.flatMap(({ turns }) => turns.map(({ text }) => text));
  });
}

describe('the analysis of a session', () => {
  test('changes its revision whenever it finds anything else in the same conversations', () => {
    const analysis = analyzeSession(everythingSaid(), analyzer);
    const found = digest(
      JSON.stringify(analysis, (_, value: unknown) =>
        ArrayBuffer.isView(value) ? [...(value as Uint32Array)] : value,
      ),
    );
    // After a change of rules, raise SESSION_ANALYSIS_REVISION, and write both here.
    expect({ revision: SESSION_ANALYSIS_REVISION, hash: found }).toEqual(FOUND);
  });

  test('has the passages of each turn, with their terms, signs and amounts', () => {
    const pieces = ['I moved to Graz. ', 'Then  to Linz.', '\nFor £1,200!', ' ', 'Why?'];
    const piece = fc.constantFrom(...pieces);
    const contents = fc.array(
      fc.array(piece, { maxLength: 8 }).map((each) => each.join('')),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(contents, (texts) => {
        const analysis = analyzeSession(texts, analyzer);
        const passages = texts.flatMap((text) => passagesOf(text));
        expect(passageTexts(analysis, texts)).toEqual(passages);
        expect(passages.map((_, place) => signsAt(analysis, place))).toEqual(
          passages.map((text) => passageSigns(text)),
        );
        const terms = Array.from(analysis.terms, (word) => analysis.words[word]);
        expect(terms).toEqual(passages.flatMap((text) => recallTerms(analyzer, text)));
        expect([...analysis.amounts]).toEqual(passages.flatMap((text) => amountsIn(text)));
      }),
    );
  });
});
