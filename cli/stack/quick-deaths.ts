/** When a part that is started again whenever it ends is given up: pure. */

/** Deaths in a row, each soon after a start, that end the installation. */
const QUICK_DEATHS_MAX = 5;
const QUICK_DEATH_MS = 60_000;

/** Quick deaths in a row after one more; a part that lived for a while begins anew. */
export function quickDeathsAfter(before: number, livedMs: number): number {
  return livedMs < QUICK_DEATH_MS ? before + 1 : 0;
}

export function isDeadLetter(quickDeaths: number): boolean {
  return quickDeaths >= QUICK_DEATHS_MAX;
}
