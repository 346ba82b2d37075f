/** A few cases of a matrix, the same for the same seed: `VARVE_SEED=7 npm test -- e2e`. */

export const SEED = Number(process.env['VARVE_SEED'] ?? 1);

/** Park and Miller's generator: small, and the same on every machine. */
const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

/** At most `count` of the cases, chosen by the seed. */
export function seededSample<T>(cases: readonly T[], count: number, seed = SEED): readonly T[] {
  const left = [...cases];
  const choices = seededChoices(seed);
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(choices.below(left.length), 1),
  ).flat();
}

export interface Choices {
  /** A whole number from 0, below the bound. */
  below(bound: number): number;
  /** One of several; the same ones in the same order for the same seed. */
  one<T>(of: readonly [T, ...T[]] | readonly T[]): T;
}

export function seededChoices(seed: number): Choices {
  let state = (Math.abs(seed) % (MODULUS - 1)) + 1;
  const below = (bound: number): number => {
    state = (state * MULTIPLIER) % MODULUS;
    return state % bound;
  };
  return {
    below,
    one: (of) => {
      const chosen = of[below(of.length)];
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
      return chosen;
    },
  };
}
