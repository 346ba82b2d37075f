/**
 * Vectors as 32-bit words, one row after another. A dense row is the bits of its numbers. If most
 * numbers are zero, as in a vector of hashed words, the row is sparse: a head, one mark bit per
 * number that says whether it is stored, and the stored numbers.
 */

export const BITS_PER_WORD = 32;
/** A row is stored as sparse if it takes at most this share of its dense words. */
const WORTH_SHARE = 0.5;
/** A head is this plus the dimensions: the bits of a NaN, with which no vector begins. */
const HEAD = 0xff_c0_00_00;
const DIMENSIONS_MAX = 0x3f_ff_ff;

type Words = Uint32Array<ArrayBuffer>;

/** Rows of vectors with the same dimensions. */
export interface VectorRows {
  readonly dimensions: number;
  readonly words: Words;
  /** Where each row begins, and where the last one ends. */
  readonly starts: readonly number[];
  /** Whether any row is sparse. */
  readonly isSparse: boolean;
}

/** Encodes a vector as a row, sparse if that saves enough; every number keeps its exact bits. */
export function rowOf(vector: Float32Array<ArrayBuffer>): Words {
  const numbers = wordsOf(vector);
  const { length } = numbers;
  const marks = marksOf(length);
  let count = 0;
  for (let at = 0; at < length; at += 1) count += numbers[at] === 0 ? 0 : 1;
  const first = 1 + marks;
  if (first + count > length * WORTH_SHARE || length > DIMENSIONS_MAX) return numbers;
  const row = new Uint32Array(first + count);
  row[0] = HEAD + length;
  let to = first;
  for (let at = 0; at < length; at += 1) {
    const number = numbers[at] ?? 0;
    if (number === 0) continue;
    const mark = 1 + Math.floor(at / BITS_PER_WORD);
    row[mark] = (row[mark] ?? 0) | (1 << (at % BITS_PER_WORD));
    row[to] = number;
    to += 1;
  }
  return row;
}

/** Null if the rows are not vectors of the same dimensions, or one is damaged. */
export function rowsOf(words: Words, lengths: readonly number[]): VectorRows | null {
  const starts = [0];
  let dimensions: number | null = null;
  let isSparse = false;
  let start = 0;
  for (const length of lengths) {
    const end = start + length;
    const sparse = isSparseAt(words, start);
    const ofRow = sparse ? (words[start] ?? 0) - HEAD : length;
    dimensions ??= ofRow;
    if (ofRow === 0 || ofRow !== dimensions || end > words.length) return null;
    if (endOfRow(words, start, dimensions) !== end) return null;
    isSparse ||= sparse;
    starts.push(end);
    start = end;
  }
  return { dimensions: dimensions ?? 0, words, starts, isSparse };
}

/** Returns some of the rows, by position. */
export function chosenRows(rows: VectorRows, places: readonly number[]): VectorRows {
  const { words, starts } = rows;
  const chosen = places.map((at) => words.subarray(starts[at], starts[at + 1]));
  const ends = [0];
  for (const { length } of chosen) ends.push((ends.at(-1) ?? 0) + length);
  const copy = new Uint32Array(ends.at(-1) ?? 0);
  for (const [at, row] of chosen.entries()) copy.set(row, ends[at]);
  return { ...rows, words: copy, starts: ends };
}

/** Returns every number of the rows, side by side; no copy is made if no row is sparse. */
export function numbersIn(rows: VectorRows): Float32Array<ArrayBuffer> {
  const { words, starts, dimensions, isSparse } = rows;
  if (!isSparse) return floatsOf(words);
  const numbers = new Uint32Array((starts.length - 1) * dimensions);
  for (let row = 0; row + 1 < starts.length; row += 1) {
    const [start, end] = [starts[row] ?? 0, starts[row + 1] ?? 0];
    const own = numbers.subarray(row * dimensions, (row + 1) * dimensions);
    if (isSparseAt(words, start)) spread(words, start, own);
    else own.set(words.subarray(start, end));
  }
  return floatsOf(numbers);
}

/** Writes the numbers of a sparse row into an array of zeros. */
function spread(words: Words, start: number, numbers: Words): void {
  let next = firstNumber(start, numbers.length);
  for (let at = 0; at < marksOf(numbers.length); at += 1) {
    for (let mark = words[start + 1 + at] ?? 0; mark !== 0; mark &= mark - 1) {
      numbers[at * BITS_PER_WORD + lowestBit(mark)] = words[next] ?? 0;
      next += 1;
    }
  }
}

/** Returns where the row that begins at `start` ends. */
function endOfRow(words: Words, start: number, dimensions: number): number {
  if (!isSparseAt(words, start)) return start + dimensions;
  const first = firstNumber(start, dimensions);
  let end = first;
  for (let at = start + 1; at < first; at += 1) end += bitsIn(words[at] ?? 0);
  return end;
}

export function isSparseAt(words: Words, start: number): boolean {
  return (words[start] ?? 0) >= HEAD;
}

/** Returns where the numbers of a sparse row begin. */
export function firstNumber(start: number, dimensions: number): number {
  return start + 1 + marksOf(dimensions);
}

/** Returns how many words hold one mark per number. */
export function marksOf(dimensions: number): number {
  return Math.ceil(dimensions / BITS_PER_WORD);
}

export function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55_55_55_55);
  bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33);
  return Math.imul((bits + (bits >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** Returns the position of the lowest set bit of a word that is not 0. */
export function lowestBit(word: number): number {
  return BITS_PER_WORD - 1 - Math.clz32(word & -word);
}

/** Returns the same bits as floats. */
export function floatsOf({ buffer, byteOffset, length }: Words): Float32Array<ArrayBuffer> {
  return new Float32Array(buffer, byteOffset, length);
}

function wordsOf({ buffer, byteOffset, length }: Float32Array<ArrayBuffer>): Words {
  return new Uint32Array(buffer, byteOffset, length);
}
