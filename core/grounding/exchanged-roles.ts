/**
 * Checks the order of roles: who does what to whom. `Ben paid Ana` does not support `Ana paid Ben`,
 * nor `moved from 9:30 to 10:00` a time of 9:30. The header of support-rules.ts says which other
 * rules check who did something.
 */
import type { Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { Token } from '../text/words-and-marks.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import { ARTICLES, GERMAN_PREPOSITIONS } from './function-words.ts';
import type { Sentence, Word } from './parsed-sentence.ts';
import { isPossessive, isThing } from './pronouns-and-nouns.ts';
import type { Matches, Pair } from './word-coverage.ts';

/**
 * Returns the drop reason for a claim that exchanges roles: the things around a verb are in the
 * opposite order. Null if it exchanges none.
 */
export function rolesDiffer({ claim, cover, language }: CitedClaim): DropReason | null {
  const clauses = Map.groupBy(claim.words, ({ clause }) => clause);
  for (const { sentence, matches } of cover.places) {
    if (isOldValue(claim, sentence)) return 'RolesDiffer';
    for (const words of clauses.values()) {
      const stated = words.flatMap((word): Pair[] =>
        cover.bySpeaker.has(word)
          ? firstPerson(word, sentence, { language, matches, words })
          : onlyPlace(word, sentence, matches),
      );
      if (isOtherOrder(stated, { language, claim, sentence })) return 'RolesDiffer';
    }
  }
  return null;
}

function onlyPlace(word: Word, sentence: Sentence, matches: Matches): Pair[] {
  const same =
    matches.get(word) ??
    (word.kind === 'Content' || word.lower.length < VERB_CHARS_MIN
      ? []
      : sentence.words.filter(({ key, kind }) => kind !== 'Value' && key === word.key));
  const [only, second] = same;
  return only === undefined || second !== undefined ? [] : [[word, only]];
}

/** Pairs a speaker's name with the only `I` in the clauses that match the clause of the claim. */
function firstPerson(
  word: Word,
  sentence: Sentence,
  parts: { language: Language; matches: Matches; words: readonly Word[] },
): Pair[] {
  const { first } = LEXICONS[parts.language];
  const near = new Set(
    parts.words.flatMap((each) => (parts.matches.get(each) ?? []).map(({ clause }) => clause)),
  );
  const all = sentence.words.filter(({ lower, clause }) => first.has(lower) && near.has(clause));
  const doers = all.filter(({ lower }) => !isPossessive(lower));
  const [only, second] = doers.length > 0 ? doers : all;
  return only === undefined || second !== undefined ? [] : [[word, only]];
}

/** Minimum length of a verb that shows who does what. */
const VERB_CHARS_MIN = 3;

interface OrderParts {
  readonly language: Language;
  readonly claim: Sentence;
  readonly sentence: Sentence;
}

function isOtherOrder(stated: readonly Pair[], parts: OrderParts): boolean {
  if (isExchanged(stated, parts) || isOwnerExchanged(stated, parts)) return true;
  if (stated.some((pair) => isOpposite(pair, parts))) return true;
  if (parts.language === 'zh') return stated.some((_, verb) => isTurnedRound(stated, verb, parts));
  const turned = stated.findIndex(
    ([own, other]) =>
      own.isPassive !== other.isPassive && !isThing(own, parts.claim, parts.language),
  );
  if (turned >= 0) return isWrongDoer(stated, turned, parts);
  if (parts.language === 'de' && stated.some((pair) => isOtherCase(pair, parts))) return true;
  return isSwapped(stated, parts) || stated.some((_, verb) => isTurnedRound(stated, verb, parts));
}

/** Whether passive and active disagree: the person after `by` must be the active subject. */
function isWrongDoer(stated: readonly Pair[], verb: number, parts: OrderParts): boolean {
  const middle = stated[verb];
  if (middle === undefined) return false;
  const isPassive = middle[0].isPassive;
  const { tokens } = isPassive ? parts.claim : parts.sentence;
  return stated.some(([own, other]) => {
    if (!isThing(own, parts.claim, parts.language)) return false;
    if (!isLedByDoer(tokens, isPassive ? own.at : other.at)) return false;
    return isPassive ? other.at > middle[1].at : own.at > middle[0].at;
  });
}

/** Maximum tokens from a preposition to its name: `by the head of`. */
const DOER_REACH = 4;

function isLedByDoer(tokens: readonly Token[], at: number): boolean {
  return tokens
    .slice(Math.max(0, at - DOER_REACH), at)
    .some(({ lower }) => /^(?:by|von|vom|durch|por)$/u.test(lower));
}

/** Whether a noun changes its case: `der` for `den` makes the object the subject. */
function isOtherCase([own, other]: Pair, { claim, sentence }: OrderParts): boolean {
  const one = caseAt(claim.tokens, own.at);
  const two = caseAt(sentence.tokens, other.at);
  return one !== null && two !== null && one !== two;
}

const CASES = new Map([
  ['der', 'subject'],
  ['ein', 'subject'],
  ['den', 'object'],
  ['dem', 'object'],
  ['einen', 'object'],
  ['einem', 'object'],
]);

/** Returns the case of a masculine noun; a feminine one does no harm, as `die` has no case here. */
function caseAt(tokens: readonly Token[], at: number): string | null {
  const before = tokens[at - 2]?.lower ?? '';
  const article = tokens[at - 1]?.lower ?? '';
  // After a preposition, the case does not show who acts.
  return GERMAN_PREPOSITIONS.has(before) ? null : (CASES.get(article) ?? null);
}

/** Words whose two sides must not be exchanged. */
const BETWEEN = new Set(
  'over than instead to against before after statt als que 向 比 给 把 被 由 从'.split(' '),
);

/** Whether the claim exchanges two sides, as of `prefers tea over coffee` or `from 30 to 14`. */
function isExchanged(stated: readonly Pair[], { claim, sentence }: OrderParts): boolean {
  const pairs = [...stated, ...samePlaces(claim, sentence)].toSorted(([a], [b]) => a.at - b.at);
  return claim.tokens.some(({ lower }, at) => {
    if (!BETWEEN.has(lower) || !sentence.tokens.some((token) => token.lower === lower))
      return false;
    const before = pairs.findLast(([own]) => own.at < at)?.[1];
    const behind = pairs.find(([own]) => own.at > at)?.[1];
    if (before === undefined || behind === undefined || behind.at >= before.at) return false;
    return sentence.tokens.some(
      (token, place) => token.lower === lower && place > behind.at && place < before.at,
    );
  });
}

/** Whether owner and person change places: `the tenant's dog` for the landlord's dog. */
function isOwnerExchanged(stated: readonly Pair[], { claim, sentence }: OrderParts): boolean {
  const owners = stated.map(([own, other]) => [isOwner(own, claim), isOwner(other, sentence)]);
  const isLost = owners.some(([own, other]) => own === false && other === true);
  return isLost && owners.some(([own, other]) => own === true && other === false);
}

function isOwner({ at }: Word, { tokens }: Sentence): boolean {
  return /'s?$/u.test(tokens[at]?.lower ?? '');
}

/** Whether the claim says the opposite: `under` for `above the bakery`, `turned off` for `on`. */
function isOpposite([own, other]: Pair, { claim, sentence, language }: OrderParts): boolean {
  const { opposites } = LEXICONS[language];
  return SIDES.some((sideOf) => {
    const stated = sideOf(sentence.tokens, other.at);
    return opposites.get(sideOf(claim.tokens, own.at))?.has(stated) === true;
  });
}

/** Return the preposition before a word, skipping its article, and the particle after it. */
const SIDES: readonly ((tokens: readonly Token[], at: number) => string)[] = [
  (tokens, at) => {
    const before = tokens[at - 1]?.lower ?? '';
    return ARTICLES.has(before) ? (tokens[at - 2]?.lower ?? '') : before;
  },
  (tokens, at) => tokens[at + 1]?.lower ?? '',
];

/** Pairs numbers of the claim that occur once in the sentence. */
function samePlaces(claim: Sentence, sentence: Sentence): Pair[] {
  return claim.words.flatMap((word): Pair[] => {
    if (word.kind !== 'Value') return [];
    const [only, second] = sentence.words.filter(({ lower }) => lower === word.lower);
    return only === undefined || second !== undefined ? [] : [[word, only]];
  });
}

/** Whether the claim gives the old value: `moved from 9:30 to 10:00` means not at 9:30. */
function isOldValue(claim: Sentence, { tokens }: Sentence): boolean {
  if (claim.tokens.some(({ lower }) => FROM.has(lower))) return false;
  const own = new Set(claim.tokens.flatMap(({ kind, lower }) => (kind === 'Mark' ? [] : lower)));
  return tokens.some(({ lower }, at) => {
    if (!FROM.has(lower)) return false;
    const to = tokens.findIndex((each, place) => place > at + 1 && TO.has(each.lower));
    if (to < 0 || to - at > OLD_REACH) return false;
    const old = tokens.slice(at + 1, to).filter(({ kind }) => kind !== 'Mark');
    const next = tokens.slice(to + 1, to + 3).filter(({ kind }) => kind !== 'Mark');
    return (
      old.length > 0 &&
      old.every((each) => own.has(each.lower)) &&
      !next.some((each) => own.has(each.lower) && !old.some(({ lower: was }) => was === each.lower))
    );
  });
}

const FROM = new Set(['from', 'von', 'de']);
const TO = new Set(['to', 'auf', 'zu', 'a']);
/** Maximum tokens from `from` to `to`. */
const OLD_REACH = 8;

/** Whether the claim and the sentence begin with different shared things, one of them a name. */
function isSwapped(stated: readonly Pair[], { language, claim, sentence }: OrderParts): boolean {
  const things = stated.filter(
    ([own, other]) =>
      own.kind === 'Content' && isThing(own, claim, language) && isThing(other, sentence, language),
  );
  const [first] = things;
  const [inSource] = things.toSorted(([, a], [, b]) => a.at - b.at);
  if (first === undefined || inSource === undefined || language === 'de') return false;
  const isPersons = first[0].isName || inSource[0].isName;
  return isPersons && inSource !== first && inSource[1].clause === first[1].clause;
}

function isTurnedRound(
  stated: readonly Pair[],
  middle: number,
  { language, claim, sentence }: OrderParts,
): boolean {
  const verb = stated[middle];
  if (verb === undefined) return false;
  if (language !== 'zh' && isThing(verb[0], claim, language)) return false;
  const isNear = ([own]: Pair): boolean => isThing(own, claim, language);
  const before = stated.slice(0, middle).filter(isNear);
  const behind = stated.slice(middle + 1).filter(isNear);
  const isInverse = before.some(
    ([, a]) =>
      !isDoer(a.lower, language) && behind.some(([, b]) => b.at < verb[1].at && verb[1].at < a.at),
  );
  if (isInverse) return true;
  const subject = before.at(-1);
  const object = behind[0];
  if (
    language === 'en' &&
    object !== undefined &&
    subject === undefined &&
    object[1].at < verb[1].at &&
    object[1].clause === verb[1].clause &&
    object[0].isName &&
    claim.words.some(({ at, kind }) => at < verb[0].at && kind === 'Content') &&
    !sentence.words.some(
      ({ at, kind }) => kind === 'Content' && at > object[1].at && at < verb[1].at,
    )
  ) {
    return true;
  }
  if (language !== 'en' || subject === undefined || subject[1].at < verb[1].at) return false;
  const { clause, at } = verb[1];
  if (subject[1].clause !== clause || !isThing(subject[1], sentence, language)) return false;
  // Another actor than the claim's subject stands before the verb in the sentence.
  return sentence.words.some(
    (word) =>
      word.at < at &&
      word.clause === clause &&
      ((word.kind === 'Content' && isThing(word, sentence, language)) ||
        LEXICONS[language].first.has(word.lower)),
  );
}

/** Whether a pronoun is always a subject, wherever it stands: `el jarrón lo rompí yo`. */
function isDoer(lower: string, language: Language): boolean {
  return language !== 'en' && /^(?:yo|nosotr[oa]s|ich|wir)$/u.test(lower);
}
