/**
 * Interleaved rounds: each round runs every contender once, the first of one round the last of the
 * next, so that what slows the machine down slows all of them. Compared is CPU time of the whole
 * process, its worker threads included, since a machine shared with others has no wall time.
 */

export interface Contender {
  readonly name: string;
  /** One operation; `at` counts up over all rounds, so that no two have the same question. */
  run(at: number): Promise<unknown>;
  /** Milliseconds of CPU used so far, where it works in a process of its own. */
  cpuMs?(): number | Promise<number>;
}

export interface Timing {
  /** Milliseconds of CPU for one operation, one value a round. */
  readonly cpuMs: readonly number[];
  /** The same in time of the clock on the wall. */
  readonly wallMs: readonly number[];
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

const MICROSECONDS = 1_000;

/** Each contender's timings by name; a first round that is not counted warms everything up. */
export async function interleave(
  contenders: readonly Contender[],
  { rounds, operations }: { rounds: number; operations: number },
): Promise<ReadonlyMap<string, Timing>> {
  const timings = new Map(
    contenders.map(({ name }) => [name, { cpuMs: [] as number[], wallMs: [] as number[] }]),
  );
  for (let round = 0; round <= rounds; round += 1) {
    const turned = round % contenders.length;
    const order = [...contenders.slice(turned), ...contenders.slice(0, turned)];
    for (const { name, run, cpuMs = ownCpuMs } of order) {
      const before = await cpuMs();
      const wall = performance.now();
      for (let at = 0; at < operations; at += 1) await run(round * operations + at);
      const wallMs = (performance.now() - wall) / operations;
      const used = (await cpuMs()) - before;
      if (round === 0) continue;
      timings.get(name)?.cpuMs.push(used / operations);
      timings.get(name)?.wallMs.push(wallMs);
    }
  }
  return timings;
}

/** Milliseconds of CPU that this process has used. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROSECONDS;
}

/** Of the ratios of each round: the value, the least and the greatest. */
export function ratio(ours: readonly number[], theirs: readonly number[]): Spread {
  return spread(ours.map((value, at) => value / (theirs[at] ?? Number.NaN)));
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return {
    median: (lower + upper) / 2,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

/** As a person reads it: the median, and between which values. */
export function shown({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
