/** Adds up counters of the same names, such as what several rounds, turns or runs did. */
export function addTotals<T extends Readonly<Record<keyof T, number>>>(a: T, b: Partial<T>): T {
  const names = Object.keys(a) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + (b[name] ?? 0)])) as T;
}
