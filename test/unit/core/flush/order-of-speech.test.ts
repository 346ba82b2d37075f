import { expect, test } from 'vitest';
import { inOrderOfSpeech } from '#core/flush/order-of-speech.ts';

const turns = [
  { id: 't1', content: 'I fly on the 28th. I take the train back.' },
  { id: 't2', content: 'Sorry, the 29th.' },
];
const fact = (source: string, quote: string | null) => ({ sources: [source], quote });

test('facts stand in the order of their turns, and of their words in one turn', () => {
  const later = fact('t2', 'Sorry, the 29th.');
  const back = fact('t1', 'I take the train back.');
  const out = fact('t1', 'I fly on the 28th.');
  expect(inOrderOfSpeech([later, back, out], turns)).toEqual([out, back, later]);
});

test('a fact without its words comes first in its turn, one of another turn last', () => {
  const other = fact('t9', 'Elsewhere.');
  const whole = fact('t2', null);
  const first = fact('t1', 'I fly on the 28th.');
  expect(inOrderOfSpeech([other, whole, first], turns)).toEqual([first, whole, other]);
});

test('a fact stands where its words are, in another case, and whichever turn it cites first', () => {
  const quoted = { sources: ['t2', 't1'], quote: 'i take  the train back.' };
  const out = fact('t1', 'I fly on the 28th.');
  const later = fact('t2', 'Sorry, the 29th.');
  expect(inOrderOfSpeech([later, quoted, out], turns)).toEqual([out, quoted, later]);
});
