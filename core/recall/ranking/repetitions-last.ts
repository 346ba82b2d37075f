/**
 * Moves repetitions behind the rest: results of tools that a question does not ask for, all but the
 * best few of near-duplicate turns, and all but the best few lines of a log that differ only in
 * their numbers. Finds replies that tell a user what the user has said.
 */
import { NEAR_DUPLICATES_MAX, nearDuplicateCounter, VALUE } from './count-near-duplicates.ts';
import type { RankedPassage } from './rank-past-turns.ts';
import { languageOf } from '../../text/language.ts';
import { oneOf } from '../../text/pattern.ts';
import { plainWords } from '../../text/words.ts';
import { isFormOf } from '../words/topic-words.ts';

/** Near-duplicate passages are looked for among this many of the best. */
const COMPARED_MAX = 200;

interface RepetitionsLater {
  readonly ranked: readonly RankedPassage[];
  /** Passages only for room that is left, at the end of the ranking. */
  readonly later: ReadonlySet<RankedPassage>;
}

/** Returns the passages, best first, without unasked lines that repeat too often. */
export function repetitionsLater(ranked: readonly RankedPassage[]): RepetitionsLater {
  const later = new Set<RankedPassage>();
  const dropped = new Set<RankedPassage>();
  const alike = new Map<RankedPassage['turn'], Map<string, number>>();
  const alikeBefore = nearDuplicateCounter(false);
  for (const [rank, each] of ranked.entries()) {
    if (each.turn.turn.role !== 'tool') {
      const { text } = each.passage;
      if (rank < COMPARED_MAX && alikeBefore(text) >= NEAR_DUPLICATES_MAX) later.add(each);
      continue;
    }
    const known = alike.get(each.turn) ?? new Map<string, number>();
    const pattern = each.passage.text.replaceAll(VALUE, '#');
    const before = known.get(pattern) ?? 0;
    alike.set(each.turn, known.set(pattern, before + 1));
    // With a vector, meaning tells whether the question asks for it.
    const isUnasked = each.hitShare === 0 && each.cosine === null;
    if (isUnasked && before >= NEAR_DUPLICATES_MAX) dropped.add(each);
    else if (isUnasked || before >= NEAR_DUPLICATES_MAX) later.add(each);
  }
  if (later.size === 0) return { ranked, later };
  const first = ranked.filter((each) => !later.has(each) && !dropped.has(each));
  return { ranked: [...first, ...later], later };
}

/** Words of a reply that only confirms what a user has said, as terms. */
export const CONFIRMING: ReadonlySet<string> = new Set(
  (
    'note noted ok okay got remember save saved great thank good right sure understood notiert ' +
    'gemerkt verstanden klar gut alles dank merk gern perfekt anotado apuntado entendido vale ' +
    'claro gracias tomo nota 记住 住了 记下 下了 好的 收到 明白 知道 道了'
  ).split(' '),
);
/** Speaks of something of the speaker: `My manager is Dana`. */
const OF_MINE = /(?<!\p{L})(?:my|mein\p{L}*|unser\p{L}*|our|mis?)(?!\p{L})|我的/iu;
const YOU: ReadonlySet<string> = new Set(['you', 'du', 'tú', 'usted']);
const YOUR = /^(?:your|dein(?:e[mnrs]?)?|tus?)$/u;
const YOU_HAN = /[你您](?!的)/u;
const YOUR_HAN = /[你您]的/u;
/** A Spanish verb needs no word for `you`: `vives`, `trabajaste`. */
const YOU_VERB_ES = /(?:[aeé]s|ste)$/u;
/** Words between `you` and what follows: `you still live`, `your new manager`. */
const BETWEEN_MAX = 1;
/** Speaks of a change, of the past, or of what is not so: `You no longer live in Bristol`. */
const NOT_NOW = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    not, no, never, any ?more, used to, moved?, left, lived, was, were, had, former(?:ly)?,
    previous(?:ly)?, ago, instead, now, changed?, switched, if, nicht, kein\\p{L}*, mehr, früher,
    vorher, war\\p{L}*, hatte\\p{L}*, jetzt, umgezogen, gezogen, wenn, ya, antes, era\\p{L}*,
    ahora, mudad[oa], mudaste, si
  `)}(?!\p{L})|n['’]t(?!\p{L})|[?？]\s*$|[不没]|以前|曾|现在|搬|改|换|如果`,
  'iu',
);
/** Longest reply that is compared, in UTF-16 code units. */
const UNITS_MAX = 1_000;
/** Terms to compare: the value, and what it is the value of. */
const TERMS_MIN = 2;
/** A pair of characters that joins `I` and another word, which is `you` in the reply. */
const OF_SPEAKER = /我/u;

/**
 * Whether an assistant tells a user what the user has said: `As you said, you live in Bristol`
 * after `I live in Bristol`. In English, German, Spanish and Chinese.
 * @param terms of what the user said, as recall compares them, in order
 */
export function isRestatedToUser(reply: string, said: string, terms: readonly string[]): boolean {
  if (reply.length > UNITS_MAX || NOT_NOW.test(reply)) return false;
  const told = terms.filter((term) => !OF_SPEAKER.test(term));
  const [first] = told;
  if (first === undefined || told.length < TERMS_MIN) return false;
  if (languageOf(reply) === 'zh') return isRestatedHan(reply, said, told);
  const words = plainWords(reply);
  // As the analyzer writes terms.
  const plain = words.map((word) => word.normalize('NFD').replaceAll(/\p{M}/gu, ''));
  if (!told.every((term) => plain.some((word) => isFormOf(word, term)))) return false;
  const isEs = languageOf(reply) === 'es';
  return plain.some((word, at) => isFormOf(word, first) && isToldOfUser(words, at, { said, isEs }));
}

function isRestatedHan(reply: string, said: string, told: readonly string[]): boolean {
  const of = OF_MINE.test(said) ? YOUR_HAN : YOU_HAN;
  return of.test(reply) && told.every((pair) => reply.includes(pair));
}

/** Whether a word of a reply says what the user does, or has, as the user said of himself. */
function isToldOfUser(
  words: readonly string[],
  at: number,
  { said, isEs }: { readonly said: string; readonly isEs: boolean },
): boolean {
  const before = words.slice(Math.max(0, at - 1 - BETWEEN_MAX), at);
  if (OF_MINE.test(said)) return before.some((word) => YOUR.test(word));
  const isInverted = YOU.has(words[at + 1] ?? '');
  const isVerbEs = isEs && YOU_VERB_ES.test(words[at] ?? '');
  return isInverted || isVerbEs || before.some((word) => YOU.has(word));
}
