/** Puts an entry last in a map, which forgets its first one if it has more than `max`. */
export function keepNewest<Key, Value>(
  map: Map<Key, Value>,
  max: number,
  [key, value]: readonly [Key, Value],
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
