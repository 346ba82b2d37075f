/** "Did you mean …": the known word that a misspelt one is nearest to. */
import { VarveError } from './errors.ts';

/** Letters that identify a word by its beginning, as `user` identifies `userId`. */
const BEGINNING_LENGTH_MIN = 3;
/** Longer words are not compared; no field or value of ours comes near. */
const WORD_LENGTH_MAX = 64;
/** Edits that still count as a slip, for a word of a given length. */
const editsMax = (length: number): number => Math.min(3, Math.max(1, Math.floor(length / 3)));

/**
 * The nearest of the known words, else the one that begins with the word; null where there is none.
 * Case does not count.
 */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (word.length > WORD_LENGTH_MAX) return null;
  let nearest: string | null = null;
  let fewest = editsMax(word.length) + 1;
  for (const candidate of known) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest ?? begunBy(word, known);
}

function begunBy(word: string, known: readonly string[]): string | null {
  if (word.length < BEGINNING_LENGTH_MIN) return null;
  const begun = known.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  return begun.length === 1 ? (begun[0] ?? null) : null;
}

/**
 * What JavaScript lets through: a misspelled option would be passed over.
 * @throws VarveError INVALID_INPUT with what is not known, and what is nearest to the first
 */
export function requireKnownOptions(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const near = nearestWord(first, known);
  const next = near === null ? 'take' : `did you mean ${near}? Take`;
  throw new VarveError(
    'INVALID_INPUT',
    `${unknown.join(', ')}: no such option; ${next} ${known.join(', ')}.`,
  );
}

/** Optimal string alignment distance: inserted, left out, changed and swapped letters. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(before, column - 2) + 1 : Infinity,
      );
    }
    [before, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
