/** Series of a counter that are there before anything was counted. */
import type { Counter } from 'prom-client';

/**
 * Adds 0 to every combination of the values of the labels.
 * @param values by label; empty where the row of the counter lists none
 */
export function startSeries(
  counter: Counter,
  values: Readonly<Record<string, readonly string[]>>,
): void {
  if (Object.keys(values).length === 0) return;
  for (const labels of combinations(Object.entries(values))) counter.inc(labels, 0);
}

function combinations(
  labels: readonly (readonly [string, readonly string[]])[],
): readonly Record<string, string>[] {
  const [first, ...rest] = labels;
  if (first === undefined) return [{}];
  const [name, values] = first;
  const others = combinations(rest);
  return values.flatMap((value) => others.map((other) => ({ [name]: value, ...other })));
}
