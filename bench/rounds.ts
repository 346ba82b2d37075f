/**
 * Interleaved rounds: each round runs every contender once, in alternating order, so that whatever
 * slows the machine down slows all of them. Compares CPU time of the whole process, including its
 * worker threads, since wall time means nothing on a shared machine.
 */

export interface Contender {
  readonly name: string;
  /** Runs one operation; `at` counts up over all rounds, so that no two use the same question. */
  run(at: number): Promise<unknown>;
  /** CPU milliseconds used so far, if it works in a process of its own. */
  cpuMs?(): number | Promise<number>;
}

export interface Timing {
  /** CPU milliseconds of one operation, one value for each round. */
  readonly cpuMs: readonly number[];
  /** The same in wall time. */
  readonly wallMs: readonly number[];
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

const MICROSECONDS = 1_000;

/** Returns each contender's timings by name; a first, uncounted round warms everything up. */
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

/** CPU milliseconds that this process has used. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROSECONDS;
}

/** Returns the median, least and greatest of the ratios of the rounds. */
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

/** Formats the median and the range for people. */
export function shown({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
