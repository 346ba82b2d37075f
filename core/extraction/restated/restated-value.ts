/**
 * Reads the values that a plain sentence gives, so that the same sentence with another value
 * replaces it, even without a word such as "now". Values are numbers and times in any sentence
 * about a state, and names and words of which a person or thing has one at a time, such as what
 * somebody drives, is called or works as. Several sentences like "I have a cat" or "I like tea" can
 * hold, so those give no value.
 */
import { HAN } from '../../text/language.ts';
import { saysAlso } from '../../text/additive-words.ts';
import { anyOf, anyWord, oneOf } from '../../text/pattern.ts';
import { labeledLine } from '../../text/speaker-label.ts';
import { CLOCK, MONTH, NUMBERS } from '../../text/amount-words.ts';
import { ANY_WEEKDAY } from '../../text/calendar-words.ts';
import { isPastEvent } from '../../text/past-event.ts';
import { asHolder, restatedNames } from './restated-name.ts';
import { topicStems, topicOf, type ValueOfTopic } from './restated-topic.ts';
import { restatedInChinese } from './restated-value-zh.ts';

/** A value of the thing that the topic identifies; only texts of one topic are compared. */
interface RestatedValue {
  readonly topic: string;
  readonly value: string;
  /** Whether the sentence also says something else, which still holds. */
  readonly isPart: boolean;
}

/** A longer sentence says several things. */
const SENTENCE_UNITS_MAX = 140;

/** Words of a negation, a condition or a guess. */
export const UNSURES = `
  not, no, never, if, unless, either, maybe, might, could, would, should, nicht, kein\\p{L}*, nie,
  falls, wenn, vielleicht, könnte, sollte, nunca, si, quizás?, tal vez, podría
`;

/** Matches a sentence that does not say how things are for long. */
const NO_STATE = new RegExp(
  String.raw`[?？"“”„«»「」]|` +
    String.raw`(?<!\p{L})${oneOf(`
      ${UNSURES}, \\p{L}+n['’]t, today, tomorrow, tonight, yesterday,
      this (?:week|month|morning|evening|weekend), another, other, both,
      as a (?:kid|child|teenager|student), used to, back then, next, temporarily, last \\p{L}+,
      for now, until, ago, würde\\p{L}*, heute, morgen, gestern, diese (?:Woche|Nacht)?,
      diesen Monat, zusätzlich, früher, damals, als Kind, bis, vor \\p{L}+ Jahren?, manchmal,
      sometimes, usually, meistens, hoy, mañana, ayer, esta (?:semana|noche|tarde),
      este (?:mes|finde), antes(?! de), hasta, a veces, otr[oa]s?, de (?:joven|niñ[oa])
    `)}(?!\p{L})|` +
    '如果|可能|也许|以前|小时候|曾经|到时候',
  'iu',
);
/** Matches a text that somebody else said or that is a guess, wherever the sign stands. */
const DOUBTED = /["“”„«»「」]|(?<!\p{L})(?:maybe|vielleicht|quizás?)(?!\p{L})|如果|可能|也许/iu;
/** The beginning of a second clause, on which the value of the first does not depend. */
const JOINED = new RegExp(
  String.raw`\s${oneOf(`
    and, but, because, so, while, when, which, who, that, und, aber, weil, wobei, dass, y, pero,
    porque, cuando
  `)}\s`,
  'iu',
);
/** Words at the beginning that say nothing. */
const OPENING = new RegExp(
  String.raw`^(?:${oneOf(`
    so, and, but, oh, well, ok, okay, yes, yeah, btw, by the way, fyi, actually, turns out, right,
    also ja, übrigens, ja, ach, tja, bueno, pues, por cierto, oye, sí, y, pero, 对了, 哦, 嗯, 那个
  `)}[,:，]?\s*)+(?=\P{L}|\b|\p{Script=Han})`,
  'iu',
);
/** The beginning of a remark after the statement; a comma between digits begins none. */
const REMARK = /[;；—–()（）!！]|(?<!\d),|,(?!\d)|[，。]|(?<!\d)\.\s|\s-\s/u;

const CLOCK_TIMES = oneOf(String.raw`
  ${CLOCK}, (?:half|quarter) (?:past|to)? ?\p{L}+, halb \p{L}+,
  viertel (?:vor|nach) \p{L}+
`);
const DAYS = `(?:${ANY_WEEKDAY}|${MONTH})`;
const COUNTS = oneOf(`${NUMBERS},
  first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, twice,
  (?:ers|zwei|drit|vier|fünf|sechs|sieb|ach|neun|zehn)te[nrsm]?, (?:ein|zwei|drei|vier|fünf)mal,
  primer[oa]?, segund[oa], tercer[oa]?, cuart[oa], quint[oa], sext[oa], séptim[oa], octav[oa]
`);
const JOINS = oneOf(`
  at, to, until, of, um, bis, von, am, a las?, de, del, hasta las?, y, and, und, the, el, \\.
`);
const FIGURE = String.raw`[€$£#]?\d[\d.,:/%]*(?:st|nd|rd|th|h|am|pm|%|€)?`;
const AMOUNT =
  String.raw`(?<![\p{L}\p{N}])(?:${FIGURE}|${DAYS}|${COUNTS}|${CLOCK_TIMES})` +
  String.raw`(?![\p{L}\p{N}])`;
const AMOUNTS = new RegExp(String.raw`${AMOUNT}(?:,? (?:${JOINS} )?${AMOUNT}){0,5}`, 'giu');
const DAY = new RegExp(
  String.raw`(?<!\p{L})(?:${DAYS}|${CLOCK_TIMES})(?!\p{L})|\d:\d|\d(?:st|nd|rd|th)|\d ?[ap]m\b`,
  'iu',
);

/** Verbs of meeting and being somewhere: people have several meetings and places in a week. */
const ENGAGED = anyOf(
  anyWord(`
    (?:I|we) (?:have|see|meet|am|are), (?:I|we)['’](?:ve|m|re), has, have,
    (?:ich|wir) (?:bin|sind), hab(?:e|en), hat, treffe\\p{L}*, tengo, tiene, tenemos, estoy,
    estamos, voy, vamos, veo
  `),
);

/** Verbs of a state that can change; the number in a past event never changes. */
const STATE = anyOf(
  anyWord(String.raw`
    is, are, am, I['’]m, we['’]re, (?:it|he|she)['’]s, costs?, weighs?, takes?, lasts?, starts?,
    ends?, begins?, opens?, closes?, leaves?, arrives?, runs?, meets?, happens?, expires?, renews?,
    sleeps?, gets? up, wakes?, wears?, pays?, earns?, makes?, charges?, rents?, owes?, has, have,
    works?, lives?, listens?, holds?, keeps?, drinks?, walks?, goes, sits?, sees?, serves?, needs?,
    uses?, ist, sind, bin, steht, stehe, stehen, wiegt, wiege, kostet, kosten, dauert, beginnt,
    endet, startet, öffnet, schließt, macht, beträgt, läuft, laufen, liegt, findet, hat, habe,
    haben, zahle, zahlt, zahlen, verdiene, verdient, bekomme, bekommt, nehme, nimmt, brauche,
    braucht, trage, trägt, schlafe, schläft, arbeite, arbeitet, wohne, wohnt, wohnen, fährt, fahre,
    geht, gehe, kommt, trinke, trinkt, es, son, soy, peso, pesa, mido, mide, cuesta, cuestan, dura,
    empieza, empiezo, termina, termino, acaba, abre, cierra, está, esta, están, estoy, cobro, cobra,
    cobran, gano, gana, pago, paga, pagamos, tomo, toma, tengo, tiene, tenemos, duermo, duerme,
    entro, entra, salgo, sale, uso, usa, calzo, calza, llevo, lleva, vivo, vive, vivimos, bebo,
    trabajo, trabaja, somos, queda, quedamos, va, voy, llega, llego, necesito, corro, hago
  `),
);

/** Endings of verbs of past events; a day beside any other verb belongs to a habit. */
const HAPPENED =
  /(?<!\p{L})(?:\p{L}{2,}ed|ge\p{L}{2,}(?:t|en)|\p{L}{2,}(?:é|ó|aron|ieron|amos|imos))(?!\p{L})/iu;

/** Whether a sentence says that somebody meets others, or is somewhere, at a time. */
export function isEngagement(before: string, value: string): boolean {
  return DAY.test(value) && ENGAGED.test(before);
}

/** Reads an amount or a time of a state. */
function amountIn(said: string): readonly ValueOfTopic[] {
  const found = [...said.matchAll(AMOUNTS)];
  const [match] = found;
  if (match === undefined || found.length > 1 || LABEL.test(said)) return [];
  const before = said.slice(0, match.index);
  const isHabit = DAY.test(match[0]) && !HAPPENED.test(said);
  if (!STATE.test(before) && !isHabit) return [];
  const frame = `${before} # ${said.slice(match.index + match[0].length)}`;
  const kind = DAY.test(match[0]) ? 'time' : 'amount';
  if (isEngagement(before, match[0])) return [];
  return topicStems(frame).length < 2 ? [] : [[topicOf(kind, frame), match[0]]];
}

/** `Retries: 3`, `idioma de la interfaz: inglés`. */
const LABEL =
  /^(?<label>[\p{L}][^:：]{1,40}?)\s?[:：](?!(?<=\d.)\d)\s?(?<value>[^:：\s][^:：]{0,40})$/u;
const LABELED_WORDS_MAX = 4;
/** Labels of one of several things, or of what somebody said. */
const OF_NOTES = anyOf(
  anyWord(`
    notes?, to-?dos?, lists?, ideas?, reminders?, questions?, opinions?, thoughts?, ps, edit,
    updates?, tasks?, actions?, answers?, examples?, quotes?, facts?, risks?, issues?, problems?,
    goals?, lessons?, changes?, corrections?, \\p{L}*änderung(?:en)?, Korrektur, cambios?,
    corrección, user, assistant, system, tool, Notiz(?:en)?, \\p{L}*liste, Idee, Frage,
    Aufgabe, Beispiel, notas?, lista, pregunta, tarea, ejemplo, usuario
  `),
  '笔记|清单|想法|问题|任务|备注|提醒|用户|助手',
);
/** Values that a setting has, and that a person rarely says. */
const SETTING = /^(?:\d[\d.,]*(?: ?(?:ms|s|min|h|[KMG]B|px|%))?|on|off|true|false)$/u;

function labelIn(said: string): readonly ValueOfTopic[] {
  const { label = '', value = '' } = LABEL.exec(said)?.groups ?? {};
  if (label === '' || value.split(' ').length > LABELED_WORDS_MAX || OF_NOTES.test(label))
    return [];
  // `Retries: 3` looks like the words of a speaker called Retries.
  if (labeledLine(said) !== null && !SETTING.test(value)) return [];
  return [[`label/${label.toLowerCase()}`, value]];
}

/** Returns the values that a sentence gives; none if it does not say how things are. */
export function restatedIn(text: string): readonly RestatedValue[] {
  if (text.length > SENTENCE_UNITS_MAX || DOUBTED.test(text)) return [];
  const whole = text
    .trim()
    .replace(/[.!。！…]+$/u, '')
    .replace(SINCE, '');
  const opened = whole.replace(OPENING, '');
  const first = opened.slice(0, REMARK.exec(opened)?.index ?? opened.length).trim();
  const isChinese = HAN.test(first);
  if (saysAlso(isChinese ? first : text)) return [];
  const clause = first.slice(0, JOINED.exec(first)?.index ?? first.length);
  const said = isChinese ? first : asHolder(clause);
  if (NO_STATE.test(said) || isPastEvent(said.replace(IS_CALLED, ''))) return [];
  const all = isChinese
    ? [...restatedInChinese(said)]
    : [...amountIn(said), ...restatedNames(said)];
  const values = new Map(
    [...labelIn(said), ...all].map(([topic, value]) => [topic, value.toLowerCase()]),
  );
  return [...values].map(([topic, value]) => ({
    topic,
    value,
    isPart: !isChinese && clause !== first,
  }));
}

const SINCE = /,? (?:since|seit|desde(?: hace)?) [^,;.]{2,30}$/u;
const IS_CALLED = /\b(?:is|are|am|'s|’s) called\b/u;
