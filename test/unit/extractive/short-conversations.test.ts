import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, test } from 'vitest';
import { joinSentences, sentenceOf } from '#core/text/joined-sentences.ts';
import { extractFacts } from '#providers/extractive/extract-facts.ts';
import { SHORT_CONVERSATIONS } from './short-conversations.ts';

/** Returns the text of each depth: 50, 200 and 500 tokens of the facts, in order. */
function depthsOf(turns: readonly string[]): readonly string[] {
  const sources = turns.map((turn, index) => {
    const [speaker = '', text = ''] = turn.split(/: (.*)/su);
    const at = new Date(Date.UTC(2026, 0, 1, 9, index)).toISOString();
    return { id: `t${index}`, speaker, text, at };
  });
  const facts = extractFacts(sources, { countTokens, maxTokens: 500, maxSentenceTokens: 50 });
  const texts = facts.map((_, at) =>
    joinSentences(facts.slice(0, at + 1).map(({ text }) => sentenceOf(text))),
  );
  return [50, 200, 500].map((cap) => texts.findLast((text) => countTokens(text) <= cap) ?? '');
}

describe('the summary of a short conversation', () => {
  test.each(SHORT_CONVERSATIONS)('$about', ({ turns, brief, notBrief, whole, never }) => {
    const [sentence = '', paragraph = '', detailed = ''] = depthsOf(turns);
    const lacks = [
      ...brief.filter((part) => !sentence.includes(part)),
      ...whole.filter((part) => !paragraph.includes(part) || !detailed.includes(part)),
    ];
    const tells = [
      ...(notBrief ?? []).filter((part) => sentence.includes(part)),
      ...(never ?? []).filter((part) => detailed.includes(part)),
    ];
    expect({ lacks, tells, sentence }).toEqual({ lacks: [], tells: [], sentence });
  });
});
