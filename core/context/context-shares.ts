/** How a context's token limit is shared among its parts. */

/** Share of the limit for stable parts and their headings; the rest is for the question. */
export const STABLE_SHARE = 0.5;
/** The session summary starts at the deepest text that fits this share. */
export const SESSION_SHARE_MAX = 1 / 3;
/** Share of the limit that related entities get before any other optional part. */
export const RELATED_SHARE = 0.4;
/** Initial share of the layer summaries if there are earlier turns to show. */
export const LAYER_SHARE = 0.25;
/** A latest turn that needs a larger share of the limit is not shown whole. */
export const LATEST_TURN_SHARE = 0.4;
/** The latest turns may be trimmed if they need a larger share of the limit. */
export const LATEST_TURNS_SHARE = 0.5;

/**
 * Default share of the limit, in percent, for text that tools and strangers wrote in earlier
 * turns. It holds no matter how relevant the text is; the policy can change it.
 */
const UNTRUSTED_PERCENT = 50;
const PERCENT = 100;

/** Returns how many tokens of a context may go to passages by tools and strangers. */
export function untrustedRoom({
  limit,
  untrustedPercent = UNTRUSTED_PERCENT,
}: {
  readonly limit: number;
  readonly untrustedPercent?: number | undefined;
}): number {
  return Math.floor((limit * untrustedPercent) / PERCENT);
}
