/**
 * Recognizes a question for open tasks, such as `What do I still have to do?`, and the texts that
 * answer it without any of its words: `Renew the passport before May`, `Ann must call the bank`. In
 * English, German, Spanish and Chinese.
 */
import { anyOf, oneOf } from '../text/pattern.ts';
import { likelyTest } from '../text/prefilter.ts';

/**
 * What an open task has of such a question, as a share of the question's best possible keyword
 * score: more than a text that has its words, such as `I like open windows`.
 */
export const TASK_SHARE = 0.98;

/** What is read of a question, a note or a statement, in UTF-16 code units. */
const UNITS_MAX = 1_000;

/** The end of a question in English, or a time or a purpose; `to do to reset it` asks how. */
const END =
  String.raw`(?=\s*(?:[?.!]|$|` +
  String.raw`(?:today|tomorrow|this|next|before|by|until|for|now|yet)\b))`;
const STOP = String.raw`(?=\s*(?:[?.!]|$))`;

export const ASKS = anyOf(
  String.raw`\b(?:what|which|anything|something|everything)\b(?! did\b).{0,40}?` +
    String.raw`(?<!['’]d )\b(?:have|has|need|needs|got|left|remains|still|there) ` +
    String.raw`to (?:do|be done|get done|finish|complete|take care of)${END}`,
  String.raw`\bwhat(?: else)? (?:must|should) \S+ still (?:do|finish)${END}`,
  String.raw`\bwhat(?:['’]?s| is| are| else is)(?: (?:still|yet|left|the))* ` +
    String.raw`(?:open|pending|outstanding|unfinished|undone|due)${END}`,
  String.raw`\b(?:open|pending|outstanding|unfinished|remaining) (?:\w+ )?` +
    String.raw`(?:tasks?|to-?dos?|items?|errands|chores)\b`,
  String.raw`\bto-?do(?:s|['’]s| list)\b|\btask list\b|\bmy tasks\b`,
  String.raw`\b(?:what|which) (?:tasks|errands|chores|to-?dos)\b`,
  String.raw`\bwhat (?:else )?(?:have|has)(?:n['’]t)? \S+ (?:not )?` +
    String.raw`(?:done|finished|completed|taken care of) (?:yet|so far)`,
  String.raw`\bforgot(?:ten)? to do${END}`,
  String.raw`\bon (?:my|her|his|our|their|\S+['’]s) (?:plate|agenda)\b`,
  String.raw`\bwas (?:muss|müssen|soll|sollen)\b[^,]{0,40} ` +
    String.raw`(?:tun|machen|erledigen|schaffen)${STOP}`,
  String.raw`\bwas (?:ist|wäre)\b.{0,25} ` +
    String.raw`(?:offen|ausstehend|unerledigt|zu (?:tun|erledigen))${STOP}`,
  String.raw`\bwas steht\b.{0,25} (?:an|aus)${STOP}|\bwas bleibt .{0,12}zu tun\b`,
  String.raw`\bwas (?:habe|hat|haben) [^,]{0,25}(?:nicht (?:erledigt|gemacht|getan|geschafft)|` +
    String.raw`zu (?:tun|erledigen|machen))${STOP}`,
  String.raw`\b(?:offene|ausstehende|unerledigte)[nrs]? (?:aufgaben?|punkte?|to-?dos?|sachen)\b`,
  String.raw`\b(?:meine|welche) aufgaben\b|\baufgabenliste\b`,
  String.raw`qu[eé](?!\p{L}).{0,30}\b(?:tengo|tienes?|tenemos|tienen|hay|quedan?|faltan?|` +
    String.raw`deb[eo]|debemos)` +
    String.raw`\b.{0,20}\b(?:hacer|terminar|acabar)\b(?! (?:para|con)\b)`,
  String.raw`qu[eé](?!\p{L}).{0,30}\b(?:pendientes?|sin hacer)\b`,
  String.raw`\b(?:tareas|cosas|asuntos|recados) (?:pendientes|por hacer|sin hacer)\b`,
  String.raw`(?:\bmis|qu[eé]) tareas\b|\blista de tareas\b|\bmis pendientes\b`,
  String.raw`qu[eé](?!\p{L}).{0,20}\bno (?:he|ha|hemos|han) (?:hecho|terminado|acabado)\b`,
  String.raw`(?<!为)(?:什么(?!时候)|哪些|啥)[^，。]{0,4}(?:没|未)(?:有)?(?:做|办|完成|处理|弄)`,
  String.raw`还[^，。]{0,4}(?<!为)(?:什么(?!时候)|哪些|啥)[^，。]{0,4}(?:要|需|得)(?:要)?(?:做|办|处理)`,
  String.raw`(?:还|今天|明天|这周|本周)[^，。]{0,3}(?:要|得|该)(?:做|办|完成|处理)(?:什么|哪些|啥)`,
  '待办|未完成的|没(?:做|办)完的',
);

const testAsks = likelyTest(ASKS);

/** Whether a question asks for what is still to be done, whatever that is. */
export function asksForTasks(question: string): boolean {
  return testAsks(question.slice(0, UNITS_MAX));
}

/** Says that there is a task, whoever has it. */
const LABEL = anyOf(
  String.raw`(?<!\p{L})${oneOf(`
    (?:open )?task:, to-?do:, remember to, (?:don['’]t|do not|must not) forget to,
    (?:offene )?Aufgabe:, nicht vergessen:?, tarea(?: pendiente)?:, no olvidar
  `)}\s*\p{L}`,
  '待办[：:]|别忘了',
);

/** A person, before what says that he has a task. */
const WHO =
  String.raw`(?:we|you|he|she|they|ich|wir|du|er|sie|(?<=[Tt]he )user|` +
  String.raw`(?<!(?:The|the|An?|a|Die|D[ae][rsmn]|Ein|El|La|Los|Las) )\p{Lu}[\p{L}\p{M}-]*)`;
/** Verbs of a state, or of a phrase: `must be short`, `have to admit`. */
const NO_TASK = '(?:be|have|admit|say|know|like|stay|remain|live|agree|sein|haben|ser|estar|tener)';
export const VERBS_ZH =
  '(?:打电话|续签|续办|续费|交|缴|买|订|预约|寄|发给|发送|取|报名|修|退|付|提交|整理|打扫|洗|联系|通知|' +
  '签|填|申请|准备|完成|还给|归还|取消|浇)';
const ASSIGNED = new RegExp(
  [
    String.raw`(?<!\p{L})${WHO}(?: (?:still|also|really))? ` +
      String.raw`(?:must|(?:has|have|needs?) to) (?!${NO_TASK}\b|not\b)\p{L}`,
    String.raw`(?<!\p{L})(?:${WHO} m(?:uss|üssen|usst)|[Mm](?:uss|üssen) ${WHO}) (?!nicht\b)` +
      String.raw`(?!.*\b(?:sein|haben)${STOP})\p{L}`,
    String.raw`(?<![Nn]o )(?<!\p{L})(?:[Tt](?:engo|iene|enemos|ienen)|[Hh]ay) que ` +
      String.raw`(?!${NO_TASK}\b)\p{L}`,
    String.raw`(?<![不重只觉值需想])(?:要|得|需要|记得)(?!.*[了?？])[^，。不]{0,8}?${VERBS_ZH}`,
  ].join('|'),
  'u',
);

/** What is done once and takes a walk, a call or a form. Rules for an answer have other verbs. */
export const VERBS_EN = `
  call, phone, renew, buy, book, pay, send, mail, return, pick up, drop off, cancel, schedule,
  reschedule, submit, file, sign, order, fix, repair, replace, clean, wash, finish, complete,
  register, enroll, apply, arrange, collect, contact, prepare, pack, print, fill (?:in|out),
  hand in, set up, follow up, reply to, refill, deliver, get, email, ask, water, review, update
`;
export const VERBS_DE = `
  anrufen, verlängern, kaufen, buchen, bezahlen, zahlen, überweisen, abholen, abgeben, abschicken,
  schicken, verschicken, senden, kündigen, reparieren, bestellen, besorgen, unterschreiben,
  ausfüllen, einreichen, beantragen, vereinbaren, absagen, zurückgeben, zurückbringen, putzen,
  aufräumen, waschen, anmelden, abmelden, erledigen, vorbereiten, packen, ausdrucken, gießen
`;
export const VERBS_ES = `
  renovar, llamar, pagar, comprar, reservar, enviar, mandar, devolver, recoger, cancelar, entregar,
  firmar, arreglar, reparar, pedir, solicitar, limpiar, presentar, terminar, preparar, imprimir,
  rellenar, avisar, regar
`;
/** Words of a statement: a name, a state or a rule begins with a noun that may be a verb. */
const STATES = String.raw`(?:is|are|was|were|has|had|meets?|will|es|son|fue|ist|sind|hat)`;
export const ERRAND = anyOf(
  String.raw`^(?:please )?${oneOf(VERBS_EN)} (?!(?:me|us|with|from|at|on|of|in|club|number|` +
    String.raw`before|first)\b)(?!.*\b(?:${STATES}|if|when|whenever|unless|(?:before|after|while|` +
    String.raw`without) \p{L}+ing)\b)\p{L}`,
  String.raw`^(?!.*(?<!\p{L})(?:ich|wir|du|er|sie|es|kann|können|will|wollen|möchte|darf|dürfen|` +
    String.raw`wird|werden|würde|nicht|nie|${STATES})(?!\p{L}))\p{L}[^.!?,;]{1,60} ` +
    String.raw`${oneOf(VERBS_DE)}(?: (?:bis|vor|am|im|nach|heute|morgen) [^.!?]{1,20}|[.!])?$`,
  String.raw`^${oneOf(VERBS_ES)} (?!.*\b${STATES}\b)(?!es\b|me\b)\p{L}`,
  String.raw`^(?!.*[了过?？不没])(?:[^，。]{1,8}(?:前|之前|后))?(?:去|[给把][^，。]{1,8})?${VERBS_ZH}`,
);
const testErrand = likelyTest(ERRAND);
/** Is done again and again, or under a condition. */
const RETURNS = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    every, each, daily, weekly, monthly, always, never, no longer, jeden?, jede[rs]?, täglich,
    wöchentlich, monatlich, immer, nie, nicht mehr, cada, siempre, nunca, todos los, ya no, would,
    might, could
  `)}(?!\p{L})|[?？]\s*$|每|总是|从不`,
  'iu',
);

/** Whether a memory or a line sets a task, in the words of whoever has it or as a note. */
export function setsTask(text: string): boolean {
  return isErrand(text) || tellsTask(text);
}

/** A task without a word that says so: `Call the plumber`. In a turn, it is for the assistant. */
export function isErrand(text: string): boolean {
  return text.length <= UNITS_MAX && testErrand(text) && !RETURNS.test(text);
}

/** Whether a text says of somebody that he has a task. */
export function tellsTask(text: string): boolean {
  const begin = text.slice(0, UNITS_MAX);
  return (LABEL.test(begin) || ASSIGNED.test(begin)) && !RETURNS.test(begin);
}
