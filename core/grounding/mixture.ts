/** Mixtures: whether what a claim says in one breath stands together in what it cites. */
import type { Language } from '../text/language.ts';
import { LEXICONS } from '../text/lexicon/lexicons.ts';
import type { Case } from './case.ts';
import type { DropReason } from './drop-reason.ts';
import type { Matches, Pair } from './order.ts';
import type { Sentence, Word } from './passage.ts';
import { roleWord } from './speaker.ts';

/** One part of a claim from one statement, and one from another, that nothing joins. */
export function mixed(judged: Case): DropReason | null {
  const { claim, cover } = judged;
  // A computed number is of several sources by its nature.
  if (judged.fact.derived != null) return null;
  if (isSpokenByAnother(judged)) return 'AttributionDiffers';
  const clauses = Map.groupBy(claim.words, ({ clause }) => clause);
  for (const words of clauses.values()) {
    const own = words.filter(({ kind }) => kind === 'Content');
    if (isFromTwo(own, judged)) return 'AttributionDiffers';
    const isCross = cover.places.some((place, at) =>
      isCrossed(own, { claim, sentence: place.sentence, matches: cover.matches[at] ?? NONE }),
    );
    if (isCross) return 'AttributionDiffers';
  }
  return cover.places.some(({ sentence }, at) =>
    isOtherNumber(claim, sentence, [...(cover.matches[at] ?? NONE).values()]),
  )
    ? 'AttributionDiffers'
    : null;
}

const NONE: Matches = new Map();

/** The words of one clause stand in two sentences, and the later does not go on with the first. */
function isFromTwo(own: readonly Word[], { cover }: Case): boolean {
  let best = -1;
  let held = 0;
  for (const [at, matches] of cover.matches.entries()) {
    const count = own.filter((word) => matches.has(word)).length;
    if (count > held) [best, held] = [at, count];
  }
  const main = cover.places[best];
  if (main === undefined) return false;
  const left = own.filter((word) => cover.matches[best]?.has(word) === false);
  return left.some((word) => {
    const at = cover.matches.findIndex((matches) => matches.has(word));
    const place = cover.places[at];
    if (place === undefined) return false;
    const goesOn = place.sourceId === main.sourceId && place.sentence.order < main.sentence.order;
    return !(goesOn && main.sentence.hasThird);
  });
}

/** The speaker is named for who says `I`, and nobody says it where the claim rests. */
function isSpokenByAnother({ cover, claim, language }: Case): boolean {
  if (cover.bySpeaker.size === 0 || language === 'zh') return false;
  const { saying } = LEXICONS[language];
  if (claim.words.some(({ lower }) => saying.has(lower))) return false;
  const named = new Set([...cover.bySpeaker].map(({ clause }) => clause));
  return cover.places.some(({ sentence }, at) => {
    const held = [...(cover.matches[at] ?? NONE)].filter(([word]) => named.has(word.clause));
    const clauses = new Set(held.flatMap(([, [told]]) => told?.clause ?? []));
    if (clauses.size === 0) return false;
    const isOwn = sentence.tokens.some(({ lower }) => LEXICONS[language].first.has(lower));
    const near = sentence.words.filter(({ clause }) => clauses.has(clause));
    if (near.some(({ lower, text }) => isFirst(lower, text, language))) return false;
    const isOther = near.some(
      (word) => word.isName && !claim.words.some(({ lower }) => lower === word.lower),
    );
    const isToYou =
      [...cover.bySpeaker].some(({ lower }) => roleWord(lower) !== 'user') &&
      near.some(({ lower }) => SECOND.has(lower));
    const isElsewhere = !isOwn && cover.places.some((place) => place.sentence.hasFirst);
    return isOther || isElsewhere || isToYou;
  });
}

const SECOND = new Set('you your yours du dein deine usted tú tu'.split(' '));

function isFirst(lower: string, text: string, language: Language): boolean {
  const { first } = LEXICONS[language];
  return first.has(lower) || first.has(text.toLowerCase());
}

/**
 * A clause of the claim takes words of several clauses of a sentence, and the one that holds most
 * of it has another name, subject or word in their place.
 */
function isCrossed(
  own: readonly Word[],
  { claim, sentence, matches }: { claim: Sentence; sentence: Sentence; matches: Matches },
): boolean {
  const told = own.flatMap((word): Pair[] => {
    const [first] = matches.get(word) ?? [];
    return first === undefined ? [] : [[word, first]];
  });
  const byClause = Map.groupBy(told, ([, { clause }]) => clause);
  if (byClause.size < 2) return false;
  const [subject] = told;
  const opens = subject?.[1].clause;
  // Of two that hold as much, the one that the subject does not stand in.
  const [main = -1] =
    [...byClause].toSorted(
      (a, b) => b[1].length - a[1].length || Number(a[0] === opens) - Number(b[0] === opens),
    )[0] ?? [];
  const inMain = sentence.words.filter(({ clause, kind }) => clause === main && kind === 'Content');
  const isHere = (word: Word): boolean => told.some(([, other]) => other === word);
  const isAnywhere = (word: Word): boolean =>
    isHere(word) || claim.words.some(({ lower, key }) => lower === word.lower || key === word.key);
  const isOwn = (word: Word): boolean => own.some(({ lower }) => lower === word.lower);
  const [opener] = inMain;
  if (opener !== undefined && subject !== undefined && subject[1].clause !== main) {
    if (!isHere(opener) && isAnywhere(opener)) return true;
    if (!isAnywhere(opener) && subject[1].clause > main) return true;
  }
  const closing = told.at(-1)?.[1];
  if (
    opener !== undefined &&
    closing !== undefined &&
    closing.clause > main &&
    !isAnywhere(opener)
  ) {
    return true;
  }
  return told.some(([word, other], at) => {
    if (other.clause === main) return false;
    if (word.isName && inMain.some((each) => each.isName && !isOwn(each))) return true;
    const before = told[at - 1]?.[1];
    const behind = told[at + 1]?.[1];
    if (before?.clause !== main || behind?.clause !== main) return false;
    return inMain.some((each) => each.at > before.at && each.at < behind.at && !isAnywhere(each));
  });
}

/** A number of the claim stands in a clause without its words, whose own clause has another. */
function isOtherNumber(
  claim: Sentence,
  sentence: Sentence,
  matched: readonly (readonly Word[])[],
): boolean {
  const byClause = Map.groupBy(
    matched.flatMap(([first]) => first ?? []),
    ({ clause }) => clause,
  );
  const [main = -1] = [...byClause].toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
  const own = claim.words.filter(({ kind }) => kind === 'Value');
  const values = sentence.words.filter(({ kind }) => kind === 'Value');
  const inMain = values.filter(({ clause }) => clause === main);
  if (own.length === 0 || inMain.length === 0) return false;
  const lowers = new Set(own.map(({ lower }) => lower));
  if (inMain.some(({ lower }) => lowers.has(lower))) return false;
  return values.some(({ lower, clause }) => clause !== main && lowers.has(lower));
}
