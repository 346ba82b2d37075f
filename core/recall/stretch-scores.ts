/**
 * Means over stretches of a conversation. They read dozens of turns around each of all turns of
 * long sessions, so the loops are laid out for the processor; each sum is in the order of turns.
 */

/** Turns around a turn that count, by a bell curve of this width, and the farthest that do. */
const STRETCH_TURNS = 15;
const REACH = Math.ceil(STRETCH_TURNS * 2.5);

/** By distance. */
const BELL = Float64Array.from({ length: REACH + 1 }, (_, distance) =>
  Math.exp(-(distance ** 2) / (2 * STRETCH_TURNS ** 2)),
);

/** Turns whose sums are made at the same time, since one sum waits for each of its additions. */
const AT_ONCE = 4;

/** The bell from its left end to its right one, with zeros for the turns that are made beside. */
const WINDOW = Float64Array.from({ length: 2 * (REACH + AT_ONCE - 1) + 1 }, (_, at) =>
  at < AT_ONCE - 1 ? 0 : (BELL[Math.abs(at - (AT_ONCE - 1) - REACH)] ?? 0),
);
const STEPS = WINDOW.length - (AT_ONCE - 1);

/** Sums of the weights by how many turns there are before and after, each at most `REACH`. */
const WEIGHTS = Array.from({ length: REACH + 1 }, (_, before) => weightsAfter(before));

function weightsAfter(before: number): Float64Array {
  const sums = new Float64Array(REACH + 1);
  let sum = 0;
  for (let distance = -before; distance <= REACH; distance += 1) {
    sum += BELL[Math.abs(distance)] ?? 0;
    if (distance >= 0) sums[distance] = sum;
  }
  return sums;
}

/** Where a session is in an array over turns. */
export interface Stretch {
  readonly first: number;
  readonly end: number;
}

/** Returns the mean around each turn of some sessions, weighted by a bell curve; 0 elsewhere. */
export function stretchScores(own: Float64Array, sessions: readonly Stretch[]): Float64Array {
  const means = new Float64Array(own.length);
  const longest = sessions.reduce((most, { first, end }) => Math.max(most, end - first), 0);
  const padded = new Float64Array(longest + WINDOW.length);
  for (const { first, end } of sessions) {
    padded.fill(0).set(own.subarray(first, end), REACH);
    for (let at = first; at < end; at += AT_ONCE) addMeans(means, padded, { first, end, at });
  }
  return means;
}

/** @param padded the scores of the session, from `REACH` on */
function addMeans(
  means: Float64Array,
  padded: Float64Array,
  { first, end, at }: Stretch & { readonly at: number },
): void {
  let [one, two, three, four] = [0, 0, 0, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const score = padded[at - first + step] ?? 0;
    one += (WINDOW[step + 3] ?? 0) * score;
    two += (WINDOW[step + 2] ?? 0) * score;
    three += (WINDOW[step + 1] ?? 0) * score;
    four += (WINDOW[step] ?? 0) * score;
  }
  means[at] = one / weightAt(at, first, end);
  if (at + 1 < end) means[at + 1] = two / weightAt(at + 1, first, end);
  if (at + 2 < end) means[at + 2] = three / weightAt(at + 2, first, end);
  if (at + 3 < end) means[at + 3] = four / weightAt(at + 3, first, end);
}

/** Returns the sum of the weights around a turn. */
function weightAt(at: number, first: number, end: number): number {
  return WEIGHTS[Math.min(REACH, at - first)]?.[Math.min(REACH, end - 1 - at)] ?? 1;
}
