/**
 * Compares the subjects of sentences, to decide whether a newer text may be about the same thing as
 * an older one: "the launch of billing was moved" ends nothing about the launch of checkout, "I
 * moved from Lyon" ends nothing about a daughter in Lyon, and "my other sister moved" ends nothing
 * about a sister. If a subject can't be read, the texts may have the same one.
 */
import { HAN } from '../../text/language.ts';
import { saysAlso } from '../../text/additive-words.ts';
import { isAnyKin } from '../../text/people-words.ts';
import { cardinalOf } from '../../text/number-word.ts';
import { oneOf } from '../../text/pattern.ts';
import { isContentWord, plainWords } from '../../text/words.ts';
import { TELLS_OF_CHANGE } from '../question/answer-types.ts';
import { isFormOf } from '../words/topic-words.ts';
import { areNamesakes } from '../../text/different-people.ts';

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
const OWNED = /^(?<owner>\p{Lu}[\p{L}\p{M}-]+)['’]s\s/u;
const NOUN_UNSPACED =
  /^(?:我|我们)?的?(?<noun>\p{Script=Han}{1,8}?)(?:现在|在|是|改|搬|住|定|[\d一二三四五六七八九十])/u;

type Subject = 'Speaker' | ReadonlySet<string>;

function subjectOf(text: string): Subject | null {
  const said = text.trim().replace(OPENING, '');
  if (FIRST_PERSON.test(said)) return 'Speaker';
  const words = contentWords(nounOf(said));
  return words.size === 0 ? null : words;
}

/** Returns the noun at the beginning of a sentence, with what belongs to it; may be empty. */
function nounOf(said: string): string {
  const found =
    NOUN.exec(said) ??
    NOUN_DE.exec(said) ??
    NAME.exec(said) ??
    THEIRS.exec(said) ??
    NOUN_UNSPACED.exec(said);
  return found?.groups?.['noun'] ?? '';
}

function contentWords(text: string): ReadonlySet<string> {
  const isTelling = (word: string): boolean =>
    isContentWord(word) || word.length === 1 || isAnyKin(word);
  return new Set(plainWords(text).filter(isTelling));
}

/** The owner at the beginning of a text: the speaker, or somebody named before. */
const OWNER = new RegExp(
  String.raw`^(?:(?<speaker>my|our|mein\p{L}*|unser\p{L}*|mis?|nuestr[oa]s?)|` +
    String.raw`(?:his|her|their|ihre?|sein|sus?))\s`,
  'iu',
);

/** Whether one text begins with `my`, and the other with `her`. */
function haveOtherOwners(older: string, newer: string): boolean {
  const [before, after] = [older, newer].map((text) =>
    OWNER.exec(text.trim().replace(OPENING, '')),
  );
  if (!before || !after) return false;
  return (before.groups?.['speaker'] === undefined) !== (after.groups?.['speaker'] === undefined);
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

/** What the speaker has, and what somebody else does: `我的电话`, `他换了电话`. */
const OWN_HAN = /^我们?的(?!\p{Script=Han}{1,4}的)/u;
const OTHER_HAN = /^[他她]们?(?!的)/u;

export function mayHaveOneSubject(older: string, newer: string): boolean {
  if (isAddition(newer)) return false;
  if (OWN_HAN.test(older) && OTHER_HAN.test(newer)) return false;
  const [before, after] = [subjectOf(older), subjectOf(newer)];
  if (before === null && mayNameKindOnly(older, newer)) return false;
  if (before === null || after === null || before === after) return true;
  if (before === 'Speaker') return isNamedIn(after, older);
  if (after === 'Speaker') return isNamedIn(before, newer);
  if (typeof before === 'string' || typeof after === 'string') return true;
  if (isOwnersThing(before, after, { older, newer })) return true;
  const shared = [...before].filter((word) => after.has(word)).length;
  // `The travel budget` is one of several budgets: its change ends nothing about `the budget`.
  return shared > 0 && shared === after.size && !haveOtherOwners(older, newer);
}

/**
 * Whether the newer text is about a thing of the older one's subject, which the older names too:
 * `Joel has cello lessons`, and `Joel's cello lessons`.
 */
function isOwnersThing(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  { older, newer }: { readonly older: string; readonly newer: string },
): boolean {
  const owner = OWNED.exec(newer.trim().replace(OPENING, ''))?.groups?.['owner'] ?? '';
  const named = new Set([...after, ...plainWords(owner)]);
  if (named.size === before.size || !before.isSubsetOf(named)) return false;
  const words = plainWords(older);
  return [...named].every((name) => words.some((word) => isFormOf(word, name)));
}

/** A kind and a thing: `shop team`. */
const COMPOUND = /^(?<kind>[\p{L}\p{M}]+) (?<thing>[\p{L}\p{M}]+)$/u;

/**
 * Whether the older text names only the kind of the newer one's subject: that `the shop team` moved
 * ends nothing about `the shop API`.
 */
function mayNameKindOnly(older: string, newer: string): boolean {
  const { kind, thing } = COMPOUND.exec(nounOf(newer.trim().replace(OPENING, '')))?.groups ?? {};
  if (kind === undefined || thing === undefined) return false;
  const words = plainWords(older);
  const isNamed = (noun: string): boolean =>
    words.some((word) => isFormOf(word, noun.toLowerCase()));
  return isNamed(kind) && !isNamed(thing);
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

/** After `to`, another one takes its place. */
const OTHER = new RegExp(
  String.raw`(?<!\p{L})(?<!(?:to|into|zu|in|auf|a) )` +
    String.raw`(?:${oneOf('the, my, our')} other|${oneOf('my, our, the, a')} second|` +
    String.raw`${oneOf('der, die, das, den, dem, mein\\p{L}*, unser\\p{L}*')} ` +
    String.raw`(?:andere|zweite)[nmrs]?|ein\p{L}* zweite[nmrs]?|una? segund[oa]|` +
    String.raw`${oneOf('el, la, los, las, mi, mis, nuestr[oa]s?')} ` +
    String.raw`(?:otr[oa]s?|segund[oa]))\s(?<noun>\p{L}+(?:\s\p{L}+)?)|` +
    String.raw`(?:另外?一?|第二)[个位家份只条辆](?<han>\p{Script=Han}{1,2})`,
  'iu',
);

/** Says which one of several things has changed: `I switched my health insurance to AOK`. */
const CHANGED = new RegExp(
  String.raw`(?:changed|switched|moved|replaced|swapped|transferred) (?:my|our|the) ` +
    String.raw`(?<kind>[\p{Ll}-]+) (?<noun>\p{Ll}+) (?:over )?(?:to|for|with|from)(?!\p{L})`,
  'u',
);
const CHANGED_ES = new RegExp(
  String.raw`(?:[Cc]ambi|[Pp]as|[Mm]ov|[Tt]ransfer|[Tt]rasl)\p{L}+ ` +
    String.raw`(?:el|la|los|las|mis?|nuestr[oa]s?) (?<noun>\p{Ll}+) ` +
    String.raw`(?:de(?:l| la| los| las)? )?(?<kind>\p{Ll}{3,}) (?:a|al|por)(?!\p{L})`,
  'u',
);
/** Words that say nothing of which one of several things it is. */
const OF_ANY = new RegExp(
  `^${oneOf(`
    new, old, current, own, whole, first, last, next, main, usual, regular, former, previous, local,
    favou?rite, weekly, monthly, daily, yearly, annual, entire, little, big, small,
    expensive, cheap,
    nuev[oa]s?, viej[oa]s?, actual(?:es)?, antigu[oa]s?, mensual, anual, car[oa]s?
  `)}$`,
  'u',
);

/** What people have at home and at work alike. */
const AT_WORK = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    at work, at the office, in the office, at my (?:company|job), bei der Arbeit, auf der Arbeit,
    im Büro, in der Firma, en el trabajo, en la oficina, en la empresa
  `)}(?!\p{L})|在公司|公司里|工作上`,
  'iu',
);
const OF_ONE = /(?<!\p{L})(?:I|my|ich|mein\p{L}*|yo|mis?|uso|utilizo|tengo)(?!\p{L})|我(?!们)/iu;

/** Whether two texts are about two things of one sort or use, or two people of one name. */
export function isOfOtherThing(older: string, newer: string): boolean {
  return (
    namesTheOther(older, newer) ||
    isOfOtherKind(older, newer) ||
    areNamesakes(older, newer) ||
    haveOtherUses(older, newer)
  );
}

/** Whether the newer text names `the other` one of what the older text tells of. */
function namesTheOther(older: string, newer: string): boolean {
  const other = OTHER.exec(newer)?.groups;
  if (other === undefined || OTHER.test(older)) return false;
  const { noun, han } = other;
  if (han !== undefined) return older.includes(han.slice(0, 1));
  const words = plainWords(older);
  return plainWords(noun ?? '').some((word) => word.length > 2 && words.includes(word));
}

/** Whether the older text has the same noun, and each time with another word for its kind. */
function isOfOtherKind(older: string, newer: string): boolean {
  const { kind, noun } = (CHANGED.exec(newer) ?? CHANGED_ES.exec(newer))?.groups ?? {};
  if (kind === undefined || noun === undefined || OF_ANY.test(kind)) return false;
  const words = older.toLowerCase().match(/\p{L}[\p{L}-]*/gu) ?? [];
  const kinds = words.flatMap((word, at) => (word === noun ? [kindAt(words, at)] : []));
  return kinds.length > 0 && kinds.every((each) => each !== '' && each !== kind);
}

/** Returns the word for the kind of a noun: before it, or in Spanish behind it; may be empty. */
function kindAt(words: readonly string[], noun: number): string {
  const before = words[noun - 1] ?? '';
  const [next = '', ...more] = words.slice(noun + 1, noun + 4);
  const isSpanish = /^(?:el|la|los|las|mis?|una?|nuestr[oa]s?)$/u.test(before);
  const behind = /^del?$/u.test(next)
    ? (more.find((word) => !/^(?:la|los|las)$/u.test(word)) ?? '')
    : '';
  const kind = isSpanish ? behind : before;
  return OF_ANY.test(kind) || DETERMINER.test(kind) ? '' : kind;
}

const DETERMINER = /^(?:my|our|the|an?|this|that|his|her|their|your|of|for|with|and|no|some|any)$/u;

/** Whether the newer text is about what people use at work, and the older about one's own. */
export function isOnlyAtWork(older: string, newer: string): boolean {
  return AT_WORK.test(newer) && !AT_WORK.test(older) && OF_ONE.test(older) && !WORK.test(older);
}

const WORK = /(?<!\p{L})(?:work|job|office|arbeit|büro|trabaj|oficina)|工作|公司|上班/iu;

/** What something is used for. */
const USED_FOR = new RegExp(
  String.raw`(?<!\p{L})(?:uses?|using|(?:be)?nutz(?:e|en|t)|verwende[nt]?|us[oa]|` +
    String.raw`utiliz[oa])\s.*?\s(?:for|as|für|als|zum|zur|para|como)\s` +
    String.raw`(?<purpose>[^.,;:!?]{2,40})`,
  'iu',
);

/** Whether both texts say what something is used for, and it is not the same. */
function haveOtherUses(older: string, newer: string): boolean {
  const [before, after] = [older, newer].map((text) =>
    contentWords(USED_FOR.exec(text)?.groups?.['purpose'] ?? ''),
  );
  if (before === undefined || after === undefined || after.size === 0) return false;
  const isShared = (word: string): boolean => [...after].some((other) => isFormOf(word, other));
  return before.size > 0 && ![...before].some(isShared);
}
