/**
 * What only the API server checks by CEL, written beside the zod schema whose rule it repeats:
 * `x-kubernetes-…` keys that zod carries along and crds/print-crds.ts prints.
 */
import type { z } from 'zod';
import { formatDuration } from '#core/duration.ts';

export interface CelRule {
  /** CEL over `self`, and `oldSelf` for what must not change. */
  readonly rule: string;
  /** What a person reads who broke it: what is expected, and nothing of CEL. */
  readonly message: string;
  /** Where the mistake is shown, such as `.maxAge`; the value itself where it is left out. */
  readonly fieldPath?: string;
}

export function withRules<T extends z.ZodType>(schema: T, ...rules: readonly CelRule[]): T {
  return schema.meta({ 'x-kubernetes-validations': rules });
}

/** Entries are known by a key: it stands once, and two managers may own different entries. */
export function asListMap<T extends z.ZodType>(schema: T, key: string): T {
  return schema.meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
}

/** Each value stands once, and order means nothing. */
export function asSet<T extends z.ZodType>(schema: T): T {
  return schema.meta({ 'x-kubernetes-list-type': 'set' });
}

/**
 * Milliseconds of a duration in CEL, whose own `duration()` knows no days. Integers all the way:
 * seven digits of days stay far below 2^63.
 */
export function celMillis(duration: string): string {
  const size =
    "p.endsWith('ms') ? 1 : p.endsWith('s') ? 1000 : p.endsWith('m') ? 60000 : " +
    "p.endsWith('h') ? 3600000 : 86400000";
  return `${duration}.findAll('[0-9]+[dhms]+').map(p, int(p.find('[0-9]+')) * (${size})).sum()`;
}

/** That a duration lies in a range; the pattern of durations is checked by the schema. */
export function durationRange(minMs: number, maxMs: number): CelRule {
  const millis = celMillis('self');
  const least = minMs === 0 ? '' : `${millis} >= ${String(minMs)} && `;
  return {
    rule: `${least}${millis} <= ${String(maxMs)}`,
    message: `expected a duration of ${formatDuration(minMs)} to ${formatDuration(maxMs)}`,
  };
}

export const IMMUTABLE = 'self == oldSelf';

/** A text constant in CEL. */
export function celText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** A map constant in CEL, such as the defaults of the layers. */
export function celMap(entries: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(entries).map(
    ([key, value]) =>
      `${celText(key)}: ${typeof value === 'number' ? String(value) : celText(value)}`,
  );
  return `{${pairs.join(', ')}}`;
}
