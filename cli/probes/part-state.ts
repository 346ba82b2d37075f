/** What a process knows of the parts that it needs, and what that says to a probe. Pure. */
import type { ProbeAnswer } from '#api/probes.ts';

/** Rounds come every 5 s and end within 4: after six missed ones the loop itself is stuck. */
export const ROUND_SILENCE_MS_MAX = 30_000;

/**
 * `Always`: without it no call can be served. `Once`: it must have answered since the start, which
 * shows a wrong address before the old pods go; later calls are served without it.
 */
export type PartNeed = 'Always' | 'Once';

export interface PartState {
  /** In words for a person, such as `the store`. */
  readonly part: string;
  readonly need: PartNeed;
  /** Whether it ever answered. */
  readonly wasReached: boolean;
  /** What is wrong now; null where it answered, or was not asked yet. */
  readonly problem: string | null;
}

export interface RoundsState {
  /** Milliseconds of a clock that never goes back, when the last round ended. */
  readonly endedAt: number;
  readonly parts: readonly PartState[];
}

export function aliveAnswer({ endedAt }: RoundsState, now: number): ProbeAnswer {
  const silence = now - endedAt;
  if (silence <= ROUND_SILENCE_MS_MAX) return { ok: true, findings: [] };
  const seconds = String(Math.round(silence / 1_000));
  return { ok: false, findings: [`the parts were not looked at for ${seconds} s; start it anew`] };
}

export function readyAnswer(state: RoundsState, now: number): ProbeAnswer {
  const alive = aliveAnswer(state, now);
  const findings = [...alive.findings];
  let ok = alive.ok;
  for (const { part, need, wasReached, problem } of state.parts) {
    if (problem !== null) findings.push(`${part}: ${problem}`);
    else if (!wasReached) findings.push(`${part}: not asked yet`);
    ok &&= need === 'Once' ? wasReached : wasReached && problem === null;
  }
  return { ok, findings };
}
