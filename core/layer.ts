/** The seven layers, from the most specific to the most general, and the one precedence table. */
import { z } from 'zod';

/** The lower number wins. The only place that defines the order of layers (design 6.1). */
export const PRECEDENCE = {
  agent: 1,
  user: 2,
  session: 3,
  project: 4,
  team: 5,
  org: 6,
  company: 7,
} as const satisfies Record<string, number>;

export type Layer = keyof typeof PRECEDENCE;

/** Layers by precedence, the most specific first. */
export const LAYERS = Object.freeze(Object.keys(PRECEDENCE)) as readonly Layer[];

export const Layer = z.enum(['agent', 'user', 'session', 'project', 'team', 'org', 'company']);

/** Makes a value for each layer. */
export function forEachLayer<T>(make: (layer: Layer) => T): Record<Layer, T> {
  return Object.fromEntries(LAYERS.map((layer) => [layer, make(layer)])) as Record<Layer, T>;
}

export function isLayer(value: unknown): value is Layer {
  return typeof value === 'string' && Object.hasOwn(PRECEDENCE, value);
}

/** Sorts by precedence, the most specific layer first. */
export function byPrecedence(a: { layer: Layer }, b: { layer: Layer }): number {
  return PRECEDENCE[a.layer] - PRECEDENCE[b.layer];
}
