/**
 * What Kubernetes adds to the schema of a field: rules in CEL, and lists whose entries have keys or
 * are unique. A rule in CEL is for the API server alone; it stands next to the zod schema whose
 * check it repeats. zod carries the `x-kubernetes-…` keys along; crds/print-crds.ts prints them.
 */
import type { z } from 'zod';
import { formatDuration } from '#core/duration.ts';

export interface CelRule {
  /** CEL over `self`, and over `oldSelf` for immutable values. */
  readonly rule: string;
  /** The message for the person who broke the rule: what is expected, without CEL. */
  readonly message: string;
  /** The field where the mistake is shown, such as `.maxAge`; the value itself if absent. */
  readonly fieldPath?: string;
}

export function withRules<T extends z.ZodType>(schema: T, ...rules: readonly CelRule[]): T {
  return schema.meta({ 'x-kubernetes-validations': rules });
}

/** Entries are identified by a unique key, and two managers may own different entries. */
export function asListMap<T extends z.ZodType>(schema: T, key: string): T {
  return schema.meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
}

/** Values are unique, and their order means nothing. */
export function asSet<T extends z.ZodType>(schema: T): T {
  return schema.meta({ 'x-kubernetes-list-type': 'set' });
}

/**
 * Returns CEL for the milliseconds of a duration, since CEL's own `duration()` has no days.
 * Integers throughout: seven digits of days stay far below 2^63.
 */
export function celMillis(duration: string): string {
  const size =
    "p.endsWith('ms') ? 1 : p.endsWith('s') ? 1000 : p.endsWith('m') ? 60000 : " +
    "p.endsWith('h') ? 3600000 : 86400000";
  return `${duration}.findAll('[0-9]+[dhms]+').map(p, int(p.find('[0-9]+')) * (${size})).sum()`;
}

/** Requires a duration within a range; the schema checks the pattern of durations. */
export function durationRange(minMs: number, maxMs: number): CelRule {
  const millis = celMillis('self');
  const least = minMs === 0 ? '' : `${millis} >= ${String(minMs)} && `;
  return {
    rule: `${least}${millis} <= ${String(maxMs)}`,
    message: `expected a duration of ${formatDuration(minMs)} to ${formatDuration(maxMs)}`,
  };
}

/** For what cannot change: with another value, it would be another resource with other records. */
export const stays = (name: string): CelRule => ({
  rule: 'self == oldSelf',
  message: `${name} cannot be changed; delete the resource and make one with another ${name}`,
});

/** Returns a text constant in CEL. */
export function celText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** Returns a map constant in CEL, such as the defaults of the layers. */
export function celMap(entries: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(entries).map(
    ([key, value]) =>
      `${celText(key)}: ${typeof value === 'number' ? String(value) : celText(value)}`,
  );
  return `{${pairs.join(', ')}}`;
}
