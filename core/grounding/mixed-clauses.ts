/** Checks attribution: whether the parts of a clause of a claim belong together in its sources. */
import type { Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { CitedClaim } from './cited-claim.ts';
import { ADDITIVE_CONJUNCTIONS } from './function-words.ts';
import { isDoneByAnother } from './other-actor.ts';
import type { DropReason } from './drop-reason.ts';
import { isFirst, isPossessive, isThing } from './pronouns-and-nouns.ts';
import type { Sentence, Word } from './parsed-sentence.ts';
import { roleWord } from './speaker.ts';
import type { CoveredPlace, Matches, Pair } from './word-coverage.ts';

/** Finds a claim that takes one part from one statement and another from an unrelated one. */
export function attributionDropReason(judged: CitedClaim): DropReason | null {
  const { claim, cover } = judged;
  // A computed number always comes from several sources.
  if (judged.fact.derived != null) return null;
  if (isSpokenByAnother(judged)) return 'AttributionDiffers';
  const clauses = Map.groupBy(claim.words, ({ clause }) => clause);
  for (const words of clauses.values()) {
    const own = words.filter(({ kind }) => kind === 'Content');
    if (isFromTwo(own, judged)) return 'AttributionDiffers';
    const isCross = cover.places.some((place) => isCrossed(own, claim, place));
    if (isCross) return 'AttributionDiffers';
  }
  return cover.places.some(
    (place) => isOtherNumber(claim, place) || isCleftApart(claim, place.matches),
  )
    ? 'AttributionDiffers'
    : null;
}

/** Whether the name after `的是` is from another clause than the words before: `演露露的是李娜`. */
function isCleftApart({ words }: Sentence, matches: Matches): boolean {
  const link = words.findIndex(({ lower }) => lower === '的是');
  if (link < 0) return false;
  const clausesOf = (part: readonly Word[]): readonly number[][] =>
    part.flatMap((word) => {
      const stated = matches.get(word) ?? [];
      return stated.length === 0 ? [] : [stated.map(({ clause }) => clause)];
    });
  const front = new Set(clausesOf(words.slice(0, link)).flat());
  return clausesOf(words.slice(link + 1)).some((stated) => !stated.some((each) => front.has(each)));
}

/** Whether one clause takes words from two sentences, and the later does not continue the first. */
function isFromTwo(own: readonly Word[], { cover }: CitedClaim): boolean {
  let main: CoveredPlace | undefined;
  let held = 0;
  for (const place of cover.places) {
    const count = own.filter((word) => place.matches.has(word)).length;
    if (count > held) [main, held] = [place, count];
  }
  if (main === undefined) return false;
  const { matches, sourceId, sentence } = main;
  return own.some((word) => {
    if (matches.has(word)) return false;
    const place = cover.places.find((each) => each.matches.has(word));
    if (place === undefined) return false;
    const goesOn = place.sourceId === sourceId && place.sentence.order < sentence.order;
    return !(goesOn && sentence.hasThird);
  });
}

/** Whether the claim is about a speaker by name, but the sentence is about somebody else. */
function isSpokenByAnother(judged: CitedClaim): boolean {
  const { cover, claim, language } = judged;
  const { saying, modifiers } = LEXICONS[language];
  const isSaying = ({ lower }: Word) =>
    saying.has(lower) || /^(?:advice|possibility)$/u.test(modifiers.get(lower) ?? '');
  if (isDoneByAnother(judged)) return true;
  if (claim.words.some(isSaying)) return false;
  if (cover.bySpeaker.size === 0 || language === 'zh') return false;
  const named = new Set([...cover.bySpeaker].map(({ clause }) => clause));
  return cover.places.some(({ sentence, matches }) => {
    const held = [...matches].filter(([word]) => named.has(word.clause));
    const clauses = new Set(held.flatMap(([, [stated]]) => stated?.clause ?? []));
    if (clauses.size === 0) return false;
    const isOwn = sentence.tokens.some(({ lower }) => LEXICONS[language].first.has(lower));
    for (const clause of clauses) {
      if (hasNoSubject(sentence, clause, language)) clauses.add(clause - 1);
    }
    const near = sentence.words.filter(({ clause }) => clauses.has(clause));
    const selves = near.filter((word) => isFirst(word, language));
    if (selves.length > 0) {
      return selves.every((word) => isOfAnother(word, { sentence, claim, named }));
    }
    const isOther = near.some(
      (word) =>
        word.isName &&
        !claim.words.some(({ lower, clause }) => lower === word.lower && named.has(clause)),
    );
    const isToYou =
      [...cover.bySpeaker].some(({ lower }) => roleWord(lower) !== 'user') &&
      near.some(({ lower }) => SECOND.has(lower));
    const isElsewhere = !isOwn && cover.places.some((place) => place.sentence.hasFirst);
    return isOther || isElsewhere || isToYou;
  });
}

/** Whether a clause has its subject in the clause before: `books and pays the hotel`. */
function hasNoSubject(sentence: Sentence, clause: number, language: Language): boolean {
  if (clause === 0) return false;
  const [joint, verb] = sentence.words.filter((word) => word.clause === clause);
  if (joint === undefined || verb === undefined || !ADDITIVE_CONJUNCTIONS.has(joint.lower))
    return false;
  return verb.kind === 'Content' && !verb.isName && !isThing(verb, sentence, language);
}

/** Whether `my` only owns somebody whom another clause of the claim is about: `my brother`. */
function isOfAnother(
  { lower, at }: Word,
  { sentence, claim, named }: { sentence: Sentence; claim: Sentence; named: ReadonlySet<number> },
): boolean {
  if (!isPossessive(lower)) return false;
  const owned = sentence.words.find((word) => word.at > at && word.kind === 'Content');
  const stated = claim.words.filter(({ key }) => key === owned?.key);
  return stated.length > 0 && !stated.some(({ clause }) => named.has(clause));
}

const SECOND = new Set('you your yours du dein deine usted tú tu'.split(' '));

/**
 * Whether a clause of the claim takes words from several clauses of a sentence, while the clause
 * with most of the words has another name, subject or word in that place.
 */
function isCrossed(
  own: readonly Word[],
  claim: Sentence,
  { sentence, matches }: CoveredPlace,
): boolean {
  const stated = own.flatMap((word): Pair[] => {
    const [first] = matches.get(word) ?? [];
    return first === undefined ? [] : [[word, first]];
  });
  const byClause = Map.groupBy(stated, ([, { clause }]) => clause);
  if (byClause.size < 2) return false;
  const [subject] = stated;
  const opens = subject?.[1].clause;
  // Of two clauses with equally many words, prefers the one without the subject.
  const [main = -1, other = -1] = [...byClause]
    .toSorted(
      (a, b) => b[1].length - a[1].length || Number(a[0] === opens) - Number(b[0] === opens),
    )
    .map(([clause]) => clause);
  const isEven = byClause.get(main)?.length === byClause.get(other)?.length;
  if (isEven && isOtherName(other, stated, { own, sentence })) return true;
  const inMain = sentence.words.filter(({ clause, kind }) => clause === main && kind === 'Content');
  const isHere = (word: Word): boolean => stated.some(([, other]) => other === word);
  const isAnywhere = (word: Word): boolean =>
    isHere(word) || claim.words.some(({ lower, key }) => lower === word.lower || key === word.key);
  const [opener] = inMain;
  if (opener !== undefined && subject !== undefined && subject[1].clause !== main) {
    if (!isHere(opener) && isAnywhere(opener)) return true;
    if (!isAnywhere(opener) && subject[1].clause > main) return true;
  }
  const closing = stated.at(-1)?.[1];
  if (
    opener !== undefined &&
    closing !== undefined &&
    closing.clause > main &&
    !isAnywhere(opener)
  ) {
    return true;
  }
  if (isOtherName(main, stated, { own, sentence })) return true;
  return stated.some(([, place], at) => {
    if (place.clause === main) return false;
    const before = stated[at - 1]?.[1];
    const behind = stated[at + 1]?.[1];
    if (before?.clause !== main || behind?.clause !== main) return false;
    return inMain.some((each) => each.at > before.at && each.at < behind.at && !isAnywhere(each));
  });
}

/** Whether the claim takes a name from another clause and leaves out a name of this one. */
function isOtherName(
  main: number,
  stated: readonly Pair[],
  { own, sentence }: { own: readonly Word[]; sentence: Sentence },
): boolean {
  const isLeftOut = sentence.words.some(
    (word) => word.clause === main && word.isName && !own.some(({ lower }) => lower === word.lower),
  );
  return isLeftOut && stated.some(([word, { clause }]) => word.isName && clause !== main);
}

/** Whether the claim takes a number from another clause than its words, which has its own one. */
function isOtherNumber(claim: Sentence, { sentence, matches }: CoveredPlace): boolean {
  const matched = [...matches.values()].flatMap(([first]) => first ?? []);
  const byClause = Map.groupBy(matched, ({ clause }) => clause);
  const [main = -1] = [...byClause].toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
  const own = claim.words.filter(({ kind }) => kind === 'Value');
  const values = sentence.words.filter(({ kind }) => kind === 'Value');
  const inMain = values.filter(({ clause }) => clause === main);
  if (own.length === 0 || inMain.length === 0) return false;
  const lowers = new Set(own.map(({ lower }) => lower));
  if (inMain.some(({ lower }) => lowers.has(lower))) return false;
  return values.some(({ lower, clause }) => clause !== main && lowers.has(lower));
}
