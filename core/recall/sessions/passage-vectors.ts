/**
 * Vectors of passages, in six bits per number. That suffices for ranking: a cosine is off by some
 * thousandths, while neighbors in rank differ by hundredths. A turn keeps them as text, one
 * character per number, and a session in memory as one byte per number.
 */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LEVELS = 31;
const MIDDLE = 32;
/** By UTF-16 code unit of a digit: its level plus `MIDDLE` plus 1; 0 for no digit. */
const LEVEL_OF = new Uint8Array(0x1_00_00);
for (let level = 0; level < DIGITS.length; level += 1) {
  LEVEL_OF[DIGITS.codePointAt(level) ?? 0] = level + 1;
}

/** Encodes a vector. @param vector of any nonzero length */
export function encodePassage(vector: readonly number[]): string {
  const most = vector.reduce((all, value) => Math.max(all, Math.abs(value)), 0);
  const scale = most === 0 ? 0 : LEVELS / most;
  return vector.map((value) => DIGITS.charAt(MIDDLE + Math.round(value * scale))).join('');
}

/** The vectors of a session's passages. */
export interface PassageVectors {
  /** Numbers of each vector. */
  readonly dimensions: number;
  /** The vectors of all passages, one after the other; zeros for a passage without one. */
  readonly levels: Int8Array;
  /** By passage: the factor that gives its vector length 1; 0 for a passage without one. */
  readonly scales: Float64Array;
  /** By turn: the same for the sum of its passages' vectors. */
  readonly turnScales: Float64Array;
}

/** The encoded vectors of a turn, if it has one for each of its passages. */
export interface TurnVectors {
  /** Its first passage in the session. */
  readonly first: number;
  readonly codes: readonly string[];
}

/**
 * Decodes the vectors of a session; null if it has none. A turn keeps its vectors only if each can
 * be read and has as many numbers as the first one of the session.
 * @param passages how many the session has
 */
export function passageVectors(
  turns: readonly (TurnVectors | null)[],
  passages: number,
): PassageVectors | null {
  const dimensions = turns.find((turn) => turn !== null)?.codes[0]?.length ?? 0;
  if (dimensions === 0) return null;
  const levels = new Int8Array(passages * dimensions);
  const scales = new Float64Array(passages);
  const turnScales = new Float64Array(turns.length);
  for (const [at, turn] of turns.entries()) {
    if (turn === null) continue;
    const { first, codes } = turn;
    const lengths = codes.map((code, place) =>
      code.length === dimensions ? decodeInto(levels, (first + place) * dimensions, code) : 0,
    );
    if (lengths.includes(0)) {
      levels.fill(0, first * dimensions, (first + codes.length) * dimensions);
      continue;
    }
    for (const [place, length] of lengths.entries()) scales[first + place] = 1 / length;
    turnScales[at] = turnScale({ levels, scales, dimensions }, first, first + codes.length);
  }
  return { dimensions, levels, scales, turnScales };
}

/** Writes the numbers of a vector and returns its length; 0 if the text is no vector. */
function decodeInto(levels: Int8Array, from: number, code: string): number {
  let squares = 0;
  for (let at = 0; at < code.length; at += 1) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- a pair is no digit
    const digit = LEVEL_OF[code.charCodeAt(at)] ?? 0;
    if (digit === 0) return 0;
    const level = digit - 1 - MIDDLE;
    levels[from + at] = level;
    squares += level * level;
  }
  return Math.sqrt(squares);
}

function turnScale(
  { levels, scales, dimensions }: Pick<PassageVectors, 'levels' | 'scales' | 'dimensions'>,
  first: number,
  end: number,
): number {
  if (end - first === 1) return 1;
  let squares = 0;
  for (let at = 0; at < dimensions; at += 1) {
    let sum = 0;
    for (let place = first; place < end; place += 1) {
      sum += (levels[place * dimensions + at] ?? 0) * (scales[place] ?? 0);
    }
    squares += sum * sum;
  }
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}

/**
 * Returns the cosine of a passage and a vector; NaN if the passage has no vector of that size.
 * @param asked of length 1
 */
export function cosineAt(
  vectors: PassageVectors | null,
  place: number,
  asked: Float32Array,
): number {
  if (vectors === null || vectors.dimensions !== asked.length) return Number.NaN;
  const { levels, dimensions } = vectors;
  const scale = vectors.scales[place] ?? 0;
  if (scale === 0) return Number.NaN;
  return scale * dot(levels, place * dimensions, asked);
}

/** Adds in four sums: in one, each addition waits for the one before, which takes half longer. */
function dot(levels: Int8Array, from: number, asked: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < asked.length; at += 4) {
    first += (levels[from + at] ?? 0) * (asked[at] ?? 0);
    second += (levels[from + at + 1] ?? 0) * (asked[at + 1] ?? 0);
    third += (levels[from + at + 2] ?? 0) * (asked[at + 2] ?? 0);
    fourth += (levels[from + at + 3] ?? 0) * (asked[at + 3] ?? 0);
  }
  for (; at < asked.length; at += 1) first += (levels[from + at] ?? 0) * (asked[at] ?? 0);
  return first + second + third + fourth;
}
