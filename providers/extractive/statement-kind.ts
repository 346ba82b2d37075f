/**
 * Tells what a sentence of a short conversation does, in English, German, Spanish and Chinese: it
 * states an outcome (a decision, a value, a day, who does what), proposes, asks, or says something
 * else. Long conversations have `conversation-outcome.ts`.
 */
import { isQuestion } from '#core/text/question.ts';
import { CLOCK, MONTH, NUMBERS } from '#core/text/amount-words.ts';
import { ANY_WEEKDAY } from '#core/text/calendar-words.ts';
import { oneOf, WORD_END, WORD_START } from '#core/text/pattern.ts';

export type StatementKind = 'Outcome' | 'Proposal' | 'Question' | 'Story' | 'Other';

function words(list: string): string {
  return WORD_START + oneOf(list) + WORD_END;
}

function anyWord(list: string, han: string, flags = 'iu'): RegExp {
  return new RegExp(`${words(list)}|${oneOf(han)}`, flags);
}

/** Words with which people settle something. */
const DECIDED = String.raw`
  decided, decides?, decision, agreed (?:on|to|that), settled(?: on)?, chose, chosen, approved,
  rejected?, final, that settles it, go(?:ing)? (?:with|for), stick (?:to|with),
  beschlossen, beschließen, entschieden, entscheidung, geeinigt, abgemacht, vereinbart, festgelegt,
  endgültig, steht fest, bleibt dabei, bleiben bei, genehmigt, abgelehnt,
  decidido, decidimos, decisión, acordado, acordamos, acuerdo, quedamos en, elegimos, elegido,
  definitiv[oa], definitivamente, aprobad[oa], rechazad[oa]
`;
const DECIDED_HAN = String.raw`
  那?就?决定了?, 说定了?, 定了, 定在, 定于, 定为, 选定, 确定, 最终, 最后决定, 通过了, 批准, 否决, 就这么, 说好
`;
/** Words with which they change what was settled. */
const CHANGED = String.raw`
  moved, postponed, changed, cancell?ed, instead, no longer, set to, raised, lowered, cut to,
  verschoben, verlegt, abgesagt, geändert, erhöht, gesenkt, stattdessen, nicht mehr,
  cancelad[oa], aplazad[oa], cambiad[oa], movid[oa], cambiamos, movimos, aplazamos, en vez de,
  en lugar de, ya no
`;
const CHANGED_HAN = '取消, 推迟到?, 提前到, 改到, 改成, 改为, 改在, 不再';
const SETTLES = anyWord(`${DECIDED}, ${CHANGED}`, `${DECIDED_HAN}, ${CHANGED_HAN}`);
const CHANGES = anyWord(CHANGED, CHANGED_HAN);
/** Words of what holds from now on, or corrects what was said. */
const REVISED = String.raw`
  now, from now on, actually, sorry, correction, i mean, hold on, wait,
  jetzt, nun, ab sofort, doch, moment, korrektur, stimmt nicht,
  ahora, desde ahora, en realidad, perdón, corrijo, un momento, espera
`;
const REVISED_HAN = '现在, 其实, 不对, 更正, 等一下, 抱歉';
const REVISES = anyWord(REVISED, REVISED_HAN);

/** Words of what somebody only proposes, considers or wishes. */
const PROPOSES = anyWord(
  String.raw`
  i (?:would )?(?:propose|suggest|recommend), (?:my|the first|another|one) (?:proposal|suggestion),
  (?:how|what) about, maybe, perhaps, could(?! not), might, what if, why (?:not|don['’]t we),
  (?:i|we)(?: would|['’]d) (?:rather|prefer|say|like|love), i (?:think|guess|suppose|thought),
  not sure, i want(?:ed)?, if we, would be (?:nice|good|better), shall we, should we, do we,
  schlag\p{L}* (?:[\p{L}\p{N}.]+ )*vor, vorschlag\p{L}*, vorschlage, vielleicht, eventuell,
  (?:ich|man|wir) (?:könnten?|wäre[n]?|würden?|hätten?|möchten?|fänden?), könnten wir,
  (?:wir|ich) (?:sollten?|wollten?), ich (?:glaube|denke|finde|meine), (?:glaube|denke|finde) ich,
  wie wäre, was haltet,
  was hältst, was wäre,
  propongo, propondría, propuesta, sugiero, sugerencia, quizás?, tal vez, a lo mejor, podríamos,
  podría, podemos, deberíamos, qué tal, y si, (?:yo )?(?:creo|pienso|opino), me gustaría,
  preferiría, querría, quiero, prefiero, sería mejor
`,
  '建议, 提议, 也许, 或许, 可能, 要不, 不如, 怎么样, 觉得, 我想, 要是, 如果, 希望, 可以考虑, 最好',
);

/** Words of what is past: its days and amounts settle nothing. */
const PAST = anyWord(
  String.raw`
  was, were, had, did, went, took, said, got, used to, yesterday, last \p{L}+, ago,
  war, waren, hatten?, stand, ging, wurde, gestern, neulich, früher, letzte[nrsm]?,
  era, eran, fue, fueron, estaba, estaban, había, tenía, comí, llevé, ayer, anoche, pasad[oa]
`,
  '昨天, 前天, 昨晚, 去年, 上周, 上个月, 上次, 以前, 过了',
);

const HAN_NUMBER = String.raw`(?:\d[\d.,]*|[二两三四五六七八九十百千万]|[一二两三四五六七八九十百千万]{2,})`;
const HAN_UNIT =
  '月, 日, 号, 点, 元, 块, 欧元, 美元, 名, 个, 人, 位, 张, 把, 次, 天, 年, 周, 小时, 分钟, 岁, 斤, 公里, 米, ' +
  '份, 件, 套, 台, 间, 本, 辆, 瓶, 盒';
const HAN_DAY = '(?:星期|周|礼拜)[一二三四五六日天]|明天|后天|今晚|下周|下个月';
/** `May` is a month only after a preposition or beside a number. */
const LEADS = String.raw`
  in, by, on, until, till, from, since, before, after, early, mid, late, im, bis, ab, seit, en, de,
  hasta, desde
`;
const NEAR_DAY = String.raw`
  today, tonight, tomorrow, next (?:week|month|year), heute, morgen, übermorgen,
  nächste[nrs]? \p{L}+, hoy, mañana, esta (?:noche|tarde), la semana que viene, el mes que viene
`;
/** A day; what comes first is tried first. */
const DAY = [
  String.raw`\d{4}-\d\d-\d\d`,
  `${WORD_START}${MONTH} \\d{1,2}(?:st|nd|rd|th)?${WORD_END}`,
  `${WORD_START}\\d{1,2}(?:\\.|st|nd|rd|th)? (?:(?:of|de) )?${MONTH}${WORD_END}`,
  `(?<=${WORD_START}${oneOf(LEADS)} )${MONTH}${WORD_END}`,
  WORD_START + ANY_WEEKDAY + WORD_END,
  words(NEAR_DAY),
  `${HAN_NUMBER}月(?:${HAN_NUMBER}[日号]?)?`,
  `${HAN_NUMBER}[日号](?![房楼线馆门院店])`,
  HAN_DAY,
].join('|');
const TIME = [
  String.raw`${WORD_START}\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o['’]clock|Uhr)${WORD_END}`,
  String.raw`\d{1,2}:\d\d`,
  String.raw`${WORD_START}a las (?:\d{1,2}|${oneOf(NUMBERS)})${WORD_END}`,
  words(CLOCK),
  `(?:上午|下午|早上|晚上)?${HAN_NUMBER}点半?`,
].join('|');
/** English `one` and `once` are mostly no numbers. */
const NUMBER_WORDS = NUMBERS.replace(/\b(?:one|once),/gu, '');
const NUMBER_PARTS = oneOf(`${NUMBERS}, hundred, thousand`);
const AMOUNT = [
  String.raw`[$€£¥]? ?\d[\d.,]*(?<![.,]) ?%?`,
  `${WORD_START}${oneOf(NUMBER_WORDS)}(?:[- ]${NUMBER_PARTS})*${WORD_END}`,
  `${HAN_NUMBER}${oneOf(HAN_UNIT)}`,
].join('|');
const VALUES = new RegExp(`(?<day>${DAY})|(?<time>${TIME})|(?<amount>${AMOUNT})`, 'giu');

/** A value that a sentence names. */
export interface NamedValue {
  readonly kind: 'day' | 'time' | 'amount';
  readonly text: string;
}

/** Returns the days, times and amounts that a sentence names, in order. */
export function valuesIn(said: string): readonly NamedValue[] {
  return [...said.matchAll(VALUES)].map(({ 0: text, groups }) => {
    const kind = (['day', 'time'] as const).find((each) => groups?.[each] !== undefined);
    return { kind: kind ?? 'amount', text: text.trim().toLowerCase() };
  });
}

/** Words around an outcome that do not say what it is about. */
const AROUND = String.raw`
  is, are, was, were, has been, have been, will be, be, then, so, okay, ok, no, not, please, we, it,
  that, new, at, on, to, by,
  seconds?, minutes?, hours?, days?, weeks?, months?, years?, points?, times?,
  euros?, dollars?, pounds?, cents?, percent, per cent, bucks, hundred, thousand, million, billion,
  ist, sind, wurden?, also, wird, beträgt, liegt bei, am, um, im, auf, bis, neue[rsn]?, uhr,
  prozent, franken, sekunden?, minuten?, stunden?, tage?n?, wochen?, monate?n?, jahre?n?, mal,
  es de, es, son, será, fue, ha sido, hemos, entonces, bueno, de, a las?, el, la, nuevo, nueva,
  dólares, pesos, por ciento, segundos?, minutos?, horas?, días?, semanas?, mes(?:es)?, años?, veces
`;
const AROUND_HAN = '是, 在, 为, 目前, 那就?, 就, 了, 吧, 欧元, 美元, 块钱?, 元';
const SAYS_NO_TOPIC = anyWord(
  [DECIDED, CHANGED, REVISED, AROUND].join(','),
  [DECIDED_HAN, CHANGED_HAN, REVISED_HAN, AROUND_HAN].join(','),
  'giu',
);

/** Returns what is left of a sentence without its values and the words around them. */
export function topicOf(said: string): string {
  return said.replace(VALUES, ' ').replaceAll(SAYS_NO_TOPIC, ' ');
}

/** Verbs of thinking, wishing, talking and being, which take no task and settle nothing. */
const MENTAL = String.raw`
  am, are, was, were, have, had, do, did, don['’]t, can, can['’]t, could, couldn['’]t, would,
  wouldn['’]t, should, might, may, must, think, thought, guess, know, knew, like, love, hate, want,
  wish, hope, feel, felt, mean, see, saw, hear, heard, agree, wonder, remember, forgot, believe,
  understand, suppose, prefer, propose, suggest, recommend, say, said, talk, talked, discuss, look,
  looked, enjoy, went, got, lost, found, told, also, all, just, really, never, always, usually,
  often, both, still, \p{L}+ed, even, only
`;
const MENTAL_DE = String.raw`
  bin, sind, war, waren, habe, haben, hatten?, hätten?, könnten?, kann, können, würden?, wären?,
  sollten?, soll, sollen, müssten?, möchten?, wollten?, will, wollen, mag, mögen, glauben?, denken?,
  finden?, meinen?, weiß, wissen, hoffen?, sehen?, sehe, kennen?, reden?, sprechen, spreche, sage,
  sagen, höre, hören, freuen?, liebe, lieben, wünschen?, frage, fragen, verstehen?, erinnere
`;
const MENTAL_ES = String.raw`
  estamos, hemos, podemos, debemos, sabemos, queremos, creemos, pensamos, hablamos, tenemos,
  comentamos, preferimos, \p{L}+íamos, \p{L}+[íá]bamos, \p{L}*éramos, esperamos, vimos, vemos,
  ramos, tramos, extremos
`;
const MENTAL_YO = String.raw`
  creo, pienso, quiero, prefiero, propongo, sugiero, opino, espero, digo, veo, puedo, tengo, siento,
  supongo, recuerdo, entiendo, no, también, estoy, soy, he, \p{L}+ía
`;
/** What one person does for others, behind their name. */
const TASKS = String.raw`
  takes?, does, handles?, brings?, fixes, writes?, sends?, orders?, books?, calls?, buys?, makes?,
  prepares?, bakes?, cooks?, drives?, pays?, checks?, owns?, leads?, organi[sz]es?, covers?, stays?,
  prints?, tests?, reviews?, gets?, picks?,
  backt, bäckt, macht, nimmt, bekommt, schreibt, schickt, holt, kauft, bringt, bestellt, bucht,
  ruft, kocht, fährt, zahlt, übernimmt, leitet, prüft, kümmert, organisiert, bleibt,
  lleva, hace, compra, trae, escribe, envía, llama, paga, prepara, cocina, reserva, dirige, revisa,
  organiza, recoge, cuida
`;
const NOT_SETTLED_HAN =
  '好, 行, 可以, 对, 是, 算, 糟, 难, 怪, 有, 没, 会, 更, 太, 说明, [不别]?(?:知道|清楚|懂|明白)';
/** What people do now or will do: `We take the train`, `Ben writes it`, `Yo compro el vino`. */
const COMMITS: readonly RegExp[] = [
  new RegExp(
    `${WORD_START}(?:\\p{L}+ (?:will|shall|is going to|are going to)|i am going to` +
      `|i['’]m going to|we['’]re going to|we are going|(?:i|we|he|she|they)['’]ll)${WORD_END}`,
    'iu',
  ),
  new RegExp(`(?:^|[,:;] ?|then |so )(?:i|we) (?!${oneOf(MENTAL)}${WORD_END})\\p{L}{2,}`, 'iu'),
  new RegExp(String.raw`^\p{Lu}\p{L}+ ${oneOf(TASKS)}${WORD_END}`, 'u'),
  new RegExp(
    `(?:^|[,:;] ?)(?:ich (?!${oneOf(MENTAL_DE)}${WORD_END})\\p{L}+e|` +
      `wir (?!${oneOf(MENTAL_DE)}${WORD_END})\\p{L}+n|(?:ich|wir|\\p{L}+) (?:werden?|wird))` +
      WORD_END,
    'iu',
  ),
  new RegExp(
    `${WORD_START}(?:dann|also|jetzt|morgen) (?!${oneOf(MENTAL_DE)} )\\p{Ll}+(?:e ich|n wir)` +
      WORD_END,
    'iu',
  ),
  new RegExp(
    `${WORD_START}(?!${oneOf(MENTAL_ES)}${WORD_END})\\p{L}{2,}(?:amos|emos|imos)${WORD_END}`,
    'iu',
  ),
  new RegExp(`(?:^|[,:;] ?)yo (?!${oneOf(MENTAL_YO)}${WORD_END})\\p{L}+o${WORD_END}`, 'iu'),
  new RegExp(
    `${WORD_START}(?:\\p{L}{2,}(?:aré|eré|iré|aremos|eremos|iremos)|me encargo|se encarga|` +
      `(?:voy|vas|va|vamos|van) a \\p{L}+r)${WORD_END}`,
    'iu',
  ),
  /我来|我去|我会|我负责|负责|由.{1,6}来|交给|我们(?:就|还是)?(?:去|用|选|买|做|先|把|订|住|吃)/u,
  // "Then we take Postgres", but not "that is good" or "then I do not know".
  new RegExp(`^那么?(?:我们|咱们|大家)?就(?!${oneOf(NOT_SETTLED_HAN)})\\p{Script=Han}`, 'u'),
];
/** In charge: an owner, in any place of a sentence. */
const OWNS = anyWord(
  String.raw`
  (?:is|are) (?:responsible|in charge)(?: for| of)?, zuständig, verantwortlich,
  (?:a cargo|encargad[oa]) de
`,
  '负责',
);

/** Whether a sentence says that something else was said before. */
export function revises(said: string): boolean {
  return REVISES.test(said);
}

/** Whether a sentence says that something settled has changed. */
export function changes(said: string): boolean {
  return CHANGES.test(said);
}

/** Whether a sentence says that something is decided or has changed. */
export function settles(said: string): boolean {
  return SETTLES.test(said);
}

/** Returns what a sentence does. */
export function statementKind(said: string): StatementKind {
  if (isQuestion(said)) return 'Question';
  if (PROPOSES.test(said)) return 'Proposal';
  if (SETTLES.test(said)) return 'Outcome';
  const hasValue = valuesIn(said).length > 0;
  if (PAST.test(said)) return hasValue ? 'Other' : 'Story';
  return hasValue || OWNS.test(said) || COMMITS.some((form) => form.test(said))
    ? 'Outcome'
    : 'Other';
}
