/** A rule of the judge: words and names that no cited source has. */
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import { wordSet } from '../text/stop-words.ts';

/** Words that may accompany a derived number. */
const DERIVED_WORDS = new Set(
  `average mean sum total altogether difference more less fewer most least than maximum
    minimum`.split(/\s+/u),
);

/** Verbs of beginning: what has held since a day began on that day. */
const BEGUN = wordSet('start started began begun begann begonnen angefangen empezó comenzó');

/** Returns the drop reason for words or names that no source has; null if there are none. */
export function unknownWords({ fact, claim, cover }: CitedClaim): DropReason | null {
  const isLasting = cover.places.some(({ sentence }) =>
    sentence.tokens.some(({ lower }) => /^(?:since|seit|desde)$/u.test(lower)),
  );
  const says = claim.words.some(({ kind }) => kind === 'Content' || kind === 'Value');
  if (!says) return 'NotInSource';
  const unknown = cover.unknown.filter(
    ({ lower }) => fact.derived == null || !DERIVED_WORDS.has(lower),
  );
  if (unknown.every(({ lower }) => isLasting && BEGUN.has(lower))) return null;
  return unknown.some(({ isName }) => isName) ? 'NameNotInSource' : 'NotInSource';
}
