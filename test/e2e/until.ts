/** Waiting for a state instead of for a time. */
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
/** Generous: machines that run several things at once are slow. */
const TIMEOUT_MS = 240_000;

/** Resolves with the first answer that is neither false, null nor undefined. */
export async function until<T>(
  what: string,
  look: () => Promise<T | false | null | undefined>,
): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found;
    await sleep(POLL_MS);
  }
  throw new Error(`Waited ${String(TIMEOUT_MS / 1_000)} s in vain until ${what}.`);
}
