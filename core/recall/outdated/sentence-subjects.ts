/**
 * Compares the subjects of sentences, to decide whether a newer text may be about the same thing as
 * an older one: "the launch of billing was moved" ends nothing about the launch of checkout, and "I
 * moved from Lyon" ends nothing about a daughter in Lyon. If a subject can't be read, the texts may
 * have the same one.
 */
import { HAN } from '../../text/language.ts';
import { saysAlso } from '../../text/additive-words.ts';
import { isAnyKin } from '../../text/people-words.ts';
import { cardinalOf } from '../../text/number-word.ts';
import { oneOf } from '../../text/pattern.ts';
import { isContentWord, plainWords } from '../../text/words.ts';
import { TELLS_OF_CHANGE } from '../question/answer-types.ts';

const OPENINGS = `
  so, and, but, well, oh, ok, okay, also, actually, sorry, by the way, und, aber, übrigens, y,
  pero, bueno, además
`;
const SPEAKERS = String.raw`
  I, I['’](?:m|ve|d|ll), we, we['’](?:re|ve), ich, wir, yo, me, nos, vivo, soy, tengo, trabajo,
  peso, uso, voy, como
`;
const ARTICLES = String.raw`
  the, my, our, his, her, their, der, die, das, mein\p{L}*, unser\p{L}*, el, la, los, las, mi, mis,
  nuestr[oa]s?
`;
const VERBS = `
  is, are, was, were, will, has, have, had, got, now, no longer, runs?, lives?, works?, meets?,
  moved, starts?, comes?, uses?, costs?, went, goes, rose, fell, drops?, dropped, opens?, closes?,
  ends?, expires?, wants?, needs?, says?, likes?, plays?, weighs?, takes?, took, can, should,
  switche[sd], changed, migrated, bought, sold, quit, left, joined, started, became, prefers?,
  drives?, drove, eats?, drinks?, owns?, gave, lost,
  ist, sind, war, wird, wurde, hat, wohnt, lebt, arbeitet, kostet, öffnet, schließt, beginnt,
  endet, besteht, läuft, heißt, spielt, wiegt, fährt, es, está, son, fue, será, se, queda, vive,
  trabaja, abre, cierra, cuesta, pesa, sale, termina, empieza, tiene, llega, toca, va, dejó,
  cambió, vendió, compró
`;

/** The opening of a sentence, which says nothing about its subject. */
const OPENING = new RegExp(String.raw`^(?:${oneOf(OPENINGS)}[,:]?\s)+`, 'iu');
const FIRST_PERSON = new RegExp(
  String.raw`^${oneOf(SPEAKERS)}\s|^我(?!的|们的|\p{Script=Han}{1,3}(?:搬|住|在|是))`,
  'iu',
);
const VERB = String.raw`${oneOf(VERBS)}(?!\p{L})`;
/** A noun with its article or owner, up to the verb. */
const NOUN = new RegExp(String.raw`^${oneOf(ARTICLES)}\s(?<noun>.{1,60}?)\s${VERB}`, 'iu');
/** German nouns are capitalized, so any verb may follow, but no preposition. */
const NOUN_DE = new RegExp(
  String.raw`^(?:Der|Die|Das|Meine?|Unsere?)\s(?<noun>(?:\p{Ll}+\s)?\p{Lu}[\p{L}-]+)\s` +
    String.raw`(?!${oneOf('von, für, mit, beim?, zu[mr]?, in, an')}\s)\p{Ll}`,
  'u',
);
const NAME = new RegExp(
  String.raw`^(?<noun>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s)?\p{Lu}[\p{L}\p{M}-]+` +
    String.raw`(?:\s\p{Lu}[\p{L}\p{M}-]*){0,2})\s${VERB}`,
  'u',
);
/** A relative or thing of a named person: `Ann's mother`. */
const THEIRS = new RegExp(String.raw`^\p{Lu}[\p{L}\p{M}-]+['’]s\s(?<noun>.{1,60}?)\s${VERB}`, 'u');
const NOUN_UNSPACED =
  /^(?:我|我们)?的?(?<noun>\p{Script=Han}{1,8}?)(?:现在|在|是|改|搬|住|定|[\d一二三四五六七八九十])/u;

type Subject = 'Speaker' | ReadonlySet<string>;

function subjectOf(text: string): Subject | null {
  const said = text.trim().replace(OPENING, '');
  if (FIRST_PERSON.test(said)) return 'Speaker';
  const found =
    NOUN.exec(said) ??
    NOUN_DE.exec(said) ??
    NAME.exec(said) ??
    THEIRS.exec(said) ??
    NOUN_UNSPACED.exec(said);
  const noun = found?.groups?.['noun'];
  if (noun === undefined) return null;
  const words = contentWords(noun);
  return words.size === 0 ? null : words;
}

function contentWords(text: string): ReadonlySet<string> {
  const isTelling = (word: string): boolean =>
    isContentWord(word) || word.length === 1 || isAnyKin(word);
  return new Set(plainWords(text).filter(isTelling));
}

const CLAUSE_END = /[,;:.!]/u;

/**
 * Whether a text adds something and replaces nothing: all its clauses that tell of a change say
 * "also". Chinese joins sentences about several matters by commas, so there any clause counts.
 */
function isAddition(text: string): boolean {
  if (!saysAlso(text)) return false;
  if (HAN.test(text)) return true;
  const changes = text.split(CLAUSE_END).filter((clause) => TELLS_OF_CHANGE.test(clause));
  return changes.every(saysAlso);
}

export function mayHaveOneSubject(older: string, newer: string): boolean {
  if (isAddition(newer)) return false;
  const [before, after] = [subjectOf(older), subjectOf(newer)];
  if (before === null || after === null || before === after) return true;
  if (before === 'Speaker') return isNamedIn(after, older);
  if (after === 'Speaker') return isNamedIn(before, newer);
  if (typeof before === 'string' || typeof after === 'string') return true;
  const shared = [...before].filter((word) => after.has(word)).length;
  // `The travel budget` is one of several budgets: its change ends nothing about `the budget`.
  return shared > 0 && shared === after.size;
}

function isNamedIn(subject: Subject, text: string): boolean {
  if (subject === 'Speaker') return true;
  const words = plainWords(text);
  // `My birthday party` does not name a birthday: no other noun may follow the subject.
  return words.some((word, at) => subject.has(word) && !isNoun(words[at + 1] ?? ''));
}

/** Whether a word may be a noun: a content word that is no number. */
function isNoun(word: string): boolean {
  return isContentWord(word) && !/^\d/u.test(word) && cardinalOf(word) === undefined;
}
