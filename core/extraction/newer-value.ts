/**
 * Lines and memories that a newer one gives another value to, in plain patterns: numbers and dates
 * of one subject in four languages; in English where a person lives, and what a person uses or
 * prefers "now". Stricter than a person: where two older lines may be meant, or the newer one says
 * more, all of them stay.
 */
import { statementsOf } from './statement.ts';
import { withoutSourceDate } from '../sources/source.ts';
import { memoized } from '../text/memoized.ts';
import { oneOf } from '../text/pattern.ts';
import { spokenLine } from '../text/spoken-line.ts';
import { hasWords } from '../text/whole-words.ts';

export interface ValueLine {
  readonly text: string;
  /** Milliseconds; of two equal times neither is newer. */
  readonly at: number;
}

/** What a line is about, what it says of it, and whether it says that this is new. */
interface Said {
  readonly topic: string;
  readonly value: string;
  /** It replaces an older line only if it says itself that something changed. */
  readonly needsUpdate: boolean;
  readonly isUpdate: boolean;
}

const MONTHS = String.raw`
  jan(?:uary)?, feb(?:ruary)?, mar(?:ch)?, apr(?:il)?, may, june?, july?, aug(?:ust)?,
  sep(?:t(?:ember)?)?, oct(?:ober)?, nov(?:ember)?, dec(?:ember)?, januar, februar, märz, mai, juni,
  juli, oktober, dezember, enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre,
  octubre, noviembre, diciembre
`;
const WEEKDAYS = oneOf(String.raw`
  (?:mon|tues|wednes|thurs|fri|satur|sun)days?, (?:mon|diens|donners|frei|sams|sonn)tags?,
  mittwochs?, sonnabends?, lunes, martes, miércoles, jueves, viernes, sábados?, domingos?
`);
const NUMBERS = String.raw`
  one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, fifteen, twenty,
  thirty, forty, fifty, sixty, seventy, eighty, ninety, zwei, drei, vier, fünf, sechs, sieben,
  acht, neun, zehn,
  elf, zwölf, fünfzehn, zwanzig, dreißig, vierzig, fünfzig, dos, tres, cuatro, cinco, seis,
  siete, ocho, nueve, diez, once, doce, quince, veinte, treinta, cuarenta, cincuenta
`;
const CLOCK = 'noon, midday, midnight, mittags?, mitternacht, mediodía, medianoche';
/** One of them, where a number would count others. */
const SPAN = oneOf(String.raw`
  (?:half )?an? (?:second|minute|hour|day|week|month|year),
  ein(?:e[nmr]?)? (?:Sekunde|Minute|Stunde|Tag|Woche|Monat|Jahr),
  una? (?:segundo|minuto|hora|día|semana|mes|año)
`);
const UNIT =
  String.raw`[^\s\d]?\d[\d.,:%/]*\p{L}{0,3}|${SPAN}|` +
  `${oneOf(MONTHS)}|${WEEKDAYS}|${oneOf(NUMBERS)}|${oneOf(CLOCK)}`;
const JOINS = 'at, to, until, of, um, bis, von, am, a las?, de, del, hasta las?';
/** What a number counts, which another value may count otherwise: `5 minutes`, `€40`. */
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
const VERBS = String.raw`
  is, are, am, costs?, weighs?, takes?, lasts?, starts?, ends?, begins?, opens?, closes?, launches,
  ships?, runs?, listens?, happens?, meets?, rotates?, expires?, renews?,
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
/** A name or identifier: `Power House`, `MySQL 8`, `BA123`, `a@b.org`, `Dr. Kim`. */
const NAME_WORD = String.raw`(?:\p{Lu}[^\s,;:!?]*|[^\s,;:!?]*[\d@][^\s,;:!?]*)`;
const TITLE = String.raw`(?:(?:el |la )?(?:doctora?|profesora?|señora?)|Herr|Frau) `;
const NAME = `(?:${TITLE})?${NAME_WORD}(?: (?:(?:of|de|von|the) )?${NAME_WORD}){0,3}`;
/** How a thing has one other at a time: `is owned by Ann`, `is in Dublin`, `is hosted on AWS`. */
const HELD = oneOf(
  'owned, led, run, maintained, managed, headed, hosted, built, written, deployed, stored, made',
);
const HOLDING = `(?:in|at|on|called|named|${HELD} (?:by|on|in|with))`;
/** They name another one in each text. */
const POINTING = oneOf(`
  This, That, These, Those, It, He, She, They, We, I, You, There, Here, Who, What, Das, Dies, Es,
  Er,
  Sie, Wir, Ich, Hier, Dort, Esto, Este, Esta, Eso, Ella, Él, Aquí, Quien
`);
const NAMED = new RegExp(
  String.raw`^(?<subject>(?:(?:[Tt]he|[Oo]ur|[Mm]y|\p{Lu}[\p{L}’'-]*['’]s|[Ee]l|[Ll]a|[Mm]i|` +
    String.raw`[Nn]uestr[oa]|[Dd]er|[Dd]ie|[Dd]as|[Mm]eine?|[Uu]nsere?) [^\d.;:,?!]{1,50}?|` +
    String.raw`(?!${POINTING} )\p{Lu}[\p{L}-]+)) (?:(?:now|jetzt|ahora) )?` +
    String.raw`(?<verb>is|ist|es|está en) ` +
    String.raw`(?:(?:now|currently|jetzt|ahora) )?(?<holding>${HOLDING} )?` +
    String.raw`(?:(?:an?|una?|eine?) )?` +
    String.raw`(?<value>${NAME})$`,
  'u',
);
/** Of these one has several. */
const OF_SEVERAL = new RegExp(
  String.raw`\b${oneOf(String.raw`
    friends?, colleagues?, co-?workers?,
    (?:step|half-)?(?:brother|sister|son|daughter)s?(?:-in-law)?, cousins?, neighbou?rs?, aunts?,
    uncles?, nephews?, nieces?, child(?:ren)?, kids?, cats?, dogs?, pets?,
    (?:room|flat|team|class)mates?, students?, clients?, customers?, partners?, one, other,
    amig[oa]s?, herman[oa]s?, hij[oa]s?, prim[oa]s?, vecin[oa]s?, t[ií][oa]s?, compañer[oa]s?,
    gat[oa]s?, perr[oa]s?, clientes?, Freund\p{L}*, Kolleg\p{L}*, Bruder, Schwester, Sohn, Tochter,
    Nachbar\p{L}*, Tante, Onkel, Kind, Katze, Hund, Kund\p{L}*, user, nutzer, usuario
  `)}$`,
  'iu',
);
/** Where people come from and what they believe, beside which they have a name. */
const OF_PEOPLE =
  /^\p{L}+(?:ish|ese|an|ic)$|^(?:French|Dutch|Greek|Swiss|Thai|Czech|Muslim|Hindu|Jew)$/u;
/** German writes every noun as a name. */
const NOUN = /^\p{Lu}\p{Ll}+$/u;

/** Since when it is so, which is another thing than what is so. */
const SINCE = new RegExp(
  String.raw` (?:(?:since|as of|seit)(?: (?:dem|last))? ${VALUE}|` +
    String.raw`(?:from|ab|desde)(?: (?:el|dem|next))? ` +
    String.raw`(?:${WEEKDAYS}|${oneOf(MONTHS)})(?: on)?)[.!]?$`,
  'iu',
);
/** Chinese puts no spaces: `例会在星期四上午九点`. */
const HAN_UNIT = String.raw`
  [\d一二三四五六七八九十百千万两零:：.]+, 星期[一二三四五六日天], 周[一二三四五六日], 上午, 下午, 早上,
  晚上, 月, 日, 号, 点, 半, 分钟?, 年, 元, 块, 欧元, 美元, 秒, 小时, 天
`;
const VALUED_HAN = new RegExp(
  String.raw`^(?<subject>[\p{Script=Han}\p{L}]{2,20}?)(?:现在|目前)?` +
    String.raw`(?<verb>定在|定于|是|在|为|于)(?<value>${oneOf(HAN_UNIT)}{2,12})$`,
  'u',
);
/** Neither a fact that something is not so, nor a question, nor one of several conditions. */
const UNSURES = `
  not, no, never, if, unless, either, maybe, might, could, would, should, nicht,
  kein\\p{L}*, nie, falls,
  wenn, vielleicht, könnte, sollte, nunca, si, quizás?, tal vez, podría
`;
const UNSURE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(UNSURES)}(?!\p{L})|n['’]t\b|[?？不没]|如果|可能|也许`,
  'iu',
);

/** Of texts that answers read again and again. */
const MEMO_LIMITS = { entriesMax: 8_192, unitsMax: 1_024 };

/** What a text says of one subject; null where no pattern reads it. */
export interface ReadValue {
  readonly value: Said | null;
}

export const readValue = memoized((text): ReadValue => {
  const said = text.trimEnd().replace(SINCE, '');
  const plain = plainStatement(said);
  if (plain === null) return { value: statedIn(said) };
  return { value: valuedIn(plain) ?? statedIn(said) ?? namedIn(plain) ?? chosenIn(plain) };
}, MEMO_LIMITS);

/** By the place of an older line: the place of the newest one that gives it another value. */
export function newerValues(lines: readonly ValueLine[]): ReadonlyMap<number, number> {
  return newestValues(lines.map(({ text, at }) => ({ ...readValue(text), at })));
}

/** As `newerValues`, of lines that were read. */
export function newestValues(
  lines: readonly (ReadValue & Pick<ValueLine, 'at'>)[],
): ReadonlyMap<number, number> {
  const topics = new Map<string, { at: number; order: number; said: Said }[]>();
  for (const [order, { value: said, at }] of lines.entries()) {
    if (said === null) continue;
    topics.set(said.topic, [...(topics.get(said.topic) ?? []), { at, order, said }]);
  }
  const by = new Map<number, number>();
  for (const entries of topics.values()) {
    const inTime = entries.toSorted((one, other) => one.at - other.at);
    const newest = inTime.at(-1);
    const older = inTime.slice(0, -1).filter(({ at }) => at < (newest?.at ?? 0));
    // Of values that were said at one time none is newer.
    if (newest === undefined || older.length !== inTime.length - 1) continue;
    const isUpdate = newest.said.isUpdate && older.length === 1;
    for (const { order, said } of older) {
      if (newest.said.needsUpdate && !isUpdate && !isOtherVersion(said, newest.said)) continue;
      // `On Tuesday at ten` says `on Tuesday` again.
      if (!hasWords(newest.said.value, said.value)) by.set(order, newest.order);
    }
  }
  return by;
}

/** `Python 3.9` and `Python 3.12`. */
function isOtherVersion(older: Said, newer: Said): boolean {
  const [one, other] = [older, newer].map(({ value }) => value.replace(/\d[\d.]*/u, '#'));
  return one === other && one?.includes('#') === true;
}

/** What a person says of themselves, in the four languages of the rules of extraction. */
function statedIn(text: string): Said | null {
  const [statement, ...others] = spokenLine(text) === null ? statementsOf(text) : [];
  if (statement === undefined || others.length > 0) return null;
  const { topic, values, single, negative } = statement;
  if (!single || negative) return null;
  return saying(['stated', topic], values.join(' '));
}

/** A number, an amount or a date of a subject. */
function valuedIn(plain: string): Said | null {
  const valued = HAS_VALUE.test(plain) ? VALUED.exec(plain)?.groups : undefined;
  if (valued !== undefined && !HAS_VALUE.test(valued['subject'] ?? '')) {
    const { verb, before, after = '', value = '' } = valued;
    const measure = MEASURED.exec(after)?.[0] ?? '';
    const others = after.slice(measure.length);
    const said = `${value}${measure}`;
    // `The warranty is two years` says another thing than `The warranty is 200 euros`.
    const kind = IS_SPAN.test(said) ? 'span' : '#';
    return saying(['value', valued['subject'], verb, before, kind, others], said);
  }
  const han = VALUED_HAN.exec(plain)?.groups;
  return han === undefined ? null : saying(['value', han['subject']], han['value']);
}

/** The one that a thing has at a time, by its name. */
function namedIn(plain: string): Said | null {
  const { subject = '', verb = '', holding, value = '' } = NAMED.exec(plain)?.groups ?? {};
  if (value === '' || OF_SEVERAL.test(subject) || OF_PEOPLE.test(value)) return null;
  if (verb === 'ist' && NOUN.test(value)) return null;
  return saying(['named', subject, verb, holding], value);
}

/** Null for what is not certain. */
function plainStatement(text: string): string | null {
  const plain = withoutSourceDate(text)
    .replace(/[.!。！]+\s*$/u, '')
    .trim();
  return UNSURE.test(plain) ? null : plain;
}

/** Where somebody lives, and what they use. */
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
  return { topic: key.join('/'), value: value.toLowerCase(), needsUpdate: false, isUpdate: false };
}
