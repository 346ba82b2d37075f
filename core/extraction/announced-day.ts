/**
 * Reads the day from which a sentence says that something will hold, in English, German, Spanish
 * and Chinese: "from January on my rent is 1,350 euros", "ab nächstem Monat wohne ich in Bonn".
 */
import { HAN } from '../text/language.ts';
import { localTime, type SaidAt } from '../said-at.ts';
import { MONTHS } from '../text/calendar-words.ts';
import { dateOf, firstDayAhead, type NamedDay } from '../text/day.ts';
import { dayAt } from '../text/day-reader.ts';
import { withDigits } from '../text/chinese-numerals.ts';
import { anyOf, anyWord, oneOf } from '../text/pattern.ts';
import { numberByWord } from '../text/word-lists.ts';
import { asDone, isPlan, isPlanOrRise } from './planned-changes.ts';
import { tokensOf, type Token } from '../text/words-and-marks.ts';
import { capitalized } from '../text/words.ts';

/** Words before that day. Group `day`: the text that begins with it. */
const ONSET = new RegExp(
  String.raw`(?:^|(?<=[\s,;:–—(]))(?:` +
    `${oneOf(`
      from, starting(?: from| on)?, as (?:of|from)(?!\\s20\\d\\d-\\d\\d-\\d\\d\\)),
      beginning(?: on| from)?, effective(?: from)?, ab, mit Wirkung (?:vom|zum|ab), a partir del?
    `)}|(?<until>desde))\\s(?:${oneOf(`
      next(?=\\s${oneOf(MONTHS.en)}(?!\\p{L})),
      (?<=partir del?\\s)próximo(?=\\s${oneOf(MONTHS.es)}(?!\\p{L})),
      (?:dem )?(?:nächste|kommende)[nms](?=\\s${oneOf(MONTHS.de)}(?!\\p{L})),
      the (?:beginning|start|middle|end) of, the, de[mnr], el, la, early, mid, late, Anfang, Mitte,
      Ende, (?:principios|comienzos|mediados|finales) del?
    `)}[\\s-])?(?=(?<day>[^,;:()]{2,60}))`,
  'giu',
);
/** Spanish also says `desde enero` of the past. */
const AHEAD_ES = /^(?:(?:pasado )?mañana|próxim[oa]|\p{L}+ (?:que viene|próxim[oa]))(?!\p{L})/iu;
/** Follows the first of several days: `from Monday to Friday`. */
const UNTIL = /^\P{L}*(?:to|until|till|through|thru|and|bis|und|hasta|al?)(?!\p{L})/iu;
/** Words of a new day of one event: `we moved the launch from May`. */
const MOVED = anyOf(
  anyWord(`
    moved?, moving, postponed, pushed, rescheduled, shifted, delayed, slips?, slipped, verschoben,
    verlegt, verschiebt, vorgezogen, pospuesto, aplazad[oa], aplazamos, aplazaron, movieron, movimos
  `),
  '[改移推挪调]',
);
/** Says that it did not hold yet when it was said. */
const WILL =
  /(?<!\p{L})(?:will|going to|werden?|wird|voy|va|vamos)(?!\p{L})|['’]ll(?!\p{L})|[将会]/iu;
const SEASONS = numberByWord({
  3: 'spring, frühling, frühjahr, primavera, 春',
  6: 'summer, sommer, verano, 夏',
  9: 'autumn, fall, herbst, otoño, 秋',
  12: 'winter, invierno, 冬',
});
/** Without a year: `1.12.` */
const SHORT_DATE = /^(?<day>[0-3]?\d)\.(?<month>[01]?\d)\.(?!\d)/u;
const YEAR = /^(?<year>20\d\d)(?![\p{L}\p{N}]|[.,:/-]\d)/u;

const HAN_DIGITS = '[一二三四五六七八九十]';
const ONSET_HAN = new RegExp(
  String.raw`(?<from>[从自打])?(?:` +
    String.raw`(?<near>明天|后天|下个?(?:月|周|星期|礼拜)[一二三四五六日天]?)|` +
    String.raw`(?<next>[去今明后]年)?(?:(?<year>20\d\d)年)?` +
    String.raw`(?:(?<month>\d{1,2}|${HAN_DIGITS}{1,2})月(?:份|底|初|中旬)?|(?<season>[春夏秋冬])[天季])?` +
    String.raw`(?:(?<date>\d{1,2}|${HAN_DIGITS}{1,3})[日号])?)` +
    String.raw`(?<on>起|开始|以后|之后)?(?!\s*[到至])`,
  'gu',
);
/** A change of home or job that is not done, so that its day needs no word before it. */
const PLANNED_HAN =
  /^(?!.*[了过]).*?(?:搬(?:家)?[到去来回]|入职|跳槽[到去]|[去到][^，,。；]{2,8}(?:上班|工作|任职))/u;

const MAY_ANNOUNCE_HAN = /[从自打起搬]|开始|[以之]后|入职|跳槽|上班|工作|任职/u;

/** A quick check of a whole text. */
export function mayAnnounce(text: string): boolean {
  if (HAN.test(text)) return MAY_ANNOUNCE_HAN.test(text);
  return text.search(ONSET) >= 0 || isPlanOrRise(text);
}

/**
 * Returns the first day, counted from the epoch, if it was ahead when the sentence was said.
 * A sentence about the past, or about the day of one event, announces none.
 */
export function announcedDay(sentence: string, said: SaidAt): number | null {
  if (MOVED.test(sentence) && !isPlan(sentence)) return null;
  const onsets = HAN.test(sentence)
    ? onsetsInChinese(sentence, dateOf(localTime(said)).year ?? 0)
    : onsetsIn(sentence).filter(({ isOpen }) => !isOpen);
  const isSure = WILL.test(sentence) || isPlan(sentence);
  const days = onsets.flatMap(({ day }) => firstDayAhead(day, localTime(said), isSure) ?? []);
  return days.length === 0 ? null : Math.max(...days);
}

/**
 * Returns a sentence as it will be said once it holds: `From January on my rent is 1,350` as `My
 * rent is 1,350`. The same text if it names no such day.
 */
export function withoutOnset(sentence: string): string {
  if (!mayAnnounce(sentence) || (MOVED.test(sentence) && !isPlan(sentence))) return sentence;
  const onsets = HAN.test(sentence) ? onsetsInChinese(sentence, 0) : onsetsIn(sentence);
  const [first] = onsets;
  if (first === undefined) return sentence;
  const rest = onsets
    .toReversed()
    .reduce((text, { start, end }) => `${text.slice(0, start)}${text.slice(end)}`, sentence)
    .replace(/^[\s,，]+/u, '')
    .replaceAll(/\s+(?=\s|[.,;!?]|$)/gu, '');
  const held = PRESENT.reduce((text, [ahead, now]) => text.replace(ahead, now), rest);
  const inOrder = first.start === 0 ? held.replace(INVERTED, '$<subject> $<verb> ') : held;
  const said = asDone(inOrder, sentence);
  return capitalized(said);
}

/** German says the verb before its subject if the sentence begins with a day. */
const INVERTED =
  /^(?<verb>\p{Ll}+) (?<subject>ich|wir|(?:meine?|unsere?|der|die|das) \p{Lu}[\p{L}-]+) (?=\S)/u;
/** What will be, as it will be said then. */
const PRESENT: readonly (readonly [ahead: RegExp, now: string])[] = [
  [/(?<!\p{L})will be(?!\p{L})/u, 'is'],
  [/(?<!\p{L})wird (?<value>[^,;]+) (?:sein|betragen)(?=[.!]?$)/u, 'ist $<value>'],
  [/(?<!\p{L})será(?!\p{L})/u, 'es'],
  [/(?<!\p{L})(?:will )?(?:go(?:es)?|rises?|drops?|increases?)(?: up| down)? to(?!\p{L})/u, 'is'],
  [/(?<!\p{L})(?:steigt|sinkt)(?<subject> .+?)? auf(?!\p{L})/u, 'ist$<subject>'],
  [/(?<!\p{L})(?:sube|subirá|baja|bajará) a(?!\p{L})/u, 'es de'],
  [/[将会]+是|[将会]*[涨升降减调变]+[到成为至]/u, '是'],
];

const ENGLISH = /^(?:from|start|as|begin|effective)/iu;
/** Only English gives the day behind the month: `ab März 12 Euro`. */
const MONTH_AND_NUMBER = /^(?<month>\p{L}+) (?!20\d\d(?!\d))(?=\d)/u;

/** A day from which something holds, with the place of its words. */
interface Onset {
  readonly start: number;
  readonly end: number;
  readonly day: NamedDay;
  /** Whether it may also be a day of the past. */
  readonly isOpen: boolean;
}

/** Words after that day: `from January on`, `from January 1, 2027`. */
const ONWARDS = /^(?:, 20\d\d(?!\d))?(?: (?:on|onwards?|an)(?=[\s,.;!?]|$)(?! \p{Lu}\p{L}+day))?/u;

/** Words before a day of a plan. */
const BEFORE_DAY = new RegExp(
  String.raw`(?:^|(?<=[\s,]))${oneOf(`
    on, in, by, at, this, next, am, im, zum, nächste[nrs], kommende[nrs], en, el, la próxima, a,
    (?:at the |in the )?(?:beginning|start|middle|end) of, Anfang, Mitte, Ende,
    a (?:principios|comienzos|mediados|finales) del?
  `)} (?:the )?$`,
  'iu',
);

/** Maximum length of these words. */
const BEFORE_UNITS_MAX = 40;

/** Finds the first day that a plan names without a word for its beginning. */
function daysOfPlan(sentence: string): readonly Onset[] {
  for (const { index } of sentence.matchAll(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu)) {
    const before =
      BEFORE_DAY.exec(sentence.slice(Math.max(0, index - BEFORE_UNITS_MAX), index))?.[0] ?? '';
    const read = readDay(/^[^,;:()]{0,60}/u.exec(sentence.slice(index))?.[0] ?? '');
    const isBare = before === '' && index > 0 && read?.day.kind === 'Date';
    if (read === null || (isBare && !/^(?:in|im|on|am) /iu.test(sentence.slice(index)))) continue;
    const start = index - before.length;
    return [{ start, end: index + read.length, day: read.day, isOpen: false }];
  }
  return [];
}

function onsetsIn(sentence: string): readonly Onset[] {
  const onsets = onsetsAfterWords(sentence);
  return onsets.length === 0 && isPlanOrRise(sentence) ? daysOfPlan(sentence) : onsets;
}

function onsetsAfterWords(sentence: string): readonly Onset[] {
  return [...sentence.matchAll(ONSET)].flatMap(({ 0: words, index: start, groups }) => {
    const said = groups?.['day'] ?? '';
    const read = readDay(ENGLISH.test(words) ? said : said.replace(MONTH_AND_NUMBER, '$<month>,'));
    if (read === null) return [];
    const isOpen = groups?.['until'] !== undefined && !AHEAD_ES.test(said);
    const end = start + words.length + read.length;
    const onwards = ONWARDS.exec(sentence.slice(end))?.[0] ?? '';
    return [{ start, end: end + onwards.length, day: read.day, isOpen }];
  });
}

/** Reads the day that a text begins with, and the length of its words. */
function readDay(said: string): { readonly day: NamedDay; readonly length: number } | null {
  const word = /^\p{L}+/u.exec(said)?.[0] ?? '';
  const year = YEAR.exec(said)?.groups?.['year'];
  if (year !== undefined) return { day: { kind: 'Date', year: Number(year) }, length: year.length };
  const month = SEASONS.get(word.toLowerCase());
  if (month !== undefined) return { day: { kind: 'Date', month }, length: word.length };
  const short = SHORT_DATE.exec(said);
  if (short !== null) {
    const { day, month: of } = short.groups ?? {};
    const named = { kind: 'Date', month: Number(of), day: Number(day) } as const;
    return { day: named, length: short[0].length };
  }
  // `El mes que viene` is `el próximo mes`.
  const coming = /^(?<unit>\p{L}+) que viene/iu.exec(said);
  const before = coming?.[0] ?? /^(?:in|im|on|am) (?=\p{Lu})/u.exec(said)?.[0] ?? '';
  const text = `${coming === null ? '' : `próximo ${word}`}${said.slice(before.length)}`;
  const tokens = tokensOf(text);
  const read = dayAt(tokens, 0);
  const day = read?.days[0];
  if (read === null || day === undefined) return null;
  const rest = tokens.slice(read.length).map((token) => token.lower);
  if (UNTIL.test(rest.join(' '))) return null;
  const length = coming?.[0].length ?? before.length + lengthOf(text, tokens.slice(0, read.length));
  return { day, length };
}

/** Returns the length of the tokens that a text begins with. */
function lengthOf(text: string, tokens: readonly Token[]): number {
  return tokens.reduce((end, token) => text.indexOf(token.text, end) + token.text.length, 0);
}

function onsetsInChinese(sentence: string, thisYear: number): readonly Onset[] {
  const isPlanned = PLANNED_HAN.test(sentence);
  return [...sentence.matchAll(ONSET_HAN)].flatMap((match) => {
    const { from, on, near, next, year, month, season, date } = match.groups ?? {};
    if (from === undefined && on === undefined && !isPlanned) return [];
    const place = { start: match.index, end: match.index + match[0].length, isOpen: false };
    if (near !== undefined) return [{ ...place, day: nearDay(near) }];
    const ahead = next === undefined ? undefined : thisYear + '今明后'.indexOf(next.charAt(0));
    const parts = [
      ['year', ahead ?? numberOf(year)],
      ['month', season === undefined ? numberOf(month) : SEASONS.get(season)],
      ['day', numberOf(date)],
    ].filter(([, part]) => part !== undefined);
    const day: NamedDay = { kind: 'Date', ...Object.fromEntries(parts) };
    return parts.length === 0 ? [] : [{ ...place, day }];
  });
}

function nearDay(near: string): NamedDay {
  if (near === '明天' || near === '后天') {
    return { kind: 'Offset', unit: 'day', count: near === '明天' ? 1 : 2 };
  }
  return { kind: 'Offset', unit: near.includes('月') ? 'month' : 'week', count: 1 };
}

function numberOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  return Number(withDigits(word));
}
