/**
 * Reads the day from which a sentence says that something will hold, in English, German, Spanish
 * and Chinese: "from January on my rent is 1,350 euros", "ab nächstem Monat wohne ich in Bonn".
 */
import { localTime, type SaidAt } from '../said-at.ts';
import { dateOf, dayNumber, firstDayAhead, type NamedDay } from '../text/day.ts';
import { dayAt } from '../text/day-reader.ts';
import { oneOf } from '../text/pattern.ts';
import { tokensOf } from '../text/token.ts';

/** Words before that day. Group `day`: the text that begins with it. */
const ONSET = new RegExp(
  String.raw`(?:^|(?<=[\s,;:–—(]))(?:` +
    `${oneOf(`
      from, starting(?: from| on)?, as (?:of|from), beginning(?: on| from)?,
      effective(?: from)?, ab, mit Wirkung vom, a partir del?
    `)}|(?<until>desde))\\s(?:${oneOf(`
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
const MOVED = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    moved?, moving, postponed, pushed, rescheduled, shifted, delayed, slips?, slipped, verschoben,
    verlegt, verschiebt, vorgezogen, pospuesto, aplazad[oa], aplazamos, aplazaron, movieron, movimos
  `)}(?!\p{L})|[改移推挪调]`,
  'iu',
);
/** Says that it did not hold yet when it was said. */
const WILL =
  /(?<!\p{L})(?:will|going to|werden?|wird|voy|va|vamos)(?!\p{L})|['’]ll(?!\p{L})|[将会]/iu;
const SEASONS: Readonly<Record<string, number>> = {
  spring: 3,
  frühling: 3,
  frühjahr: 3,
  primavera: 3,
  summer: 6,
  sommer: 6,
  verano: 6,
  autumn: 9,
  fall: 9,
  herbst: 9,
  otoño: 9,
  winter: 12,
  invierno: 12,
};
/** Without a year: `1.12.` */
const SHORT_DATE = /^(?<day>[0-3]?\d)\.(?<month>[01]?\d)\.(?!\d)/u;
const YEAR = /^(?<year>20\d\d)(?![\p{L}\p{N}]|[.,:/-]\d)/u;

const HAN_DIGITS = '[一二三四五六七八九十]';
const ONSET_HAN = new RegExp(
  String.raw`(?<from>[从自打])?(?:` +
    String.raw`(?<near>明天|后天|下个?(?:月|周|星期|礼拜)[一二三四五六日天]?)|` +
    String.raw`(?<next>[去今明后]年)?(?:(?<year>20\d\d)年)?` +
    String.raw`(?:(?<month>\d{1,2}|${HAN_DIGITS}{1,2})月(?:份|底|初|中旬)?)?` +
    String.raw`(?:(?<date>\d{1,2}|${HAN_DIGITS}{1,3})[日号])?)` +
    String.raw`(?<on>起|开始|以后|之后)?(?!\s*[到至])`,
  'gu',
);
const HAN = /\p{Script=Han}/u;
const HAN_NUMBERS: ReadonlyMap<string, number> = new Map(
  '一 二 三 四 五 六 七 八 九 十 十一 十二'.split(' ').map((word, at) => [word, at + 1]),
);

/** A quick check of a whole text. */
export function mayAnnounce(text: string): boolean {
  return HAN.test(text) ? /[从自打起]|开始|[以之]后/u.test(text) : text.search(ONSET) >= 0;
}

/**
 * Returns the first day, counted from the epoch, if it was ahead when the sentence was said.
 * A sentence about the past, or about the day of one event, announces none.
 */
export function announcedDay(sentence: string, said: SaidAt): number | null {
  if (MOVED.test(sentence)) return null;
  const named = HAN.test(sentence) ? namedInChinese(sentence, said) : namedIn(sentence);
  const isSure = WILL.test(sentence);
  const days = named.flatMap((day) => firstDayAhead(day, localTime(said), isSure) ?? []);
  return days.length === 0 ? null : Math.max(...days);
}

/** Returns the day since the epoch on which something is said or asked, by that clock. */
export function dayOf(said: SaidAt): number {
  return dayNumber(localTime(said));
}

function namedIn(sentence: string): readonly NamedDay[] {
  return [...sentence.matchAll(ONSET)].flatMap(({ groups }): readonly NamedDay[] => {
    const said = groups?.['day'] ?? '';
    if (groups?.['until'] !== undefined && !AHEAD_ES.test(said)) return [];
    const text = said.replace(/^(?<unit>\p{L}+) que viene/iu, 'próximo $<unit>');
    const year = YEAR.exec(text)?.groups?.['year'];
    if (year !== undefined) return [{ kind: 'Date', year: Number(year) }];
    const month = SEASONS[/^\p{L}+/u.exec(text)?.[0].toLowerCase() ?? ''];
    if (month !== undefined) return [{ kind: 'Date', month }];
    const short = SHORT_DATE.exec(text)?.groups;
    if (short !== undefined) {
      return [{ kind: 'Date', month: Number(short['month']), day: Number(short['day']) }];
    }
    const tokens = tokensOf(text.replace(/^(?:in|im|on|am) (?=\p{Lu})/u, ''));
    const read = dayAt(tokens, 0);
    if (read === null) return [];
    const rest = tokens.slice(read.length).map((token) => token.lower);
    return UNTIL.test(rest.join(' ')) ? [] : read.days.slice(0, 1);
  });
}

function namedInChinese(sentence: string, said: SaidAt): readonly NamedDay[] {
  const thisYear = dateOf(localTime(said)).year ?? 0;
  return [...sentence.matchAll(ONSET_HAN)].flatMap(({ groups }): readonly NamedDay[] => {
    const { from, on, near, next, year, month, date } = groups ?? {};
    if (from === undefined && on === undefined) return [];
    if (near !== undefined) return [nearDay(near)];
    const ahead = next === undefined ? undefined : thisYear + '今明后'.indexOf(next.charAt(0));
    const parts = [
      ['year', ahead ?? numberOf(year)],
      ['month', numberOf(month)],
      ['day', numberOf(date)],
    ].filter(([, part]) => part !== undefined);
    return parts.length === 0 ? [] : [{ kind: 'Date', ...Object.fromEntries(parts) }];
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
  return HAN_NUMBERS.get(word) ?? (/^\d+$/u.test(word) ? Number(word) : undefined);
}
