/** An audience: whom a personalized variant of a summary is for (design 6.21). */
import { cutToTokens } from '../refresh/compose-depths.ts';
import { IDENTIFIER_OF, type Identifiers } from '../identifiers.ts';
import type { Layer } from '../layer.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { DEPTH_TOKENS_MAX } from '../records/summary.ts';
import type { Scope } from '../scope.ts';
import type { ServedSummary } from '../refresh/served-summary.ts';

/** The audience of the summary that is for everybody. */
export const GENERAL = '';

/** Kinds of audiences, the one that is preferred first: a user outlives its sessions. */
const KINDS = ['user', 'session'] as const satisfies readonly Layer[];

/**
 * Whom a read of a layer is for, as the key of the variant; null where it is for no one in
 * particular. What is a user's or a session's own needs no variant for its owner.
 */
export function audienceOf(layer: Layer, identifiers: Identifiers): string | null {
  for (const kind of KINDS) {
    const id = identifiers[IDENTIFIER_OF[kind]];
    if (id !== undefined && kind !== layer) return `${kind}:${id}`;
  }
  return null;
}

/** The scope whose summary says who the audience is; null for a key that names none. */
export function scopeOfAudience(tenant: string, audience: string): Scope | null {
  for (const layer of KINDS) {
    const scopeId = audience.slice(layer.length + 1);
    if (audience.startsWith(`${layer}:`) && scopeId !== '') return { tenant, layer, scopeId };
  }
  return null;
}

/**
 * The context of a variant: what the audience's own summary says of it now, in at most the tokens
 * of a paragraph. Null where there is nothing to say. It shapes the choice of facts and is never
 * the source of one.
 */
export function personalizationContext(
  own: Pick<ServedSummary, 'depths'> | null,
  tokens: TokenCounter,
): string | null {
  const { paragraph, sentence, detailed } = own?.depths ?? {};
  const text = [paragraph, sentence, detailed].find((depth) => depth !== undefined)?.text ?? '';
  return text === '' ? null : cutToTokens(text, DEPTH_TOKENS_MAX.paragraph, tokens);
}
