/** A few cases of a matrix, the same ones for the same seed: `VARVE_SEED=7 npm test -- e2e`. */

export const SEED = Number(process.env['VARVE_SEED'] ?? 1);

/** Park and Miller's generator: small, and the same on every machine. */
const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

/** At most `count` of the cases, chosen by the seed. */
export function seededSample<T>(cases: readonly T[], count: number, seed = SEED): readonly T[] {
  const left = [...cases];
  let state = (Math.abs(seed) % (MODULUS - 1)) + 1;
  return Array.from({ length: Math.min(count, left.length) }, () => {
    state = (state * MULTIPLIER) % MODULUS;
    return left.splice(state % left.length, 1);
  }).flat();
}
