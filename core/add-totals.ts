/** Adds counters with the same names, such as the results of several rounds, turns or runs. */
export function addTotals<T extends Readonly<Record<keyof T, number>>>(a: T, b: Partial<T>): T {
  const names = Object.keys(a) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + (b[name] ?? 0)])) as T;
}
