/**
 * Finds lines and memories whose value a newer one replaces, by plain patterns: numbers and dates
 * of one subject in four languages; in English also where people live, and what they use or prefer
 * "now". It is stricter than a person: if two older lines may be meant, or the newer one says more,
 * all of them stay.
 */
import { withoutOnset } from './announced-day.ts';
import { isEngagement, restatedIn, UNSURES } from './restated/restated-value.ts';
import { partsOf } from './partial-ending.ts';
import { ownSentences, statementsOf } from './statement.ts';
import { holdingPart, saidTimes } from './valid-time.ts';
import { relationsIn } from '../text/different-people.ts';
import { withoutSourceDate } from '../sources/source.ts';
import { memoized } from '../text/memoized.ts';
import { oneOf } from '../text/pattern.ts';
import { CLOCK, MONTH, NUMBERS } from '../text/amount-words.ts';
import { ANY_WEEKDAY } from '../text/calendar-words.ts';
import { labeledLine } from '../text/speaker-label.ts';
import { containsWholeWords } from '../text/whole-words.ts';

export interface ValueLine {
  readonly text: string;
  /** In milliseconds; of two lines with equal times, neither is newer. */
  readonly at: number;
}

/** What a line is about, what it says about it, and whether it says that this is new. */
interface Said {
  readonly topic: string;
  readonly value: string;
  /** Whether it replaces an older line only if it says itself that something changed. */
  readonly needsUpdate: boolean;
  readonly isUpdate: boolean;
  /** Whether its text says something else too, so that nothing replaces all of it. */
  readonly isPart: boolean;
}

const NEEDS_NO_UPDATE = { needsUpdate: false, isUpdate: false, isPart: false } as const;

/** A single span of time, in place of a number and a unit: `half an hour`. */
const SPAN = oneOf(String.raw`
  (?:half )?an? (?:second|minute|hour|day|week|month|year),
  ein(?:e[nmr]?)? (?:Sekunde|Minute|Stunde|Tag|Woche|Monat|Jahr),
  una? (?:segundo|minuto|hora|día|semana|mes|año)
`);
const UNIT =
  String.raw`\d{4}-\d\d-\d\d|[^\s\d]?\d[\d.,:%/]*\p{L}{0,3}|${SPAN}|` +
  `${MONTH}|${ANY_WEEKDAY}|${oneOf(NUMBERS)}|${oneOf(CLOCK)}`;
const JOINS = 'at, to, until, of, um, bis, von, am, a las?, de, del, hasta las?';
/** Units of a value, which another value may give in other units: `5 minutes`, `€40`. */
const SPANS = String.raw`
  seconds?, minutes?, mins?, hours?, days?, weeks?, months?, years?, Sekunden?, Minuten?, Stunden?,
  Tage?n?, Wochen?, Monate?n?, Jahre?n?, segundos?, minutos?, horas?, días?, semanas?, mes(?:es)?,
  años?
`;
const AMOUNTS = String.raw`
  percent, euros?, eur, dollars?, usd, bucks, pounds?, quid, gbp, pesos?, francs?, hundred,
  thousand, million, billion, Prozent, Franken, Mio\.?, Mrd\.?, Tsd\.?, Tausend, Millionen,
  Milliarden, por ciento, dólares, libras, francos, mil, millones(?: de)?
`;
const MEASURED = new RegExp(String.raw`^(?: ${oneOf(`${SPANS}, ${AMOUNTS}`)}(?!\p{L}))+`, 'iu');
const IS_SPAN = new RegExp(String.raw`(?:^|\s)(?:${SPAN}|${oneOf(SPANS)})$`, 'iu');
const VALUE =
  String.raw`(?:(?:half|quarter) (?:past|to) )?(?:${UNIT})` +
  String.raw`(?:,? (?:${oneOf(JOINS)} )?(?:${UNIT})){0,6}`;
const HAS_VALUE = new RegExp(String.raw`(?:^|\s)(?:${UNIT})(?:\s|$)`, 'iu');
/** Gives a value that was another one before, as `is` does: `The deadline moved to May 4`. */
const CHANGED_TO =
  '(?:(?:was|were|is|has|have|has been|have been) )?' +
  '(?:moved|changed|set|pushed|raised|lowered|reduced|increased|cut) to';
const IS_CHANGED = new RegExp(`^${CHANGED_TO}$`, 'iu');
const VERBS = String.raw`
  is, are, am, costs?, weighs?, takes?, lasts?, starts?, ends?, begins?, opens?, closes?, launches,
  ships?, runs?, listens?, happens?, meets?, rotates?, expires?, renews?, ${CHANGED_TO},
  sleeps?, ist, sind, bin, wiegt, wiege, kostet, kosten, dauert,
  beginnt, endet, startet, öffnet, schließt, beträgt, läuft, liegt, findet, es, son, peso, pesa,
  cuesta, cuestan, dura, empieza, termina, abre, cierra, está
`;
const SUBJECT = String.raw`(?<subject>[^\d.;:,?!]{1,60}?)`;
const UPDATE = String.raw`now|currently|instead|these days|from now on|since then`;
const TAILS = 'for in at on with when after before over while during to because if from by'
  .split(' ')
  .join('|');

const VALUED = new RegExp(
  String.raw`^${SUBJECT} (?:(?:now|currently|ahora) )?(?<verb>${oneOf(VERBS)})` +
    String.raw`(?: jetzt| nun| ahora)?(?<before>(?: \p{L}+){0,3}?) (?<value>${VALUE})` +
    String.raw`(?<after>(?: \p{L}+\.?){0,4})$`,
  'iu',
);
const RESIDENT = new RegExp(
  String.raw`^${SUBJECT} (?:(?:now|currently|just|recently) )?` +
    String.raw`(?:lives? in|(?:has |have )?moved (?:from [\p{L} ]{2,40}? )?to) ` +
    String.raw`(?<value>\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*){0,2})$`,
  'u',
);
const CHOSEN = new RegExp(
  String.raw`^${SUBJECT} (?<marked>(?:${UPDATE}) )?(?<verb>uses?|prefers?|drinks?|drives?) ` +
    String.raw`(?<value>(?!(?:${TAILS})\b)[^\s,;:]+` +
    String.raw`(?: (?!(?:${TAILS}|${UPDATE}|and|or)\b)[^\s,;:]+){0,2})` +
    String.raw`(?<tail> (?:${TAILS}) [^,;:]+?)?(?<later> (?:${UPDATE}))?$`,
  'iu',
);
/** Matches since when something holds, which is no part of the value. */
const SINCE = new RegExp(
  String.raw` (?:(?:since|as of|seit)(?: (?:dem|last))? ${VALUE}|` +
    String.raw`(?:from|ab|desde)(?: (?:el|dem|next))? ` +
    String.raw`(?:${ANY_WEEKDAY}|${MONTH})(?: on)?)[.!]?$`,
  'iu',
);
/** How a match of `SINCE` begins: texts without it need not compile that. */
const BEGINNING = / (?:since|as of|seit|from|ab|desde) /iu;
/** Chinese is written without spaces: `例会在星期四上午九点`. */
const HAN_UNIT = String.raw`
  [\d一二三四五六七八九十百千万两零:：.]+, 星期[一二三四五六日天], 周[一二三四五六日], 上午, 下午, 早上,
  晚上, 月, 日, 号, 点, 半, 分钟?, 年, 元, 块, 欧元, 美元, 秒, 小时, 天
`;
const VALUED_HAN = new RegExp(
  String.raw`^(?<subject>[\p{Script=Han}\p{L}]{2,20}?)(?:现在|目前)?` +
    String.raw`(?<verb>定在|定于|是|在|为|于)(?<value>${oneOf(HAN_UNIT)}{2,12})$`,
  'u',
);
const UNSURE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(UNSURES)}(?!\p{L})|n['’]t\b|[?？不没]|如果|可能|也许`,
  'iu',
);

/** Cache limits for texts that answer after answer contains. */
const MEMO_LIMITS = { entriesMax: 8_192, unitsMax: 1_024 };

/** What a text says about its subjects; empty if no pattern matches. */
export interface ReadValues {
  readonly values: readonly Said[];
}

export const readValues = memoized((text): ReadValues => {
  const held = withoutOnset(text);
  const announced = held === text ? [] : valuesIn(held);
  return { values: announced.length === 0 ? valuesIn(text) : announced };
}, MEMO_LIMITS);

function valuesIn(text: string): readonly Said[] {
  const said = BEGINNING.test(text) ? text.trimEnd().replace(SINCE, '') : text.trimEnd();
  const plain = plainStatement(said);
  const value =
    plain === null ? statedIn(said) : (valuedIn(plain) ?? statedIn(said) ?? chosenIn(plain));
  const restated = restatedIn(said).map((each) => ({ ...NEEDS_NO_UPDATE, ...each }));
  return value === null ? restated : [value, ...restated];
}

/** Whether the newer text gives another value to something that the older one gives a value. */
export function givesAnotherValue(older: ReadValues, newer: ReadValues): boolean {
  return older.values.some((one) =>
    newer.values.some((other) => one.topic === other.topic && replaces(other, one, true)),
  );
}

/** Returns, by the place of an older line, the place of the newest line that replaces its value. */
export function newerValues(lines: readonly ValueLine[]): ReadonlyMap<number, number> {
  return newestValues(
    lines.map(({ text, at }) => ({
      ...readValues(holdingPart(saidTimes({ text, at }), null)),
      at,
    })),
  );
}

/** As `newerValues`, for lines whose values were read before. */
export function newestValues(
  lines: readonly (ReadValues & Pick<ValueLine, 'at'>)[],
): ReadonlyMap<number, number> {
  const topics = new Map<string, { at: number; order: number; said: Said }[]>();
  for (const [order, { values, at }] of lines.entries()) {
    for (const said of values) {
      topics.set(said.topic, [...(topics.get(said.topic) ?? []), { at, order, said }]);
    }
  }
  const by = new Map<number, number>();
  for (const entries of topics.values()) {
    const inTime = entries.toSorted((one, other) => one.at - other.at);
    const newest = inTime.at(-1);
    const older = inTime.slice(0, -1).filter(({ at }) => at < (newest?.at ?? 0));
    // Of several values that were said last at the same time, none is newer.
    if (newest === undefined || older.length !== inTime.length - 1) continue;
    for (const { order, said } of older) {
      if (replaces(newest.said, said, older.length === 1)) by.set(order, newest.order);
    }
  }
  return by;
}

/** @param isOnly whether this is the only older value of the topic */
function replaces(newer: Said, older: Said, isOnly: boolean): boolean {
  if (older.isPart) return false;
  const isUpdate = newer.isUpdate && isOnly;
  if (newer.needsUpdate && !isUpdate && !isOtherVersion(older, newer)) return false;
  // `On Tuesday at ten` repeats `on Tuesday`, and the shorter one does not end the longer one.
  return (
    !containsWholeWords(newer.value, older.value) && !containsWholeWords(older.value, newer.value)
  );
}

/** Whether the values differ only in a version: `Python 3.9` and `Python 3.12`. */
function isOtherVersion(older: Said, newer: Said): boolean {
  const [one, other] = [older, newer].map(({ value }) => value.replace(/\d[\d.]*/u, '#'));
  return one === other && one?.includes('#') === true;
}

/** Reads what people say about themselves, in the four languages of the extraction rules. */
function statedIn(text: string): Said | null {
  const [statement, ...others] = labeledLine(text) === null ? statementsOf(text) : [];
  if (statement === undefined || others.length > 0) return null;
  const { topic, values, single, negative } = statement;
  if (!single || negative) return null;
  const isPart = partsOf(ownSentences(text), statement.language).parts.length > 1;
  // `My sister Ana` is not `my cousin Ana`.
  const subject = ['stated', topic, ...relationsIn(text).values()];
  return { ...saying(subject, values.join(' ')), isPart };
}

/** Reads a number, an amount or a date of a subject. */
function valuedIn(plain: string): Said | null {
  const valued = HAS_VALUE.test(plain) ? VALUED.exec(plain)?.groups : undefined;
  if (valued !== undefined && !HAS_VALUE.test(valued['subject'] ?? '')) {
    const { verb = '', subject = '', before, after = '', value = '' } = valued;
    if (isEngagement(`${subject} ${verb}`, value)) return null;
    const measure = MEASURED.exec(after)?.[0] ?? '';
    const others = after.slice(measure.length);
    const said = `${value}${measure}`;
    // `The warranty is two years` and `The warranty is 200 euros` have different topics.
    const kind = IS_SPAN.test(said) ? 'span' : '#';
    const is = verb.replace(IS_CHANGED, 'is');
    return saying(['value', subject, is, before, kind, others], said);
  }
  const han = VALUED_HAN.exec(plain)?.groups;
  return han === undefined ? null : saying(['value', han['subject']], han['value']);
}

/** Returns the statement without its date and period; null if it is uncertain. */
function plainStatement(text: string): string | null {
  const plain = withoutPeriod(withoutSourceDate(text).trim());
  return UNSURE.test(plain) ? null : plain;
}

/** A pattern that ends with `$` would be tried at each period of a long text. */
function withoutPeriod(text: string): string {
  let { length } = text;
  while (length > 0 && '.!。！'.includes(text.charAt(length - 1))) length -= 1;
  return text.slice(0, length).trim();
}

/** Reads where somebody lives, or what they use. */
function chosenIn(plain: string): Said | null {
  const resident = RESIDENT.exec(plain)?.groups;
  if (resident !== undefined) return saying(['home', resident['subject']], resident['value']);
  const chosen = CHOSEN.exec(plain)?.groups;
  if (chosen === undefined) return null;
  const { subject, verb, tail, value, marked, later } = chosen;
  const said = saying(['choice', subject, verb, tail], value);
  return { ...said, needsUpdate: true, isUpdate: marked !== undefined || later !== undefined };
}

function saying(topic: readonly (string | undefined)[], value = ''): Said {
  const key = topic.map((part = '') =>
    part
      .toLowerCase()
      .replace(/^ ?the /u, '')
      .trim(),
  );
  return { topic: key.join('/'), value: value.toLowerCase(), ...NEEDS_NO_UPDATE };
}
