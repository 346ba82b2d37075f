/** Random numbers from a seed: Park and Miller's generator, the same on every machine. */
const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

export interface Dice {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True in so many of a hundred throws. */
  percent(share: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** Undefined of an empty list. */
  any<T>(from: readonly T[]): T | undefined;
}

export function diceOf(seed: number): Dice {
  let state = (Math.abs(seed) % (MODULUS - 1)) + 1;
  const below = (limit: number): number => {
    state = (state * MULTIPLIER) % MODULUS;
    return Math.floor((state / MODULUS) * limit);
  };
  // Neighboring seeds begin alike.
  for (let warm = 0; warm < 4; warm += 1) below(1);
  return {
    below,
    percent: (share) => below(100) < share,
    pick: <T>(from: readonly [T, ...T[]]): T => from[below(from.length)] ?? from[0],
    any: (from) => from[below(from.length)],
  };
}
