/**
 * Finds the words of a text that name its topic. A name, a day, a number or a word of change occurs
 * in texts about anything: "Anna got promoted" ends nothing that was said about Anna's cats, and
 * "the rent went up in December" changes no birthday in December.
 */
import { HAN } from '../../text/language.ts';
import { ownSentences } from '../../extraction/statement.ts';
import { ANY_WEEKDAY, DIRECTIONS, isOfCalendar, SPANS } from '../../text/calendar-words.ts';
import { isAnyKin } from '../../text/people-words.ts';
import { cardinalOf } from '../../text/number-word.ts';
import { oneOf } from '../../text/pattern.ts';
import { wordSet } from '../../text/word-lists.ts';
import { isContentWord, plainWords } from '../../text/words.ts';
import { TELLS_OF_CHANGE } from '../question/answer-types.ts';

/** Verbs and other words that fit any topic, although `isContentWord` accepts them. */
const ANYTHING = wordSet(`
  get gets got gotten do does did done go goes went going gone come comes came make makes made take
  takes took put let say says said tell told know think want wants need needs start starts starting
  started stop stops stopped time times day days half move moves moved moving change changes changed
  switch switches switched pay pays paid cost costs feel feels felt find finds found give gives gave
  given tell tells number call calls called first new people somebody someone anybody anyone
  nobody everybody everyone top open task tasks todo todos
  bin bist hab habe hast hat haben hatte mach mache macht machen gemacht geh gehe geht gehen komm
  komme kommt kommen nehm nehme nimmt zahle zahlt zahlen gezahlt kostet kosten kann muss soll will
  mal tag tage zeit uhr halb neu neue neuen neuer neues erste ersten erster erstes jemand keiner
  niemand alle sonst ach bitte nix
  vamos voy va van tengo tiene tienen pago paga pagan pagamos cuesta cuestan hago hace hacen digo
  dice puedo puede quiero quiere día días hora horas tiempo medio media ahora nuevo nueva nuevos
  nuevas primero primera otro otra lleva ver
`);

/** Units of time and money. */
const UNITS = wordSet(`
  second seconds minute minutes hour hours week weeks month months year years euro euros pound
  pounds dollar dollars sekunde sekunden minute minuten stunde stunden woche wochen monat monate
  jahr jahre segundo segundos minuto minutos semana semanas mes meses año años
`);

/** The beginning of a sentence or clause about a person or thing by name. */
const NAMED = new RegExp(
  String.raw`(?:^|[.!?,;:]\s+(?:(?:actually|so|and|but|oh|well|also|und|aber|y|pero)\s+)?|` +
    String.raw`\s(?:since|because|that|when|while|if|and|que|porque|cuando|y)\s+)` +
    String.raw`(?!(?:The|Der|Die|Das|El|La|Los|Las)\s)((?:\p{Lu}[\p{L}\p{M}-]+\s+){1,3})` +
    String.raw`(?!\p{L}+\s+(?:ich|wir|yo)(?!\p{L}))\p{Ll}`,
  'gu',
);
/** What takes place at a time, which no person does: `Yoga is on Mondays now`. */
const TIMED = new RegExp(
  String.raw`(?:^|[.!?,;:]\s+)(?<thing>\p{Lu}[\p{L}\p{M}-]+)\s` +
    String.raw`(?:is|are|ist|sind|es|son|moved to|has moved to)\s` +
    String.raw`(?:(?:now|jetzt|nun|ahora|on|at|am|um|immer|los|el|always|to)\s)*` +
    String.raw`(?:${ANY_WEEKDAY}|\d{1,2}(?:[:.]\d\d)?(?!\p{L}))s?(?!\p{L})`,
  'giu',
);
/** A subject in German, where every noun is capitalized. */
const SUBJECT = /(?:^|[.!?]\s+)(?:Der|Die|Das)\s(\p{Lu}[\p{L}\p{M}-]+)\s\p{Ll}/gu;
/** A word after `my` or `our`, which may be a relative (core/text/people-words.ts). */
const OWN = /(?:^|[.!?,;:]\s+)(?:my|our|meine?|unsere?|mi|mis|nuestr[oa])\s+(\p{L}+)\s/giu;
/** A word for the kind of the thing that follows: `invoice` in `the invoice template with …`. */
const MODIFIER = new RegExp(
  String.raw`(?<!\p{L})(?:the|my|our|his|her|their|this|that)\s(\p{Ll}[\p{L}-]+)\s` +
    String.raw`\p{Ll}[\p{L}-]+\s` +
    String.raw`(?:with|of|for|in|on|at|from|is|are|was|were|has|have|any ?more)(?!\p{L})`,
  'gu',
);
/** The owner of a thing: `Leo's training`, `los entrenamientos de Leo`. */
const OWNER = /(\p{Lu}[\p{L}\p{M}-]*)['’]s\s\p{Ll}|\p{Ll}\s(?:of|de)\s(\p{Lu}[\p{L}\p{M}-]*)/gu;

const PREFIX_MIN = 3;
/** Maximum length of the ending that a word adds to a term. */
const ENDING_MAX = 4;

/** Characters of grammar and counting: a pair with one of them names no topic. */
const HAN_GRAMMAR = new RegExp(
  '[的了我你您他她它们在和就不也都吗呢吧啊把这那哪很还没每几两' +
    '一二三四五六七八九十百千万个点半去来周]',
  'u',
);

/** A reason: `because the gym is too far` ends nothing that was said about the gym. */
const REASON = new RegExp(
  String.raw`[,;]?\s(?:because|weil|porque)\s[^,;.!?]*|因为[^，,。；;！？]*`,
  'giu',
);

const PERSON = String.raw`\p{Lu}[\p{L}\p{M}-]+(?:\s\(\d{1,3}\))?`;
const RELATIVES = `
  kids?, children, child, sons?, daughters?, twins, brothers?, sisters?, siblings, grandchildren,
  Kinder, Söhne, Töchter, Sohn, Tochter, Zwillinge, Brüder, Bruder, Schwestern?, Enkel,
  hij[oa]s?, niñ[oa]s?, gemel[oa]s, herman[oa]s?, niet[oa]s?
`;
/** Introduces people by name: `two kids, Sami (9) and Lina (6)`, and `I'm Noor, …`. */
const INTRODUCTION = new RegExp(
  String.raw`(?:(?<!\p{L})${oneOf(RELATIVES)}(?:[,:]|\s(?:are|is|called|named|sind|ist|son|es))*` +
    String.raw`|(?<!\p{L})(?:I['’]m|I am|ich bin|soy))\s` +
    String.raw`${PERSON}(?:(?:,|,?\s(?:and|und|y))\s${PERSON})*(?=\s*(?:[,.;:!?)]|$|and my\b))`,
  'gu',
);

/** The sentences of a text that tell of a change, and what their words may name. */
export interface ChangedTopic {
  readonly text: string;
  readonly words: readonly string[];
  /** The words that name no topic, in lower case. */
  readonly side: readonly string[];
  /** Words that are a topic only where a number or a day changes: `Kurs`, `invoice`. */
  readonly subjects: readonly string[];
}

export const NO_TOPIC: ChangedTopic = { text: '', words: [], side: [], subjects: [] };

export function changedTopic(text: string): ChangedTopic {
  const told = ownSentences(text)
    .filter((sentence) => TELLS_OF_CHANGE.test(sentence))
    .map(withoutReasons)
    .map(changedClauses)
    .join(' ');
  if (told === '') return NO_TOPIC;
  const words = plainWords(told);
  const timed = new Set(
    [...told.matchAll(TIMED)].flatMap(({ groups }) => plainWords(groups?.['thing'] ?? '')),
  );
  const named = [...told.matchAll(NAMED)]
    .flatMap(([, each = '']) => plainWords(each))
    .filter((word) => !timed.has(word));
  const kin = [...told.matchAll(OWN)].map(([, word = '']) => word.toLowerCase()).filter(isAnyKin);
  const owners = [...told.matchAll(OWNER)].flatMap(([, a, b]) => plainWords(a ?? b ?? ''));
  const side = [...named, ...kin, ...owners, ...words.filter(isSideWord)];
  const subjects = [...told.matchAll(SUBJECT), ...told.matchAll(MODIFIER)].flatMap(
    ([, word = '']) => plainWords(word),
  );
  return { text: told, words, side, subjects };
}

const HAN_CLAUSE = /[^，,；;]+/gu;
/** A clause without a topic of its own, which the clause before it names: `就改成那个点了`. */
const HAN_CHANGED_FIRST =
  /^(?:[就也还又都所以现在后来最已经终于我们他她]{0,4})(?:改|换|变|推|延|提|挪|搬|不再)/u;

/** A clause that only says that something has changed: `有个变动`. */
const ANNOUNCES = /^.{0,5}(?:变动|变化|有变|有点变|变了)$/u;

/** Chinese joins sentences about several matters by commas: returns the clauses of the change. */
function changedClauses(sentence: string): string {
  if (!HAN.test(sentence)) return sentence;
  const clauses = sentence.match(HAN_CLAUSE) ?? [];
  if (clauses.some((clause) => ANNOUNCES.test(clause))) return sentence;
  return clauses
    .filter((clause, at) => {
      const next = clauses[at + 1] ?? '';
      const isTopic = HAN_CHANGED_FIRST.test(next) && TELLS_OF_CHANGE.test(next);
      return isTopic || TELLS_OF_CHANGE.test(clause);
    })
    .join('，');
}

/** Whether a word occurs in texts about anything. */
export function isSideWord(word: string): boolean {
  return (
    /^\p{N}/u.test(word) ||
    ANYTHING.has(word) ||
    isOfCalendar(word) ||
    DIRECTIONS.has(word) ||
    SPANS.has(word) ||
    UNITS.has(word) ||
    cardinalOf(word) !== undefined
  );
}

/** An address or a path: its parts name no topic, as `db.acme.com` names no Acme. */
const ADDRESS =
  /(?<![^\s"'`(])(?:\S{1,200}@|\p{L}+:\/\/|\/?[\w.-]+\/|(?:[\w-]+\.){2,8}\p{L}{2})\S*/gu;

/** Returns a text without its reasons and addresses. */
function withoutReasons(text: string): string {
  return text.replace(REASON, ' ').replace(ADDRESS, ' ');
}

/** Returns a text without what is not its topic: reasons, addresses and introductions of people. */
export function withoutAsides(text: string): string {
  return withoutReasons(text).replace(INTRODUCTION, ' ');
}

/** Whether a term of the analyzer may name a topic in any text. */
export function mayNameTopic(term: string): boolean {
  if (HAN.test(term)) return term.length > 1 && !HAN_GRAMMAR.test(term);
  return isContentWord(term) && !isSideWord(term);
}

/** Whether a word may be a form of a term of the analyzer, which cuts endings off. */
export function isFormOf(word: string, term: string): boolean {
  const start = term.slice(0, Math.max(PREFIX_MIN, term.length - 1));
  return word.startsWith(start) && word.length - term.length <= ENDING_MAX;
}

/**
 * Whether a term of the analyzer names what has changed.
 * @param isAmount whether a number or a day has changed
 */
export function isTopic(term: string, changed: ChangedTopic, isAmount: boolean): boolean {
  const { text, words, side, subjects } = changed;
  if (HAN.test(term)) return mayNameTopic(term) && text.includes(term);
  if (/^\p{N}/u.test(term) || !isContentWord(term)) return false;
  const isOf = (word: string): boolean => isFormOf(word, term);
  return words.some(isOf) && !side.some(isOf) && (isAmount || !subjects.some(isOf));
}
