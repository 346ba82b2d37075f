/** Tells whether a newer text is about another thing of the same sort: `my other sister`. */
import { areNamesakes } from '../text/different-people.ts';
import { oneOf } from '../text/pattern.ts';
import { plainWords } from '../text/words.ts';

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

/** Whether two texts are about two things of one sort, or two people of one name. */
export function isOfOtherThing(older: string, newer: string): boolean {
  return namesTheOther(older, newer) || isOfOtherKind(older, newer) || areNamesakes(older, newer);
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
