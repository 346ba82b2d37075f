/**
 * Reads when something is valid that a text says: from an announced day on, for a limited time, or
 * now and for good. What a newer text announces replaces nothing before its day, and what it tells
 * of a limited time replaces nothing that holds in general: "this week I work from London", "I live
 * in Lisbon for two weeks in November", "solange ich in Porto bin, wohne ich bei Ana".
 */
import { once } from '../once.ts';
import type { SaidAt } from '../said-at.ts';
import { dayOf } from '../text/day.ts';
import { anyOf, anyWord, oneOf, WORD_END, WORD_START } from '../text/pattern.ts';
import { likelyTest } from '../text/prefilter.ts';
import { announcedDay, mayAnnounce } from './announced-day.ts';
import { takesChangeBack } from './rules/changes-taken-back.ts';
import { ownSentences } from './statement.ts';
import { MONTH } from '../text/amount-words.ts';

const SOME = String.raw`(?:an?|a (?:few|couple of)|two|three|four|five|six|several|some|\d\d?)`;
const SOME_DE = String.raw`(?:eine[nm]?|zwei|drei|vier|fünf|sechs|einige|ein paar|\d\d?)`;
const SOME_ES = String.raw`(?:una?|un par de|dos|tres|cuatro|cinco|seis|unos|unas|\d\d?)`;
const TIMES_ES = '(?:días|noches|semanas?|mes(?:es)?)';
const WHO = String.raw`(?:I|we|he|she|they|\p{Lu}\p{L}+|(?:my|our|the) \p{L}+(?: \p{L}+)?)`;
const SOME_ZH = String.raw`(?:[一二两三四五六七八九十几半]|\d\d?)`;

/** How long it holds. */
export const TIME = new RegExp(
  `${WORD_START}${oneOf(String.raw`
    (?<!(?:as of|since|from|starting) )this (?:week|weekend|month|semester|term),
    (?<!(?:as of|since|from|starting) )this (?:summer|winter|autumn|fall|spring),
    (?<!(?:from|starting|of|beginning|to|until) )next (?:week|weekend),
    for (?:the (?:next|coming) )?${SOME} (?:more )?(?:days?|nights?|weeks?|months?),
    (?:while|as long as) ${WHO}(?:['’](?:m|re|s)| am| are| is),
    during (?:my|our|the) (?:trip|stay|vacation|holidays?|visit|leave|internship|renovations?),
    temporarily, for the time being, in the meantime, meanwhile, over the (?:holidays|summer),
    (?:until|till) (?:I|we|my|our|the|next|end of|mid|\p{Lu}\p{Ll}\p{Ll}+),
    diese (?:Woche|Tage), diese[ns] (?:Wochenende|Monat|Sommer|Winter|Herbst|Frühling|Semester),
    (?<!(?:ab|seit|von|bis|auf) )nächste Woche,
    für (?:die (?:nächsten|kommenden) )?${SOME_DE} (?:Tage?|Nächte|Wochen?|Monate?),
    ${SOME_DE} (?:Tage|Wochen|Monate) lang, für die nächste Zeit, übergangsweise, vorübergehend,
    fürs Erste, einstweilen, zwischenzeitlich, in der Zwischenzeit, solange,
    während (?:ich|wir|meine[rs]|unsere[rs]|de[rs]),
    bis (?:Ende|Mitte|Anfang|zum|nächste\p{L}*|ich|wir|mein|\p{Lu}\p{Ll}\p{Ll}+),
    (?<!(?:desde|de) )esta semana, este (?:mes|fin de semana|verano|invierno|otoño|semestre),
    estos días,
    (?<!(?:de|desde|para|a) )la (?:semana que viene|próxima semana),
    (?<!(?:hace|llevo|desde|en) )(?:durante |por )?${SOME_ES} ${TIMES_ES}(?! (?:que|atrás|antes)),
    durante (?:mi|nuestr[oa]|el|la|las) (?:viaje|estancia|vacaciones|visita|baja|obras?|reforma),
    temporalmente, provisionalmente, entretanto, mientras,
    hasta (?:que|fin(?:ales)? de|el|la|${MONTH})
  `)}${WORD_END}|` +
    '(?<!从)(?:这个?(?:周末?|星期|礼拜|月|夏天|冬天|暑假|寒假|学期)|本周|本月|这[几两]天|这段时间)|' +
    '(?<!从)下个?(?:周末?|星期)(?![一二三四五六日天]?[起开])|暂时|临时|暂住|期间|' +
    `(?<!第)${SOME_ZH}(?:个(?:星期|礼拜|月)|星期|周|天)(?![前后以之内])|为止`,
  'iu',
);

/** Things of a person that are one at a time, for a while too. */
const THINGS = oneOf(`
  (?:phone )?number, phone, address, e?-?mail, office, desk, room, boss, manager, hours, extension,
  home, base
`);
const THINGS_DE = oneOf(String.raw`
  \p{L}*nummer, Handy, Adresse, E?-?Mail, Büro, Platz, Zimmer, Chefin?, Arbeitszeit(?:en)?
`);
const THINGS_ES = oneOf(`
  número, teléfono, móvil, dirección, correo, oficina, mesa, jef[ea], horario
`);
const VERBS = '(?:liv|work|stay|sleep|us|driv|commut|rent|tak|shar|cover|report|base)';
const VERBS_DE =
  '(?:wohn|leb|arbeit|schlaf|bleib|nutz|benutz|verwend|fahr|nehm|pendel|pendl|übernehm)';

/** Says how things are, without an event that has its one time. */
const STATE = new RegExp(
  `(?<!\\p{L})${oneOf(
    String.raw`
    (?:I|we)(?:['’](?:m|re|ll|ll be)| am| are| will(?: be)?)?
      (?: (?:only|just|mostly|also|again))? ${VERBS}(?:e|ing|d)?(?!\p{L}),
    (?:I|we)(?:['’](?:m|re|ll be)| am| are| will be) (?:in|at|on|with)\s,
    (?:my|our) ${THINGS} (?:is|will be)\s,
    \p{L}+ (?:is|will be|covers|takes|runs|does|acts) (?:my|our|for|as|over)\s,
    (?:stand-?up|daily|sync|retro) (?:is|starts|will be) at\s,
    (?:ich|wir) ${VERBS_DE}e?n?(?!\p{L}),
    ${VERBS_DE}e?n? (?:ich|wir)(?!\p{L}),
    (?:ich|wir) (?:bin|sind) (?:in|bei|im|unter|auf|diese|nächste)\s,
    (?:bin|sind) (?:ich|wir) (?:in|bei|im|unter|auf)\s,
    (?:mein|unser)\p{L}* ${THINGS_DE} (?:ist|lautet|sind)\s,
    (?:ist|lautet|sind) (?:mein|unser)\p{L}* ${THINGS_DE}(?!\p{L}),
    (?:ist|sind) \p{L}+ (?:mein|unser)\p{L}* \p{Lu},
    (?:vertritt|übernimmt|leitet)\s,
    (?:vivo|vivimos|viviré|trabajo|trabajamos|trabajaré|duermo|dormimos|uso|usamos|usaré)(?!\p{L}),
    (?:conduzco|comparto|me quedo|nos quedamos|me alojo)(?!\p{L}),
    (?:estoy|estamos|estaré) (?:en|con|de)\s,
    (?:mi|nuestr[oa]) ${THINGS_ES}(?: de \p{L}+)? (?:es|será|está)\s
  `.replaceAll(/\n\s+(?=\(\?: \()/gu, ''),
  )}|` +
    '我们?.{0,16}(?:住|工作|上班|办公|用|睡|开)|' +
    '我们?的?.{0,8}(?:电话|手机|号码|地址|邮箱|办公室|座位|老板|经理).{0,3}是',
  'iu',
);

/** Says that something has changed or is new, or since when it holds. */
const CHANGED = new RegExp(
  `${WORD_START}${oneOf(`
    moved, switched, changed, left, quit, joined, started, sold, bought, got, became, been, have,
    has, had, since, already, now, new, for good, from now on, permanently, no longer, any ?more,
    gezogen, umgezogen, gewechselt, gekündigt, verkauft, gekauft, geworden, habe, haben, hatte,
    seit, schon, jetzt, nun, neue?[nrsm]?, dauerhaft, endgültig, nicht mehr, me mud[éo], mudado,
    nos mudamos, cambi[éo], dejé, dejado, llevo, ya, ahora, nuev[oa],
    desde (?:hace|que|el|la|entonces|siempre|ayer|${MONTH}), para siempre
  `)}${WORD_END}|[了过]|换|搬|改|辞|新|已经|一直`,
  'iu',
);

/** A quick check of a whole text. */
const mayBeForATime = likelyTest(TIME);

function isForATime(sentence: string): boolean {
  return mayBeForATime(sentence) && STATE.test(sentence) && !CHANGED.test(sentence);
}

export interface SaidText extends SaidAt {
  readonly text: string;
}

/** A sentence with what it tells of other times. */
interface DatedSentence {
  readonly text: string;
  /** The day from which it says that something will hold; 0 if it announces none. */
  readonly announced: number;
  readonly isForATime: boolean;
}

/** What a text tells of other times, read on first use and kept for many comparisons. */
export interface SaidTimes {
  readonly text: string;
  /** The day on which it was said, as `dayOf` counts. */
  readonly day: number;
  /** Whether the text may tell of another time at all. */
  readonly isOfOtherTime: () => boolean;
  readonly sentences: () => readonly DatedSentence[];
  /** The last day that it announces; 0 if it announces none. */
  readonly lastAnnounced: () => number;
  /** Whether it may end what is only announced. */
  readonly mayEndAnnounced: () => boolean;
}

export function saidTimes(said: SaidText): SaidTimes {
  const { text } = said;
  const sentences = once(() =>
    ownSentences(text).map((each) => ({
      text: each,
      announced: announcedDay(each, said) ?? 0,
      isForATime: isForATime(each),
    })),
  );
  return {
    text,
    day: dayOf(said),
    isOfOtherTime: once(() => mayTellOfOtherTime(text)),
    sentences,
    lastAnnounced: once(() =>
      mayAnnounce(text) ? Math.max(0, ...sentences().map(({ announced }) => announced)) : 0,
    ),
    mayEndAnnounced: once(() => takesChangeBack(text) || ENDS.test(text)),
  };
}

/** A quick check before the sentences are read one by one. */
export function mayTellOfOtherTime(text: string): boolean {
  return mayBeForATime(text) || mayAnnounce(text);
}

/**
 * Returns a newer text without what it says for another time. Of two texts about a limited time, or
 * about what is to come, the newer one replaces the older.
 * @param older null for any text that holds in general
 * @param today the day on which they are compared, as `dayOf` counts
 */
export function holdingPart(
  newer: SaidTimes,
  older: SaidTimes | null,
  today: number = newer.day,
): string {
  if (!newer.isOfOtherTime()) return newer.text;
  const isBeforeForATime = once(() => older?.sentences().some((each) => each.isForATime) === true);
  const expected = once(() => older?.lastAnnounced() ?? 0);
  const sentences = newer.sentences();
  const holding = sentences.flatMap(({ text, announced, isForATime: isShort }) => {
    if (announced > today && announced > expected()) return [];
    return isShort && !isBeforeForATime() ? lastingClauses(text) : [text];
  });
  const isWhole =
    holding.length === sentences.length &&
    holding.every((each, at) => each === sentences[at]?.text);
  return isWhole ? newer.text : holding.join(' ');
}

/** Returns the clauses of a sentence beside the one about a limited time; none if that is all. */
function lastingClauses(sentence: string): readonly string[] {
  const clauses = sentence.split(JOINT);
  const lasting = clauses.filter((each) => !isForATime(each));
  return lasting.length === clauses.length ? [] : lasting;
}

/** Joins clauses of which one may hold without the other. */
const JOINT = /[,，;；]\s?(?:so|and|but|also|und|aber|y|pero|así que)\s|[;；]/iu;

/** Words of a change, which may also end what is only announced. */
const ENDS = anyOf(
  anyWord(`
    not, never, instead, no longer, any ?more, cancel\\p{L}*, off, \\p{L}+n['’]t, nicht,
    kein\\p{L}*, abgesagt, stattdessen, no, ya no, en vez de
  `),
  '[不没]|取消',
);

/**
 * Whether an older text announces something for a day that a newer one precedes: "I work at Bosch"
 * does not end "from May on I work at Siemens", but "I am not joining Siemens" does.
 */
export function isAhead(older: SaidTimes, newer: SaidTimes): boolean {
  const announced = older.lastAnnounced();
  if (announced === 0 || newer.mayEndAnnounced()) return false;
  return announced > newer.day && newer.lastAnnounced() === 0;
}
