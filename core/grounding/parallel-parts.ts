/**
 * Checks parallel parts: a source that says one thing of one and another of another, as in `90 days
 * for staff and 30 for admins`. What belongs to one part must not be joined to the other, so each
 * value, denial, condition and subject of a claim must keep the partner that it has in the source.
 */
import type { Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { Modifier } from './lexicon/lexicon.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import type { Sentence, Word } from './parsed-sentence.ts';
import {
  openersOf,
  parallelWordsOf,
  SUBORDINATE,
  subjectOf,
  type Read,
  type ParallelWords,
} from './parallel-words.ts';
import { isFirstPerson } from './pronouns-and-nouns.ts';
import { COORDINATORS, CONTRASTS, distributed, partsOf, type Part } from './sentence-parts.ts';
import type { Matches } from './word-coverage.ts';

/** A word of a claim's part, and the words of the sentence that it may stand for. */
interface Item {
  readonly own: Word;
  readonly stated: readonly Word[];
}

interface Compared extends Read {
  readonly judged: CitedClaim;
  readonly parts: readonly Part[];
  readonly matches: Matches;
}

/** Maximum parts of one sentence; in a longer one, nothing shows what belongs together. */
const PARTS_MAX = 200;

/** Finds a claim that joins what belongs to different parts of its sentences. */
export function partsDiffer(judged: CitedClaim): DropReason | null {
  const { claim, cover, language, fact } = judged;
  if (fact.derived != null) return null;
  const own = partsOf(claim, language);
  const spread = [...own, ...distributed(own, claim)];
  if (spread.slice(own.length).some((part) => isOfOtherSpeaker(part, judged)))
    return 'AttributionDiffers';
  if (spread.some((part) => isFromSeveral(part, judged))) return 'AttributionDiffers';
  for (const { sentence, matches } of cover.places) {
    const parts = partsOf(sentence, language);
    if (parts.length < 2) continue;
    if (parts.length > PARTS_MAX) return 'AttributionDiffers';
    const compared = { judged, sentence, language, parts, matches };
    if (spread.some((part) => isJoined(part, compared))) return 'AttributionDiffers';
    if (own.some((part) => isMisplaced(part, compared))) return 'AttributionDiffers';
    if (isOtherReason(own, compared)) return 'AttributionDiffers';
    if (isOtherSubject(own, compared)) return 'RolesDiffer';
  }
  return null;
}

/** Whether no sentence has all words and numbers of a part, and the best one has other ones. */
function isFromSeveral({ words }: Part, { cover }: CitedClaim): boolean {
  if (cover.places.length < 2) return false;
  const lacks = cover.places.map(({ sentence, matches }) =>
    words.filter(
      (word) =>
        (word.kind === 'Content' &&
          !cover.bySpeaker.has(word) &&
          !cover.unknown.includes(word) &&
          !matches.has(word)) ||
        (word.kind === 'Value' &&
          sentence.words.some(({ kind }) => kind === 'Value') &&
          !hasValue(sentence, word) &&
          cover.places.some((place) => hasValue(place.sentence, word))),
    ),
  );
  const goesOn = cover.places.some(
    ({ sentence, sourceId }) =>
      sentence.hasThird &&
      cover.places.some(
        (place) => place.sourceId === sourceId && place.sentence.order < sentence.order,
      ),
  );
  return !goesOn && lacks.every((each) => each.length > 0);
}

/** Whether a part names a speaker beside what only others say. */
function isOfOtherSpeaker({ words }: Part, { cover }: CitedClaim): boolean {
  return words.some((word) => {
    if (!cover.bySpeaker.has(word)) return false;
    const others = words.filter((each) => each.kind === 'Content' && !cover.bySpeaker.has(each));
    const saying = cover.places.filter(({ matches }) => others.every((each) => matches.has(each)));
    return (
      others.length > 0 &&
      saying.length > 0 &&
      saying.every(({ speaker }) => speaker.length > 0 && !speaker.includes(word.lower))
    );
  });
}

function hasValue({ words }: Sentence, { lower }: Word): boolean {
  return words.some((word) => word.kind === 'Value' && word.lower === lower);
}

/** Maximum places of one word in a sentence; further ones are not compared. */
const STATED_MAX = 16;

/** Pairs the words of a part of the claim with those of a sentence. */
function itemsOf({ words }: Part, { language, parts, matches }: Compared): readonly Item[] {
  const told = parts.flatMap((part) => part.words);
  return words.flatMap((own): Item[] => {
    const stated = isFirstPerson(own, language)
      ? told.filter((word) => isFirstPerson(word, language))
      : own.kind === 'Content'
        ? (matches.get(own) ?? []).filter((word) => told.includes(word))
        : told.filter(
            ({ kind, lower }) =>
              kind === own.kind &&
              (lower === own.lower || isSameModifier(own.lower, lower, language)),
          );
    return stated.length === 0 ? [] : [{ own, stated: stated.slice(0, STATED_MAX) }];
  });
}

function isSameModifier(own: string, stated: string, language: Language): boolean {
  const { modifiers } = LEXICONS[language];
  return modifiers.has(own) && modifiers.get(own) === modifiers.get(stated);
}

/** Returns the parts that a claim's part takes its words from: as few as possible, most first. */
function takenOf(
  items: readonly Item[],
  parts: readonly Part[],
): ReadonlyMap<Part, readonly Word[]> {
  const partOf = new Map(parts.flatMap((part) => part.words.map((word) => [word, part] as const)));
  const taken = new Map<Part, readonly Word[]>();
  let open = items;
  while (open.length > 0) {
    const counts = new Map<Part, number>();
    for (const { stated } of open) {
      for (const part of new Set(stated.flatMap((word) => partOf.get(word) ?? []))) {
        counts.set(part, (counts.get(part) ?? 0) + 1);
      }
    }
    const [best] = [...counts].toSorted(([one, a], [other, b]) => b - a || one.at - other.at);
    if (best === undefined) break;
    const [part] = best;
    const wordIn = ({ stated }: Item) => stated.find((word) => partOf.get(word) === part);
    taken.set(
      part,
      items.flatMap((item) => wordIn(item) ?? []),
    );
    open = open.filter((item) => wordIn(item) === undefined);
  }
  return taken;
}

/** Maximum parts of a sentence that one part of a claim may join. */
const JOINED_MAX = 8;

/** Whether a part of the claim joins parallel parts, or leaves out what limits one of them. */
function isJoined(part: Part, compared: Compared): boolean {
  const taken = takenOf(itemsOf(part, compared), compared.parts);
  const used = [...taken];
  if (used.length > JOINED_MAX) return true;
  const isCrossed = used.some(([one, words], at) =>
    used
      .slice(at + 1)
      .some(([other, others]) =>
        one.at < other.at
          ? isCross([one, words], [other, others], compared)
          : isCross([other, others], [one, words], compared),
      ),
  );
  if (isCrossed) return true;
  const [main] = used;
  return main !== undefined && isUnlimited(main, used, compared);
}

type Taken = readonly [part: Part, words: readonly Word[]];

/**
 * Whether two joined parts are parallel. The later one may leave out what it shares with the
 * earlier one: `every 90 days for staff and 30 for admins` has its verb only once.
 */
function isCross([one, words]: Taken, [other, others]: Taken, compared: Compared): boolean {
  if (isShared(one, other)) return false;
  const parallels = parallelWordsOf(one, other, compared);
  const isSet = isContrasted(one, other, compared);
  const openers = openersOf(one, other, { ...compared, isSet });
  const pairs = openers === null ? [...parallels] : [...parallels, openers];
  if (hasSubjectBetween(one, other, compared) || isHalfConditional(one, other)) return true;
  if (pairs.length === 0 && (!isSet || isOnlyMarked(one, other, compared))) return false;
  if (parallels.length === 0 && other.at === one.at + 1) pairs.push(...lastPair(one, other));
  const isWhole = other.words.every((word) => others.includes(word));
  return !isWhole || pairs.some(([word]) => words.includes(word));
}

/** Whether only one of two parts is a condition. */
function isHalfConditional(one: Part, other: Part): boolean {
  return one.modifiers.has('condition') !== other.modifiers.has('condition');
}

/** Whether only a semicolon sets two parts apart, which often joins what belongs together. */
function isOnlyMarked(one: Part, other: Part, { parts }: Compared): boolean {
  if (one.modifiers.has('negation') !== other.modifiers.has('negation')) return false;
  return parts.every(
    ({ at, opener }) =>
      at <= one.at || at > other.at || !CONTRASTS.has(opener) || /^[;；]$/u.test(opener),
  );
}

/** Whether another subject, which a later `she` may stand for, comes between two parts. */
function hasSubjectBetween(one: Part, other: Part, compared: Compared): boolean {
  const { parts, language } = compared;
  const first = subjectOf(one, compared);
  if (first === null || isFirstPerson(first, language)) return false;
  if (!SUBORDINATE.has(other.opener)) return false;
  return parts.slice(one.at + 1, other.at).some((part) => {
    const between = subjectOf(part, compared);
    return between !== null && between.key !== first.key;
  });
}

/** Pairs the only thing of a short part, as in `fish, but no meat`, with the last one before. */
function lastPair(one: Part, other: Part): readonly ParallelWords[] {
  const things = (part: Part): readonly Word[] =>
    part.words.filter(({ kind }) => kind === 'Content' || kind === 'Value');
  const [only, second] = things(other);
  const last = things(one).at(-1);
  return only === undefined || second !== undefined || last === undefined ? [] : [[last, only]];
}

/** Whether two parts are only two subjects of one verb: `the choir and the orchestra rehearse`. */
function isShared(one: Part, other: Part): boolean {
  return other.at === one.at + 1 && one.words.length === 1 && COORDINATORS.has(other.opener);
}

/** Whether a later part denies what an earlier one says, or a word sets it against that. */
function isContrasted(one: Part, other: Part, { parts }: Compared): boolean {
  if (one.modifiers.has('negation') !== other.modifiers.has('negation')) return true;
  return parts.some(({ at, opener }) => at > one.at && at <= other.at && CONTRASTS.has(opener));
}

/** Whether the claim leaves out the `for staff` of `90 days for staff and 30 for admins`. */
function isUnlimited([main, words]: Taken, used: readonly Taken[], compared: Compared): boolean {
  const all = new Set(used.flatMap(([, taken]) => taken));
  return compared.parts.some((other) => {
    if (other === main) return false;
    const parallels = parallelWordsOf(main, other, compared);
    const isOpposed =
      main.modifiers.has('negation') !== other.modifiers.has('negation') ||
      main.modifiers.has('only') !== other.modifiers.has('only');
    if (parallels.length < 2 && !(parallels.length === 1 && isOpposed)) return false;
    return words.length > 1 && parallels.some((pair) => !pair.some((word) => all.has(word)));
  });
}

/** Modifiers that belong to one part: another one must not get them. */
const PLACED: readonly Modifier[] = [
  'negation',
  'condition',
  'cause',
  'only',
  'all',
  'most',
  'half',
  'almost',
  'former',
  'until',
];

/** Whether a part of the claim has a condition, denial or limit of another part, or lacks one. */
function isMisplaced(part: Part, compared: Compared): boolean {
  const { sentence, parts } = compared;
  const items = itemsOf(part, compared).filter(({ own }) => own.kind !== 'Modifier');
  const from = [...takenOf(items, parts).keys()];
  const [main] = from;
  if (main === undefined) return false;
  const whole = sentence.modifiers.at(-1) ?? new Set();
  const isBrought = PLACED.some(
    (modifier) =>
      part.modifiers.has(modifier) &&
      whole.has(modifier) &&
      !from.some(({ modifiers }) => modifiers.has(modifier)) &&
      !(modifier === 'cause' && isExplaining(main, parts)),
  );
  const isLost = (['condition', 'negation'] as const).some(
    (modifier) => main.modifiers.has(modifier) && !part.modifiers.has(modifier),
  );
  return isBrought || isLost || EXCEPT.test(part.lower) !== EXCEPT.test(main.lower);
}

/** Whether what follows a part is its effect: `it rained, so we cancelled`. */
function isExplaining({ at }: Part, parts: readonly Part[]): boolean {
  return parts.some((part) => part.at === at + 1 && EFFECT.test(part.lower));
}

const EFFECT =
  /\b(?:so|hence|therefore|thus|deshalb|daher|deswegen|así que|por eso|por lo tanto)\b|所以|因此/u;

/** Begins a condition that must not come true. */
const EXCEPT = /\b(?:unless|es sei denn|außer wenn|a menos que|a no ser que)\b|除非/u;

const REASONS: readonly Modifier[] = ['cause', 'condition'];

/** Whether a reason or condition of the claim stands beside what it does not explain. */
function isOtherReason(own: readonly Part[], compared: Compared): boolean {
  const { parts } = compared;
  const homes = own.map((part) => [...takenOf(itemsOf(part, compared), parts).keys()]);
  return own.some((part, at) => {
    if (!REASONS.some((modifier) => part.modifiers.has(modifier))) return false;
    const [home] = homes[at] ?? [];
    const beside = [...(homes[at - 1] ?? []), ...(homes[at + 1] ?? [])];
    if (home === undefined || beside.length === 0 || beside.includes(home)) return false;
    if (!REASONS.some((modifier) => home.modifiers.has(modifier))) return false;
    return !beside.some((each) => Math.abs(each.at - home.at) === 1);
  });
}

/** Whether a part of the claim goes on with a subject that its part of the sentence has not. */
function isOtherSubject(own: readonly Part[], compared: Compared): boolean {
  const { judged, language, parts } = compared;
  const { cover } = judged;
  const subjects = new Map(
    parts.flatMap((part): [Word, Word | undefined][] => {
      const subject = subjectOf(part, compared);
      return subject === null ? [] : [[subject, nameBehind(subject, part)]];
    }),
  );
  if (subjects.size < 2) return false;
  const items = own.map((part) => itemsOf(part, compared));
  const named = new Set(items.flat().flatMap(({ stated }) => stated));
  const isSpoken = cover.bySpeaker.size > 0;
  return own.some((_, at) => {
    const [main] = takenOf(items[at] ?? [], parts).keys();
    const subject = main === undefined ? null : subjectOf(main, compared);
    const isNamed = (word: Word | undefined): boolean => word !== undefined && named.has(word);
    if (subject === null || isNamed(subject) || isNamed(subjects.get(subject))) return false;
    if (isFirstPerson(subject, language) && isSpoken) return false;
    return [...subjects].some(
      ([each, name]) => each.key !== subject.key && (isNamed(each) || isNamed(name)),
    );
  });
}

/** Returns the name right after a subject: `my sister Lena`. */
function nameBehind({ at }: Word, { words }: Part): Word | undefined {
  return words.find((word) => word.at === at + 1 && /^\p{Lu}/u.test(word.text));
}
