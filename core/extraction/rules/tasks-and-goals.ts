/**
 * Rules of extraction for what the speaker has to do or wants to achieve: "I need to send the
 * report by Friday", "Todo: renew the passport", "Mein Ziel ist ein Marathon". What others have to
 * do, and what the speaker needs of an answer ("I need to know"), is none of it.
 */
import { VERBS_DE, VERBS_EN, VERBS_ES, VERBS_ZH } from '../open-tasks.ts';
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import { type Rule, type RulesByLanguage, ruleMakers } from '../rule.ts';

const STOP = String.raw`.,;:!?()…–—\n"“”„«»`;
const STOP_ZH = String.raw`，,。；;！!？?：:、（）()\s`;
/** What is needed or felt, not done: `I need to know`, `I have to say`. */
const STATES_EN = oneOf(`
  be, have, say, admit, know, think, understand, agree, confess, ask you, sleep, eat, drink, rest,
  relax, see, hear, feel, stop, wait, stay, remain, live, believe, like, learn how, figure out,
  find out, make sure, decide, go(?! to the), leave, get (?:going|some|better|up|used|back), win,
  remember that, point out, tell you, thank, give you, start, use, keep, show, explain, call it,
  pay (?:\\p{L}+ )?attention, take (?:care|a break)
`);
const STATES_DE = oneOf(`
  sein, haben, sagen, zugeben, wissen, denken, verstehen, gestehen, schlafen, essen, trinken,
  warten, bleiben, leben, gehen, aufstehen, aufpassen, weg, los, sehen, aufhören, entscheiden,
  überlegen, gewinnen, lachen, tun
`);
const STATES_ES = oneOf(`
  ser, estar, tener, decir(?:te)?, admitir, reconocer, saber, pensar, entender, dormir, comer,
  descansar, esperar, ver, vivir, creer, irme, ir(?! a), salir, ganar, confesar, usar, explicar
`);
/** What only this conversation has: `fix this`. */
const POINTING_EN = String.raw`(?:\p{L}+ ){1,2}(?:this|that|these|those|it|them|something|your?)\b`;
/** Is done again and again, so that no report ends it. */
const ONCE_EN = String.raw`(?!.*\b(?:every|each|daily|weekly|always|whenever)\b)`;
const ONCE_DE = String.raw`(?!.*(?<!\p{L})(?:jede[nrsm]?|täglich|wöchentlich|immer)(?!\p{L}))`;
const ONCE_ES = String.raw`(?!.*(?<!\p{L})(?:cada|siempre|tod[oa]s l[oa]s|a diario)(?!\p{L}))`;

const { task, formerTask, goal } = ruleMakers({
  V: `(?<value>[^${STOP}]{2,120}?)(?=\\s*(?:[${STOP}]|$))`,
  // `das Paket` is a thing, `das` alone points to something said before.
  VDE: `(?:das (?=(?:\\p{Ll}+ )?\\p{Lu}))?(?<value>[^${STOP}]{2,120}?)(?=\\s*(?:[${STOP}]|$))`,
  VZH: `(?<value>[^${STOP_ZH}]{2,40}?)(?=[${STOP_ZH}]|$)`,
  POINTING: `(?!(?:\\p{L}+ )?${POINTING_EN})`,
  LABEL: '^(?:[-*•]\\s*)?',
  ONCE: ONCE_EN,
  ONCEDE: ONCE_DE,
  ONCEES: ONCE_ES,
  // The beginning of a clause: `the report I need to send` sets no task.
  AT: '(?:^|[,;:–—]\\s|(?<!\\p{L})(?:and|but|so|because|since|[Bb]efore [^,]{1,20},)\\s)',
  MUST: oneOf(`
    (?:need|have|ought) to(?: remember to)?, must, gotta, (?:have )?got to
  `),
  I: String.raw`(?:I|[Ww]e)(?:['’]ve)?(?: (?:still|also|really|just|only|absolutely|urgently))*`,
  /** A day before the subject: `By Friday I have to`. */
  FIRST:
    String.raw`(?:(?:[Bb]y|[Bb]efore|[Oo]n) (?:${WEEKDAYS.en}|${MONTHS.en}|the )[^${STOP}]{0,20}|` +
    '[Tt]omorrow(?: \\p{Ll}+)?|[Tt]oday|(?:[Tt]his|[Nn]ext) \\p{L}+),? ',
  WORK: `(?!${STATES_EN}\\b)(?!${POINTING_EN})(?=\\p{Ll})`,
  ERRAND:
    `(?!(?:get|ask|update|print|complete|clean|review|replace)\\s)(?=${oneOf(VERBS_EN)}\\s)` +
    `(?!${POINTING_EN}|call it\\b|pay (?:\\p{L}+ )?attention)`,
  DUE:
    String.raw`(?=[^${STOP}]*\b(?:tomorrow|today|tonight|this (?:week|weekend|month|morning|` +
    String.raw`afternoon|evening)|next (?:week|month|${WEEKDAYS.en})|EOD|` +
    String.raw`end of (?:the |this |next )?(?:day|week|month|year|quarter)|` +
    String.raw`(?:by|before|on|until|till) (?:the )?(?:next |this |coming )?` +
    String.raw`(?:${WEEKDAYS.en}|${MONTHS.en}|\d|noon|weekend|Christmas|Easter))(?!\p{Ll}))`,
  ATDE: '(?:^|[,;:–—]\\s|(?<!\\p{L})(?:und|aber|also|denn|weil)\\s)',
  FRONT: String.raw`(?:(?!(?:[Ww]enn|[Ff]alls|[Ww]as|[Ww]arum|[Ww]ie)\s)\p{L}[^${STOP}]{1,30} )`,
  WORKDE: `(?![^${STOP}]*(?:${STATES_DE})\\s*(?:[${STOP}]|$))(?!mal kurz)(?!nicht\\b)`,
  ERRANDDE:
    `(?=[^${STOP}]*\\s${oneOf(VERBS_DE)}(?:[${STOP}]|$|\\s(?:bis|vor|am|morgen)\\s))` +
    '(?![^.;!?]* nicht )(?!dich |dir )',
  DUEDE:
    `(?=[^${STOP}]*(?<!\\p{L})(?:morgen|übermorgen|heute|diese (?:Woche|Tage)|dieses Wochenende|` +
    `nächsten? (?:Woche|Monat|${WEEKDAYS.de})|(?:bis|vor|am|zum|nächsten) (?:zum |nächsten )?` +
    `(?:${WEEKDAYS.de}|${MONTHS.de}|\\d|Monatsende|Wochenende|Ende|Weihnachten))(?!\\p{Ll}))`,
  ATES:
    '(?:^|[,;:–—]\\s|(?<!\\p{L})(?:y|pero|así que|porque)\\s)(?:[Yy]o |[Tt]ambién |[Tt]odavía |' +
    `[Aa]ún |[Mm]añana |[Ee]l ${WEEKDAYS.es} )*`,
  MUSTES: '(?:(?:[Tt]engo|[Tt]enemos) que|[Dd]ebo|[Dd]ebemos|(?:[Mm]e|[Nn]os) falta)',
  WORKES: `(?!${STATES_ES}(?!\\p{L}))(?=\\p{Ll}*[aeií]r(?:l[aeo]s?|me|nos)?\\s)`,
  ERRANDES: `(?=${oneOf(VERBS_ES)}(?:l[aeo]s?|me|nos)?\\s)(?!\\p{L}+ (?:est[oae]s?|es[oae]s?)\\s)`,
  DUEES:
    `(?=[^${STOP}]*(?<!\\p{L})(?:mañana|hoy|esta (?:semana|tarde|noche)|este (?:mes|fin)|` +
    `(?:antes del?|para el|el|hasta el) (?:próximo )?(?:${WEEKDAYS.es}|\\d|fin)|` +
    `(?:la semana|el mes) que viene)(?!\\p{L}))`,
  ATZH: `(?:^|[${STOP_ZH}])我们?(?![想觉])[^${STOP_ZH}不别他她它你没才]{0,10}?`,
  MUSTZH: '(?:必须|需要|还要|还得|(?<![觉值懂记使])得(?!到))',
  DUEZH:
    '(?=.*(?:今天|今晚|明天|后天|下?(?:周|星期)[一二三四五六日天末]|月底|年底|周末|' +
    '[\\d一二三四五六七八九十]+[日号]|这周|本周|下周|下个月|之前))',
  ERRANDZH:
    `(?=[^${STOP_ZH}]{0,12}?(?:${VERBS_ZH}|做完|写完|办|处理|发邮件|发短信|回复|回电))` +
    '(?!.*[吗呢了]$)(?!.*[？?])',
});

const EN: readonly Rule[] = [
  task('{ONCE}{AT}{I} {MUST} {WORK}{DUE}{V}'),
  task('{ONCE}{AT}{I} {MUST} {ERRAND}{V}'),
  task('{ONCE}^{FIRST}{I} {MUST} {WORK}{V}'),
  task('{ONCE}^(?:[Ss]till |[Aa]lso )?(?:[Gg]otta|(?:[Nn]eed|[Hh]ave|[Gg]ot) to) {WORK}{DUE}{V}'),
  task('{ONCE}^(?:[Ss]till |[Aa]lso )?(?:[Gg]otta|(?:[Nn]eed|[Hh]ave|[Gg]ot) to) {ERRAND}{V}'),
  task("{ONCE}{AT}I(?:['’]ve)? promised (?:\\S+ )?(?:I['’]d|I would|to) {WORK}{V}"),
  task('{AT}I owe \\p{Lu}{V}'),
  task(
    '{ONCE}{LABEL}(?:TO-?DO|(?:[Tt]o-?[Dd]os?|[Oo]pen task|[Oo]n my (?:to-do )?list)' +
      '(?=\\s?[:–—-]\\s))(?:\\s?[:–—-])?\\s{POINTING}{V}',
  ),
  task('{ONCE}^(?:[Nn]ote to self|[Rr]eminder(?: to self)?): {ERRAND}{V}'),
  task('{ONCE}^(?:[Pp]lease )?[Ss]et (?:me )?a reminder (?:to|for) {V}'),
  task(
    '{ONCE}^(?:[Pp]lease )?[Aa]dd {POINTING}(?<value>[^.;:!?]{2,80}?) to my (?:to-?do |task )list',
  ),
  task('{ONCE}^(?:[Pp]lease )?[Rr]emind me (?:on [^,]{3,20} |tomorrow )?to {V}'),
  task(
    "{ONCE}(?:^[Dd]on['’]t let me forget|{AT}I (?:must not|mustn['’]t|can['’]t|cannot) forget) " +
      'to {V}',
  ),
  formerTask(
    "(?<!\\p{L})(?:I|[Ww]e) (?:no longer (?:need|have)|(?:don['’]t|do not) (?:need|have)) to {V}",
  ),
  goal(
    '(?<!\\p{L})(?:[Mm]y|[Oo]ur) (?:(?:main|big|biggest|new|personal|next|long-term|life) )?' +
      `(?:goal|aim|target|objective|ambition|dream|(?:New Year['’]s )?resolution)` +
      '(?: for [^.,;:!?]{2,40}?| this (?:year|month|quarter|season))?' +
      "(?: is|['’]s)(?: still| now)? " +
      '(?=to \\p{Ll}|an? |the |\\p{L}+ing |less |more |\\p{Sc}?\\d)(?:to )?{POINTING}{V}',
  ),
  goal("(?<!\\p{L})I(?:['’]m| am) (?:now )?saving(?: up| money)? (?:for|to buy|towards?) {V}"),
  goal("(?<!\\p{L})I(?:['’]m| am) (?:now )?training for (?!.*\\b(?:job|role|position)\\b){V}"),
  goal(
    "(?<!\\p{L})I(?:['’]m| am) (?:now )?(?:studying|preparing) for " +
      '(?=[^.;!?]*\\b(?:exams?|tests?|finals|certifi\\p{L}+|degree|licen[cs]e|diploma|' +
      'marathon|triathlon|race|bar)\\b){V}',
  ),
  goal(
    "(?<!\\p{L})I(?:['’]m| am) trying to " +
      '(?<value>(?:lose (?:weight|(?:\\p{L}+|\\d+) (?:kilos?|kg|pounds|lbs))|' +
      'quit (?:smoking|sugar|alcohol|caffeine)|stop (?:smoking|drinking)|get (?:fit|' +
      'fitter|in shape|pregnant|promoted)|(?:eat|drink|spend|smoke) less|cut (?:down|back) on|' +
      'save (?:money|up)|learn \\p{Lu})[^.,;:!?]{0,60})',
  ),
  goal(
    '(?<!\\p{L})I(?: really)? want to (?!know|see|hear|go\\b)(?<value>\\p{Ll}[^.,;:!?]{2,80}? ' +
      `(?:by (?:the )?(?:end of )?(?:next |this )?(?:year|summer|${MONTHS.en}|20\\d\\d)|one day|` +
      'some ?day|before I turn \\d+|(?:this|next) year|in 20\\d\\d))',
  ),
  goal("(?<!\\p{L})[Ww]e(?:['’]re| are)? aim(?:ing)? (?:to|for) {V}"),
];

const DE: readonly Rule[] = [
  ...['{DUEDE}{WORKDE}', '{ERRANDDE}'].flatMap((what) => [
    task(`{ONCEDE}{ATDE}(?:[Ii]ch muss|[Ww]ir müssen|[Ii]ch soll) ${what}{VDE}`),
    task(`{ONCEDE}^{FRONT}(?:muss ich|müssen wir) ${what}{VDE}`),
    task(`{ONCEDE}^(?:Muss|Müssen) (?!ich|wir|man|er|sie|es|du)${what}{VDE}`),
  ]),
  // The day may stand before the verb.
  task(`{ONCEDE}^(?={DUEDE}){FRONT}(?:muss ich|müssen wir) {WORKDE}(?![^.;!?]* nicht ){VDE}`),
  task(
    '{ONCEDE}{LABEL}(?:[Zz]u erledigen|[Tt]o-?[Dd]o|TO-?DO|[Oo]ffene Aufgabe|' +
      '[Aa]uf meiner (?:To-do-)?Liste)(?:\\s?:|\\s[-–—])\\s{VDE}',
  ),
  task(
    "{ONCEDE}^(?:[Bb]itte )?[Ee]rinner(?:e|[’'])? mich (?:bitte )?(?:(?:morgen|am \\p{L}+) )?" +
      '(?:da?ran,?|an) (?:am (?:\\p{L}+) )?(?!dass? du){VDE}',
  ),
  task('{ONCEDE}{ATDE}[Ii]ch darf nicht vergessen, {VDE}'),
  formerTask(
    '(?<!\\p{L})(?:[Ii]ch muss|[Ww]ir müssen|muss ich|müssen wir) ' +
      '(?<value>[^.,;:!?]{2,60}? (?:nicht mehr|doch nicht) \\p{Ll}+)',
  ),
  goal(
    '(?<!\\p{L})(?:[Mm]ein|[Uu]nser) (?:(?:großes|neues|nächstes|größter) )?' +
      '(?:Ziel|Lebensziel|Traum|Lebenstraum|Vorsatz)' +
      '(?: für [^.,;:!?]{2,40}?)? (?:ist|bleibt) ' +
      '(?=es,|eine?n? |d(?:ie|er|as) |\\p{Lu}|\\d|\\p{L}+er )(?:es,? )?{V}',
  ),
  goal('(?<!\\p{L})(?:[Ii]ch spare|spare ich)(?: schon| jetzt)? (?:auf|für) {V}'),
  goal('(?<!\\p{L})(?:[Ii]ch trainiere|trainiere ich)(?: jetzt)? für {V}'),
  goal('(?<!\\p{L})(?:[Ii]ch bereite mich|bereite ich mich)(?: jetzt)? auf {V}'),
  goal(
    '(?<!\\p{L})(?:[Ii]ch will|[Ww]ir wollen) (?<value>(?:(?:bis|vor) (?:Ende|zum|' +
      `${MONTHS.de}|20\\d\\d|meinem)|eines Tages|dieses Jahr|nächstes Jahr)[^.,;:!?]{2,80})`,
  ),
];

const ES: readonly Rule[] = [
  task('{ONCEES}{ATES}{MUSTES} {DUEES}{WORKES}{V}'),
  task('{ONCEES}{ATES}{MUSTES} {ERRANDES}{V}'),
  task(
    '{ONCEES}{LABEL}(?:[Pp]endientes?|[Tt]area(?: pendiente)?|[Pp]or hacer|[Tt]o-?[Dd]o|TO-?DO)' +
      '(?:\\s?:|\\s[-–—])\\s{V}',
  ),
  task(
    '{ONCEES}^(?:[Pp]or favor,? )?[Rr]ecuérdame (?:que (?:tengo que|debo) )?' +
      '(?=\\p{Ll}+r(?!\\p{L})){V}',
  ),
  task(
    '{ONCEES}{ATES}(?:[Nn]o (?:me )?(?:puedo|debo) olvidar(?:me de)?|[Qq]ue no se me olvide) ' +
      '(?=\\p{Ll}+r(?!\\p{L})){V}',
  ),
  formerTask('(?<!\\p{L})[Yy]a no (?:tengo|tenemos|hay) que {V}'),
  goal(
    '(?<!\\p{L})(?:[Mm]i|[Nn]uestr[oa]) (?:(?:gran|principal|próximo|próxima) )?' +
      '(?:objetivo|meta|sueño|propósito)(?: (?:para|de|del) [^.,;:!?]{2,40}?| este año)? es ' +
      '(?=\\p{Ll}*[aeií]r(?:me|se|l[aeo]s?)?\\s|una? |el |la |\\d){V}',
  ),
  goal('(?<!\\p{L})(?:[Ee]stoy ahorrando|[Aa]horro) para {V}'),
  goal(
    '(?<!\\p{L})(?:[Mm]e estoy preparando|[Mm]e preparo|[Ee]stoy entrenando|[Ee]ntreno) para {V}',
  ),
  goal('(?<!\\p{L})[Ee]stoy preparando (?<value>(?:las? oposici|el examen|el maratón)[^.,;:!?]*)'),
  goal(
    '(?<!\\p{L})[Qq]uiero (?!saber|ver|ir\\b)(?<value>\\p{Ll}+r(?:me)? [^.,;:!?]{2,80}? ' +
      '(?:este año|algún día|antes de (?:fin de año|los \\d+|20\\d\\d)|el año que viene))',
  ),
];

const ZH: readonly Rule[] = [
  task('^(?!.*每){ATZH}{MUSTZH}(?:在)?{ERRANDZH}{VZH}'),
  task('^(?!.*每){DUEZH}{ATZH}(?<![不只想需])要(?!是|不){ERRANDZH}{VZH}'),
  task('^(?!.*每){LABEL}(?:待办(?:事项)?|要做的事|未完成)[：:]\\s?{VZH}'),
  task('^(?!.*每)(?:请|记得)?提醒我(?!的){VZH}'),
  task('^(?!.*每)(?:别让我忘了|我(?:可)?不能忘(?:了|记)){VZH}'),
  formerTask('^我们?(?:现在|已经)?(?:不用|不需要|不必)(?:再)?{VZH}'),
  goal(
    `(?:^|[${STOP_ZH}])(?:我们?|咱们)(?:今年|明年)?的(?:新年|长期|人生|最大的?)?(?:目标|梦想|心愿)是(?!不){VZH}`,
  ),
  goal(`(?:^|[${STOP_ZH}])我(?:们)?(?:最近|现在|正)*在?(?<value>(?:攒钱|存钱)[^${STOP_ZH}]{1,20})`),
  goal(`(?:^|[${STOP_ZH}])我(?:最近|现在|正)*在?(?<value>备[考战][^${STOP_ZH}]{1,20})`),
  goal(`(?:^|[${STOP_ZH}])我(?:最近|现在|正)*在为(?<value>[^${STOP_ZH}]{2,20}(?:训练|做准备))`),
];

export const TASKS_AND_GOALS: RulesByLanguage = { en: EN, de: DE, es: ES, zh: ZH };

/** Words that make other statements passing; a task may be for a day, or done just now. */
export const DAY_OF_TASK = new RegExp(
  String.raw`(?<!\p{L})(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|` +
    String.raw`heute|gerade|hoy|mañana|morgen (?:früh|abend)|` +
    String.raw`(?<=promised (?:\p{L}+ )?I )would)(?!\p{L})|今[天晚]|刚才`,
  'giu',
);

/** Periods whose end is counted from the day on which they are named. */
export const END_OF_PERIOD = new RegExp(
  String.raw`(?<!\p{L})(?:end of (?:the |this )?(?:day|week|month|quarter|year)|EOD|` +
    String.raw`Ende (?:de[rs] |diese[rs] )?(?:Woche|Monats|Jahres)|(?:Monats|Jahres)ende|` +
    String.raw`fin(?:ales)? de (?:semana|mes|año))(?!\p{L})|月底|年底|周末`,
  'iu',
);
