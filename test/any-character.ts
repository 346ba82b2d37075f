/** Units of strings for property tests. */
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const CHARACTERS = 0x11_0000 - SURROGATES.count;

/**
 * Draws what `unit: 'binary'` draws, from the same seed. To shorten strings, fast-check would list
 * all 1.1 million characters, in each process and for as long as it runs; here it computes them.
 */
export const ANY_CHARACTER = fc.nat({ max: CHARACTERS - 1 }).map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
}

function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (code === undefined || characterAt(placeOfCode(code)) !== character)
    throw new Error('That is not one character.');
  return placeOfCode(code);
}

function placeOfCode(code: number): number {
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}
