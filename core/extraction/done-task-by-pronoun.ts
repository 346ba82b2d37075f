/**
 * Finds which open task or goal a report ends that names it by a pronoun or by its thing alone, in
 * English, German, Spanish and Chinese: `I sent it` right after talk of the report to Eva,
 * `I ran the marathon`, `I gave up on the marathon`. A report with any other word ends nothing: a
 * task that is ended by mistake is worse than one that stays open.
 */
import { isOfCalendar, WEEKDAYS } from '../text/calendar-words.ts';
import { HAN, type Language } from '../text/language.ts';
import { memoized } from '../text/memoized.ts';
import { anyOf, anyWholeWord, anyWord } from '../text/pattern.ts';
import { isKin } from '../text/people-words.ts';
import { plainWords } from '../text/words.ts';
import { isPastForm, keyOf, keysOfForm, saysNotDone } from './done-task.ts';
import { VERBS_ZH } from './open-tasks.ts';
import { languagesOf, valueStems } from './statement.ts';

/** What a memory says that somebody has to do or wants to achieve. */
export interface Aim {
  readonly id: string;
  readonly kind: 'Task' | 'Goal';
  readonly text: string;
  readonly language: Language;
  /** Keys of its verb and things, in order and without times. */
  readonly keys: readonly string[];
}

/** How a language reports in few words; all patterns match lower case. */
interface Reporting {
  /** Words that say nothing of what was done: the speaker, auxiliaries, times and courtesies. */
  readonly fillers: RegExp;
  /** Forms in which somebody else acts, or the speaker asks. */
  readonly others: RegExp;
  readonly pronouns: RegExp;
  /** Says that something is done without a verb of its own. */
  readonly settled: RegExp;
  readonly gaveUp: RegExp;
  /** Verbs of one outcome, in each group: a letter that is mailed is sent. */
  readonly outcomes: readonly string[];
  /** Verbs that reach a goal which has no verb. */
  readonly reaching: string;
  /** Words before the thing of a goal. */
  readonly determiners: RegExp;
  /** Words of talk about whether a task is done, which name neither an act nor a thing. */
  readonly states: RegExp;
  /** Asks whether the one who asks is to act. */
  readonly offers: RegExp;
}

/** Share of the things of a task that a sentence about it names. */
const SHARED_SHARE_MIN = 0.5;
/** Numbers such as a result: `4:12`, `in 3:59:10`. */
const CLOCK = String.raw`(?:(?:at|in|um|a las|en) )?\d\d?:\d\d(?::\d\d)?(?: ?(?:am|pm|uhr|h))?`;

/** Longest report, in UTF-16 code units; a longer one says something else, too. */
const REPORT_UNITS_MAX = 100;

const words = (list: string) => new RegExp(anyWholeWord(list), 'gu');

const REPORTING: Readonly<Record<Language, Reporting>> = {
  en: {
    fillers: words(`
      ${CLOCK}, i['’]ve, we['’]ve, i, we, have, has, it['’]s, that['’]s, is, are, been, ok(?:ay)?,
      yes, yep, yeah, yup, great, good, news, update, thanks, thank you, and, so, well,
      hey, by the way,
      btw, also, all, i know, right now, just now, just, now, already, finally, at last, today,
      tonight,
      (?:this|yesterday|last) (?:morning|afternoon|evening|night|week|weekend), yesterday,
      earlier(?: today)?, (?:on |last |this )?${WEEKDAYS.en.toLowerCase()},
      (?:an?|one|two|three|a few|a couple of|half an|\\d+) (?:minutes?|mins?|hours?|days?) ago,
      (?:at|before|after) (?:noon|lunch|work|breakfast), at \\d+(?: ?[ap]m)?
    `),
    others: new RegExp(
      String.raw`^(?:(?:ok(?:ay)?|so|and|well),? )?(?:have|has|is|are|did|do|does|was) ` +
        String.raw`(?:i|we|it|that|the)\b`,
      'u',
    ),
    pronouns: words('it, that, this, them, those, these, him, her'),
    settled: words('done, sorted, finished, did, (?:took|taken) care of, handled'),
    gaveUp: /(?<!\p{L})(?:gave|given) up(?: on)?(?!\p{L})|(?<!\p{L})abandoned(?!\p{L})/gu,
    outcomes: [
      'send mail email post ship forward submit deliver',
      'pay transfer',
      'buy purchase',
      'call phone',
      'fix repair mend',
      'cancel terminate',
    ],
    reaching: 'run finish complete pass buy do',
    determiners: words('the, an?, my, our, own, first, that'),
    states: words(`
      open, due, overdue, ready, done, missing, left, how, about, status, outstanding, pending,
      unfinished, waiting, urgent, please, still, yet, needs?, remember, remind(?:er)?,
      (?:don['’]t )?forget, task, to-?do
    `),
    offers: /(?<!\p{L})(?:i|me)(?!\p{L}).*\?|(?<!\p{L})(?:should|shall) we(?!\p{L})/u,
  },
  de: {
    fillers: words(`
      ${CLOCK}, ich, wir, habe?, hab['’]?s, haben, ist, sind, bin, worden, ok(?:ay)?, ja, jo, jep,
      so, na, alles, super, gut, gute, nachrichte?n?, update, übrigens, und, danke, auch, schon,
      bereits, gerade, eben, endlich, jetzt, soeben, vorhin,
      (?:heute|gestern) (?:früh|morgen|vormittag|mittag|nachmittag|abend), heute, gestern,
      letzte (?:woche|nacht), (?:am )?${WEEKDAYS.de.toLowerCase()},
      vor (?:einer|zwei|drei|ein paar|\\d+) (?:minuten?|stunden?|tagen), um \\d+(?: uhr)?
    `),
    others: /(?<!\p{L})(?:er|der) (?!ist)|(?<!\p{L})haben (?!wir)(?<!wir haben )/u,
    pronouns: words('es, das, ihn, sie, die, den, ihm, ihr, der, er'),
    settled: words('erledigt, fertig, geschafft, gemacht'),
    gaveUp: /(?<!\p{L})aufgegeben(?!\p{L})/gu,
    outcomes: [
      'schicken abschicken verschicken senden absenden versenden einreichen abgeben raus weg ' +
        'unterwegs',
      'bezahlen zahlen überweisen',
      'kaufen besorgen',
      'abholen holen',
      'zurückgeben zurückbringen',
    ],
    reaching: 'laufen bestehen kaufen machen schaffen',
    determiners: words('der, die, das, den, dem, eine?n?, meine?n?, unsere?n?, ersten?, erste'),
    states: words(`
      offen, fällig, überfällig, fertig, bereit, fehlt, übrig, steht, stehen, aus, an, noch, schon,
      bitte, wie, sieht, status, dringend, wartet, muss, musst, denke?, vergiss, nicht, heute,
      was, ist
    `),
    offers: /(?<!\p{L})(?:ich|mich|mir)(?!\p{L}).*\?|(?<!\p{L})sollen wir(?!\p{L})/u,
  },
  es: {
    fillers: words(`
      ${CLOCK}, yo, he, hemos, está, están, ok, vale, sí, bueno, pues, y, gracias, buenas, noticias,
      por cierto, todo, ya, por fin, al fin, finalmente, hoy, ayer, anoche, ahora, recién, también,
      (?:esta|ayer por la|hoy por la) (?:misma )?(?:mañana|tarde|noche|semana),
      (?:el )?${WEEKDAYS.es}(?: pasado)?, a las \\d+,
      hace (?:un rato|un momento|una hora|\\p{L}+ (?:minutos|horas|días))
    `),
    others: /(?:ó|aron|ieron|hizo|puso)(?!\p{L})/u,
    pronouns: words('l[oa]s?, les?, se, eso, esto'),
    settled: words('list[oa]s?, hech[oa]s?, hice, terminé'),
    gaveUp: words(
      '(?:abandoné|dejé|he abandonado|he dejado)(?: lo)?, (?:renuncié|he renunciado)(?: al?)?',
    ),
    outcomes: [
      'enviar mandar remitir entregar',
      'pagar abonar',
      'llamar telefonear',
      'arreglar reparar',
    ],
    reaching: 'correr terminar aprobar comprar hacer',
    determiners: words('el, la, los, las, una?, mi, del?, primera?, primer, lo'),
    states: words(`
      pendientes?, abiert[oa]s?, list[oa]s?, hech[oa]s?, falta, faltan, queda, quedan, vence,
      vencen, sigue, siguen, urgente, cómo, va, qué, tal, pasa, por favor, todavía, aún, hay, que,
      tienes, recuerda
    `),
    offers: new RegExp(
      String.raw`(?<!\p{L})(?:debo|debería|debemos|puedo|quieres que)(?!\p{L})|` +
        String.raw`¿(?:(?:te|se|les?|l[oa]s?) )*(?!cómo|cuándo|cuánto)\p{L}{3,}o(?!\p{L})`,
      'u',
    ),
  },
  zh: {
    fillers: new RegExp(
      '我们?|已经|刚刚|刚才|刚|终于|早就|都|把|给|出去|过去|掉|今天|昨天|昨晚|早上|上午|下午|晚上|今早|' +
        '上?(?:周|星期)[一二三四五六日天末]|好的|嗯|对|[，,。.！!\\s]|\\d{1,2}[:：]\\d\\d|小时|' +
        '一[本次场家个辆套]|这次|那个|这个|的|了|过|完|好',
      'gu',
    ),
    others: /(?<![把给])[他她]|你/u,
    pronouns: /它|他|她/gu,
    settled: /搞定|办好|弄好|完成|做完|做好|办完|好了/gu,
    gaveUp: /放弃/gu,
    outcomes: ['寄 发 送 发送 发给', '交 缴 付', '提交 交'],
    reaching: '跑 考过 买 通过',
    determiners: /^$/gu,
    states: /怎么样|如何|还没有?|没有?|需要|记得|别忘|[你您请的了吗呢吧要得该在是还]|\P{L}/gu,
    offers: /要不要|需不需要|该不该|要我|我.*[吗？?]/u,
  },
};

/** Adds that something that seemed done is not, or not well: `I sent it. To the wrong address.` */
const TAKEN_BACK = anyOf(
  anyWord(`
    but, though, however, again, wrong, back, bounced?, returned, rejected, failed, mistake, except,
    unfortunately, not, never, no, wait, cancel\\p{L}*, aber, nicht, nochmal, noch, falsch\\p{L}*,
    zurück\\p{L}*, leider, doch, nein, pero, no, otra vez, mal, equivocad[oa], devuelt[oa],
    rechazad[oa], lástima
  `),
  String.raw`n['’]t(?!\p{L})|但|可是|不|没|错|退|重新`,
);

/** Whether a sentence after a report says that it is not, or not well, done. */
export function isTakenBack(sentence: string): boolean {
  return TAKEN_BACK.test(sentence);
}

/** Words of a time, without a number and no name of a day or month. */
const TIME_WORDS: ReadonlySet<string> = new Set(
  (
    'year summer winter end day week month tomorrow today tonight jahr ende woche monat morgen ' +
    'bis heute ano año fin dia día semana mes hoy mañana manana mañan este esta 今年 明年 明天 今天'
  ).split(' '),
);

/** @param values stems, as the rules of extraction read them */
export function aimOf(
  id: string,
  { values, ...read }: Omit<Aim, 'id' | 'keys'> & { readonly values: readonly string[] },
): Aim {
  const stems = values.filter((value) => !isTime(value));
  return { id, ...read, keys: stems.map((stem) => keyOf(stem, read.language)) };
}

function isTime(word: string): boolean {
  return isOfCalendar(word) || TIME_WORDS.has(word) || /^(?:19|20)\d\d$/u.test(word);
}

interface BareReport {
  /** Its words beside those of grammar, time and courtesy; of Chinese, one text. */
  readonly rest: readonly string[];
  readonly isSettled: boolean;
  readonly hasGivenUp: boolean;
}

const VERB_ZH_UNITS_MAX = 3;
/** Most words that a report of a goal has beside fillers. */
const WORDS_OF_GOAL_MAX = 6;
const CACHE = { entriesMax: 1_024, unitsMax: REPORT_UNITS_MAX };

/** Cache of reports, which are compared with memory after memory; at most about 2 MB. */
const reportsOfTask = memoized((text) => bareReports(text, false), CACHE);
const reportsOfGoal = memoized((text) => bareReports(text, true), CACHE);

function bareReports(text: string, isOfGoal: boolean): ReadonlyMap<Language, BareReport> {
  return new Map(
    languagesOf(text).flatMap((language) => {
      const report = bareReport(text, language, isOfGoal);
      return report === null ? [] : [[language, report] as const];
    }),
  );
}

function bareReport(text: string, language: Language, isOfGoal: boolean): BareReport | null {
  const said = text.toLowerCase().trim();
  const { fillers, others, pronouns, settled, gaveUp, determiners } = REPORTING[language];
  if (said.length > REPORT_UNITS_MAX || saysNotDone(text) || others.test(said)) return null;
  if (language === 'zh' && !/[了过]|完成|放弃/u.test(said)) return null;
  const given = said.replace(isOfGoal ? gaveUp : /$^/u, ' ');
  const done = given.replace(settled, ' ');
  const left = done.replace(fillers, ' ').replace(isOfGoal ? determiners : pronouns, ' ');
  const rest = language === 'zh' ? [left.replaceAll(/\P{L}/gu, '')] : plainWords(left);
  return {
    rest: rest.filter((word) => word !== ''),
    isSettled: done !== given,
    hasGivenUp: given !== said,
  };
}

/** States in which something sent is. */
const SENT = /^(?:raus|weg|unterwegs)$/u;
/** Part of a verb: `I handed it in`. */
const PARTICLE = /^(?:up|in|out|off|over|back|down)$/u;

/** Whether a sentence may end a task that it does not name: `I sent it`, `It's done`. */
export function isBareReport(text: string): boolean {
  return [...reportsOfTask(text)].some(([language, { rest, isSettled }]) => {
    const [verb, ...others] = rest;
    if (!others.every((each) => PARTICLE.test(each))) return false;
    if (verb === undefined) return isSettled;
    return (
      SENT.test(verb) ||
      isPastForm(verb, language) ||
      (language === 'zh' && verb.length <= VERB_ZH_UNITS_MAX)
    );
  });
}

/** Whether one text has a word of another, by its first letters. It spares reading by rules. */
export function sharesWord(one: string, other: string): boolean {
  const lower = one.toLowerCase();
  return plainWords(other).some(
    (word) => (HAN.test(word) || word.length >= 3) && lower.includes(word.slice(0, 4)),
  );
}

/** Whether a report may end a goal of this text, which is read only then. */
export function mayEndGoal(goal: string, report: string): boolean {
  const mayEnd = [...reportsOfGoal(report)].some(
    ([language, { rest, isSettled, hasGivenUp }]) =>
      rest.length <= WORDS_OF_GOAL_MAX &&
      (isSettled ||
        hasGivenUp ||
        language === 'zh' ||
        rest.some((word) => isPastForm(word, language))),
  );
  return mayEnd && sharesWord(goal, report);
}

/**
 * Returns the one task that a report without its name ends: the latest turns talk about it, and its
 * verb, or one of the same outcome, is done. Returns null if several or none may be meant.
 * @param talk sentences of the latest turns before the report, the nearest last
 */
export function meantTask(
  tasks: readonly Aim[],
  report: string,
  talk: readonly string[],
): Aim | null {
  const last = talk.findLast((each) => each.split(/\s+/u).length > 1 || HAN.test(each));
  const meant = tasks.filter((task) => {
    const bare = reportsOfTask(report).get(task.language);
    if (bare === undefined) return false;
    if (bare.rest.length === 0) {
      if (!bare.isSettled || last === undefined) return false;
      return isTalkOf([last], task) && isOnlyAbout(last, task);
    }
    return isVerbDone(bare.rest, task) && isTalkOf(talk, task);
  });
  return meant.length === 1 ? (meant[0] ?? null) : null;
}

/** Fewest content words of a sentence that may bring up another thing: not of `That is great`. */
const WORDS_OF_THING_MIN = 3;
/** Names a thing: `your slides`. A German noun has a capital anyway. */
const DETERMINED = new RegExp(
  anyWholeWord(`
    the, an?, your, my, his, her, our, their, der, die, das, den, dem, dein\\p{L}*, mein\\p{L}*,
    ein\\p{L}*, el, la, los, las, una?, tus?, sus?, mis?
  `) + String.raw`\s\p{L}`,
  'iu',
);

/**
 * Whether the latest sentence about a task names it best, none after it brings up another thing,
 * and none asks to do the same to one.
 */
function isTalkOf(talk: readonly string[], task: Aim): boolean {
  const shares = talk.map((each) => shareNamed(each, task));
  const most = Math.max(...shares);
  const last = shares.findLastIndex((share) => share >= SHARED_SHARE_MIN);
  if (last < 0 || shares[last] !== most || namesAnother(talk[last] ?? '', task)) return false;
  const verbs = sameOutcomes(verbOf(task), task.language);
  return talk.every((each, place) => {
    if ((shares[place] ?? 0) >= SHARED_SHARE_MIN) return true;
    const keys = keysOf(each, task.language).filter((key) => !isTime(key));
    const isThing = keys.length >= WORDS_OF_THING_MIN || DETERMINED.test(each);
    return !(place > last && isThing) && !keys.some((key) => verbs.includes(key));
  });
}

/**
 * Whether a sentence asks or says nothing but how far a task is: it names no act or thing that the
 * task has not, and does not offer to do it.
 */
function isOnlyAbout(sentence: string, task: Aim): boolean {
  const { language, text, keys } = task;
  const { states, offers } = REPORTING[language];
  const said = sentence.toLowerCase();
  if (offers.test(said)) return false;
  const left = said.replace(states, ' ');
  const verbs = sameOutcomes(verbOf(task), language);
  if (language === 'zh') {
    const known = `${text.toLowerCase()}${verbs.join('')}`;
    return (left.match(/\S/gu) ?? []).every((each) => known.includes(each));
  }
  // German parts a verb: `Schickst du es ab?`
  const isOfVerb = (key: string) =>
    verbs.some(
      (verb) => verb === key || (language === 'de' && (verb.startsWith(key) || verb.endsWith(key))),
    );
  return plainWords(left)
    .filter((word) => !isTime(word))
    .flatMap((word) => keysOf(word, language))
    .every((key) => keys.includes(key) || isOfVerb(key));
}

/** Whether a sentence names a relative that the task does not: `her` may be your sister. */
function namesAnother(sentence: string, { language, text }: Aim): boolean {
  // Chinese reports name nobody by a pronoun.
  if (language === 'zh') return false;
  const own = plainWords(text);
  return plainWords(sentence).some((word) => isKin(word, language) && !own.includes(word));
}

/** Returns which share of the things that a task is about a sentence names, from 0 to 1. */
function shareNamed(sentence: string, task: Aim): number {
  const verb = verbOf(task);
  const things = task.keys.filter((key) => key !== verb && !(HAN.test(verb) && key.includes(verb)));
  if (things.length === 0) return 0;
  const named = keysOf(sentence, task.language);
  return things.filter((thing) => named.includes(thing)).length / things.length;
}

/** Returns the verb of a task or goal: the first word, or the last one in German. */
function verbOf({ language, text, keys }: Aim): string {
  if (language === 'zh') return VERB_ZH.exec(text)?.[0] ?? '';
  return (language === 'de' ? keys.at(-1) : keys[0]) ?? '';
}

const VERB_ZH = new RegExp(VERBS_ZH, 'u');

function keysOf(text: string, language: Language): readonly string[] {
  return valueStems(text, language).map((stem) => keyOf(stem, language));
}

/** Returns a verb with those of the same outcome. */
function sameOutcomes(verb: string, language: Language): readonly string[] {
  const groups = REPORTING[language].outcomes.map((group) =>
    group.split(' ').map((each) => (language === 'zh' ? each : keyOf(each, language))),
  );
  return [verb, ...groups.filter((group) => group.includes(verb)).flat()];
}

/** Says more often that something was understood or seen: `Got it`, `I found it`. */
const AMBIGUOUS = /^(?:got|made|saw|found|knew|took|had|felt|heard|thought|kept|left)$/u;

/** Whether what a report says is the verb of a task, with a particle that the task has. */
function isVerbDone(rest: readonly string[], task: Aim): boolean {
  const { language, text } = task;
  const verbs = sameOutcomes(verbOf(task), language);
  if (language === 'zh') return verbs.includes(rest.join(''));
  const [verb = '', particle, ...others] = rest;
  const isWhole =
    particle === undefined || (PARTICLE.test(particle) && plainWords(text).includes(particle));
  if (!isWhole || others.length > 0 || AMBIGUOUS.test(verb)) return false;
  const isOfTask = keysOfForm(verb, language).some((key) => verbs.includes(key));
  return isOfTask && (SENT.test(verb) || isPastForm(verb, language));
}

/** Says that a goal is to do something, not only a thing: `to run a marathon`. */
const HAS_VERB = new RegExp(
  String.raw`\b(?:want|is|now|still|aim(?:ing)?) to \p{Ll}|\bzu \p{Ll}+e[rl]?n\b|` +
    String.raw`(?:quiero|es) \p{L}+r(?:me)?\b`,
  'iu',
);
const GOAL_ZH = /(?:目标|梦想|心愿)是(?<goal>[^。！!，,]+)/u;

/** Says that the first time does not count: `another marathon`. */
const ONCE_MORE = new RegExp(
  anyWholeWord(`
    another, again, (?:once|one) more, noch (?:ein\\p{L}*|mal), nochmals?, wieder, erneut,
    otr[oa]s?, de nuevo
  `) + '|[再又]',
  'iu',
);

/**
 * Whether a report says that a goal is reached or given up, and nothing else. A goal to do
 * something once more ends only with a report that says so, too.
 */
export function endsGoal(goal: Aim, report: string): boolean {
  if (ONCE_MORE.test(goal.text) && !ONCE_MORE.test(report)) return false;
  const bare = reportsOfGoal(report).get(goal.language);
  if (bare === undefined || bare.rest.length === 0) return false;
  const hasEnded = bare.isSettled || bare.hasGivenUp;
  if (goal.language === 'zh') {
    const aimed = GOAL_ZH.exec(goal.text)?.groups?.['goal']?.replace(REPORTING.zh.fillers, '');
    const said = bare.rest.join('');
    // The verb is one character: `放弃马拉松` of `跑马拉松`.
    return said === aimed || (hasEnded && said === aimed?.slice(1));
  }
  const { language } = goal;
  const said = bare.rest.map((word) => ({ word, key: keysOf(word, language)[0] ?? word }));
  const verb = HAS_VERB.test(goal.text) ? verbOf(goal) : null;
  const reaching = verb === null ? REPORTING[language].reaching.split(' ') : [];
  const verbs = verb === null ? reaching.map((each) => keyOf(each, language)) : [verb];
  const done = said.filter(({ word, key }) => verbs.includes(key) && isPastForm(word, language));
  if (!hasEnded && done.length !== 1) return false;
  const things = goal.keys.filter((key) => key !== verb);
  const named = said.filter((each) => !done.includes(each) && !(hasEnded && each.key === verb));
  return (
    things.every((thing) => named.some(({ key }) => key === thing)) &&
    named.every(({ word, key }) => things.includes(key) || isSmallWordOf(word, goal))
  );
}

/** Whether a word of a goal says nothing by itself: `the marathon in Cologne`. */
function isSmallWordOf(word: string, { language, text }: Aim): boolean {
  return valueStems(word, language).length === 0 && plainWords(text).includes(word);
}
