/** Grounding of texts made to cost time: quadratic work would exceed the time limit. */
import { expect, test } from 'vitest';
import { groundFacts } from '#core/grounding/grounding.ts';
import { source } from '#test/unit/core/prompt-batch.ts';

const LENGTH = 100_000;
const FACTS = 20;
/** What one fact may say. */
const FACT_LENGTH = 4_000;

test.each(['not ', 'a@', '1,', '1 ', '/a', 'Ann ', 'twenty-', '"', '½', '3/', 'http://', '٣'])(
  'a fact about 100 kB of %j is judged in time',
  (part) => {
    const text = part.repeat(LENGTH / part.length);
    const fact = { text: `x ${text.slice(0, FACT_LENGTH)}`, sources: ['s'] };
    const judged = groundFacts([fact], new Map([['s', source('s', text)]]));
    // One that gives way to the words of its source is told among those dropped, too.
    expect(judged.facts.length + judged.dropped.length - judged.replaced).toBe(1);
  },
);

test.each([
  ' ',
  '\n',
  ' \n',
  '\u{a0}',
  '7',
  ',',
  '.',
  '-',
  '"',
  "'",
  'b',
  'a.a.',
  '1,1,',
  'x 1, - ',
  '. ',
  'no ',
  'will ',
  'from 1 to ',
  'want ',
  'prefer over ',
  '? No. ',
  '!',
  ')',
  "a'",
])('twenty facts about 100 kB of %j are judged in time', (part) => {
  const said = `Ann paid 5 euros.${part.repeat(LENGTH / part.length)}Bob slept.`;
  const turn = source('s', said, { kind: 'turn', speaker: 'user' });
  const facts = Array.from({ length: FACTS }, (_, index) => ({
    text: index % 2 === 0 ? `Ann paid ${String(index + 6)} euros.` : 'Ann did not sleep at all.',
    sources: ['s'],
  }));
  expect(groundFacts(facts, new Map([['s', turn]])).dropped.length).toBeGreaterThan(0);
});
