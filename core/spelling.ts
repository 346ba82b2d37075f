/** "Did you mean …": finds the known word that is nearest to a misspelled one. */

/** The fewest letters that identify a word by its beginning, as `user` identifies `userId`. */
const BEGINNING_LENGTH_MIN = 3;
/** Longer words are not compared; no field or value of Varve comes near this length. */
const WORD_LENGTH_MAX = 64;
/** The most edits that count as a typo, for a word of a given length. */
const editsMax = (length: number): number => Math.min(3, Math.max(1, Math.floor(length / 3)));

/**
 * Returns the nearest known word, or else the one that begins with the word; null if there is none.
 * Ignores case.
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
 * Returns the optimal string alignment distance: inserted, deleted, changed and swapped letters.
 */
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
