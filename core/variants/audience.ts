/** An audience: the reader of a personalized variant of a summary (design 6.21). */
import { cutToTokens } from '../refresh/compose-depths.ts';
import { IDENTIFIER_OF, type Identifiers } from '../identifiers.ts';
import type { Layer } from '../layer.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { DEPTH_TOKENS_MAX } from '../records/summary.ts';
import type { Scope } from '../scope.ts';
import type { ServedSummary } from '../refresh/served-summary.ts';

/** The audience of the general summary, which is for everybody. */
export const GENERAL = '';

/** Kinds of audiences, preferred first: a user outlives its sessions. */
const KINDS = ['user', 'session'] as const satisfies readonly Layer[];

/**
 * Returns the audience for a read of a layer, as the key of the variant; null for the general
 * summary. A layer that belongs to a user or session needs no variant for its owner.
 */
export function audienceOf(layer: Layer, identifiers: Identifiers): string | null {
  for (const kind of KINDS) {
    const id = identifiers[IDENTIFIER_OF[kind]];
    if (id !== undefined && kind !== layer) return `${kind}:${id}`;
  }
  return null;
}

/**
 * Returns the scope whose summary describes the audience; null for a key that names no audience.
 */
export function scopeOfAudience(tenant: string, audience: string): Scope | null {
  for (const layer of KINDS) {
    const scopeId = audience.slice(layer.length + 1);
    if (audience.startsWith(`${layer}:`) && scopeId !== '') return { tenant, layer, scopeId };
  }
  return null;
}

/**
 * Returns the context of a variant: what the audience's own summary says now, with at most the
 * tokens of a paragraph. Null if there is nothing to say. It influences the choice of facts but is
 * never their source.
 */
export function personalizationContext(
  own: Pick<ServedSummary, 'depths'> | null,
  tokens: TokenCounter,
): string | null {
  const { paragraph, sentence, detailed } = own?.depths ?? {};
  const text = [paragraph, sentence, detailed].find((depth) => depth !== undefined)?.text ?? '';
  return text === '' ? null : cutToTokens(text, DEPTH_TOKENS_MAX.paragraph, tokens);
}
