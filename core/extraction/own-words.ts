/**
 * Finds what users say themselves in messages: the only words that memories may rest on, whether
 * rules or a model find them. A document, a quotation and a text to translate are of others.
 */
import { lettersIn, longTurns } from '../sessions/turn-parts.ts';
import { namesSender } from '../text/speaks-of-self.ts';
import { memoized } from '../text/memoized.ts';
import { anyOf, anyWord, oneOf } from '../text/pattern.ts';
import { sentenceRanges } from '../text/sentences.ts';
import { labeledLine } from '../text/speaker-label.ts';
import { plainWords } from '../text/words.ts';
import { withoutForwarded } from './others-words/forwarded-text.ts';
import { saidInOwnName, withoutIntroducedTexts } from './others-words/introduced-texts.ts';
import { quotedRanges, withoutQuotes } from './others-words/quotations.ts';
import { isCommissioned, requestIn } from './passing-remarks.ts';
import { languagesOf, withoutPastedLines } from './statement.ts';

interface Said {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}

/**
 * Returns the part of each message in which the sender speaks: of a user's, without documents and
 * texts of others. Of a message that asks for a text, it returns only what its author adds in his
 * own name.
 */
export function ownParts(messages: readonly Said[]): readonly string[] {
  return ownTexts(messages).map((own, at) =>
    messages[at]?.role === 'user' && isCommissioned(own, languagesOf(own))
      ? saidInOwnName(own)
      : own,
  );
}

/** Returns each message without documents and texts of others; requests for texts stay. */
function ownTexts(messages: readonly Said[]): readonly string[] {
  const long = longTurns(
    messages.map(({ id, content }) => ({ id, text: content, lettersMax: OWN_LETTERS_MAX })),
  );
  return messages.map(({ role, content }, at) =>
    role === 'user'
      ? withoutChat(ownPart(content, (long[at] ?? null) !== null), CHAT_LINES_MIN)
      : content,
  );
}

/** The clause that a text breaks off in, with the mark before it. */
const LAST_CLAUSE = /(?:^|[.!?,;:。！？，；：\n])[^.!?,;:。！？，；：\n]*$/u;

/** Requests to change, answer or invent a text, whose words are nobody's own, and jokes. */
const OF_A_TEXT = anyOf(
  anyWord(`
    translat\\p{L}*, proofread, rewrit\\p{L}*, rephras\\p{L}*, paraphras\\p{L}*, summari\\p{L}*,
    correct this, correct my, story, poem, novel, scene, song, character, role-?play, pretend,
    dialogue, dream, übersetz\\p{L}*, korrigier\\p{L}*, umformulier\\p{L}*,
    zusammenfass\\p{L}*,
    geschichte, gedicht, roman, rollenspiel, traum, traduc\\p{L}*, corrig\\p{L}*, resum\\p{L}*,
    reescrib\\p{L}*, cuento, poema, novela, canción, juego de rol,
    (?:reply|respond|response|answer) (?:to )?(?:this|that|it|the \\p{L}+), game, play,
    the character, in my book, below, above, kidding, joking, in meine[mr] buch, spaß,
    en mi (?:sueño|libro), broma,
    antwort\\p{L}* auf (?:dies|das|den)\\p{L}*, (?:respond|contest)\\p{L}* (?:a )?est\\p{L}*
  `),
  '翻译|翻成|润色|改写|校对|总结|概括|归纳|角色扮演|故事|小说|剧本|梦里|诗|玩笑|回复这|回信',
);

/**
 * Returns what a user tells before asking for a letter or the like, for each message: `Our landlord
 * is called Mr. Haddad, draft him an e-mail`. Returns an empty text for other messages.
 */
export function wordsBeforeRequests(messages: readonly Said[]): readonly string[] {
  return ownTexts(messages).map((own, at) => {
    if (messages[at]?.role !== 'user' || OF_A_TEXT.test(own)) return '';
    const before = own.slice(0, requestIn(own, languagesOf(own)) ?? 0);
    // The clause that requests is left out whole.
    return before.slice(0, before.search(LAST_CLAUSE));
  });
}

/**
 * Returns each message as `ownParts`, and users' also without code, quoted lines, quotations and
 * single lines of a chat, whose speakers a model may leave out.
 */
export function ownWords(messages: readonly Said[]): readonly string[] {
  return ownParts(messages).map((own, at) =>
    messages[at]?.role === 'user'
      ? withoutChat(withoutQuotations(withoutPastedLines(own)), 1)
      : own,
  );
}

/** Whether the user says a passage himself, at least one of its sentences. */
type IsOwnPassage = (passage: string) => boolean;

const ALL_OWN: IsOwnPassage = () => true;

/**
 * Reads a user's message and returns a function for its passages. What the user asks to write
 * counts as own: people tell their news that way.
 */
export function ownPassagesOf(content: string): IsOwnPassage {
  const own = ownTextOf(content);
  if (own === content) return ALL_OWN;
  return (passage) =>
    sentenceRanges(passage).some(({ start, end }) => {
      const sentence = passage.slice(start, end).trim();
      return sentence !== '' && own.includes(sentence);
    });
}

const ownTextOf = memoized((content) => withoutIntroducedTexts(withoutForwarded(content)), {
  entriesMax: 1_024,
  unitsMax: 4_096,
});

/** In a message that hands on a text, at most this share is the sender's own words. */
const OWN_SHARE_MAX = 0.5;

/** Whether a short message hands on what others wrote, or asks for a text to be written. */
export function isForwarded(text: string): boolean {
  const own = withoutQuotes(withoutForwarded(text).replace(/^[ \t]*>.*$/gmu, ''));
  if (own.trim().length <= text.trim().length * OWN_SHARE_MAX) return true;
  const colon = text.search(/[:：]/u);
  if (colon === -1 || !namesSender(text.slice(colon))) return false;
  return isCommissioned(text, languagesOf(text));
}

/** A message with more letters, about 700 words, is a document. */
const OWN_LETTERS_MAX = 4_000;
/** A message at least this long is a document too if few of its sentences are about the sender. */
const STORY_UNITS_MIN = 1_200;
const SENDER_SHARE_MIN = 0.15;

/** The end of a line about the text below it: `Please summarize this report:`. */
const LEADS_IN = /[:：]\s*$/u;

function isOfOthers(text: string): boolean {
  if (text.length < STORY_UNITS_MIN) return false;
  const sentences = sentenceRanges(text).map(({ start, end }) => text.slice(start, end));
  return sentences.filter(namesSender).length < sentences.length * SENDER_SHARE_MIN;
}

/** @param isLong whether it is longer than `OWN_LETTERS_MAX`, or a part of such a message */
function ownPart(content: string, isLong: boolean): string {
  const own = ownTextOf(content);
  // Without the document that it introduces, a message may be short.
  const isLeft = own.length < content.length && lettersIn(own) <= OWN_LETTERS_MAX;
  if ((!isLong || isLeft) && !isOfOthers(own)) return own;
  const [first = ''] = own.split('\n', 1);
  return LEADS_IN.test(first) ? first : '';
}

/** Minimum lines with speakers of a chat; a single one is kept with its speaker. */
const CHAT_LINES_MIN = 2;
/** What chat programs put in front of a name: `[12:03] Karim:`, `03.11.26, 10:01 - Karim:`. */
const STAMP = new RegExp(
  String.raw`^[ \t]*(?:[-*•][ \t]+)?(?:\[[\d.:/,\s-]{4,24}(?:[ap]m)?\]|` +
    String.raw`[\d./-]{6,10},? [\d:]{4,8}(?: ?[ap]m)? ?[-–:])[ \t]*`,
  'iu',
);
const LIST_MARK = /^[ \t]*[-*•][ \t]+/u;
/** Words before a colon that name nobody. */
const NO_NAME = new RegExp(
  `^${oneOf(String.raw`
    answer, background, confession, context, disclaimer, edit, example, fyi, goal, home, job,
    location, me, news, place, question, reason, request, role, situation, spoiler, story, tl;?dr,
    work, antwort, beispiel, frage, grund, hintergrund, ich, kontext, neues, ort, situation, wunsch,
    ziel, contexto, ejemplo, motivo, novedad(?:es)?, objetivo, pregunta, respuesta, situación,
    trabajo, yo
  `)}$`,
  'iu',
);

/** Removes the lines of a chat if there are enough of them and somebody speaks of himself there. */
function withoutChat(text: string, linesMin: number): string {
  if (!/[:：]/u.test(text)) return text;
  const lines = text.split('\n');
  const told = lines.map(chatLine);
  const isChat = told.filter((each) => each !== null).length >= linesMin;
  if (!isChat || !told.some((said) => said !== null && namesSender(said))) return text;
  return lines.filter((_, at) => told[at] === null).join('\n');
}

/** Returns what somebody says in a line of a chat; null if it is none. */
function chatLine(line: string): string | null {
  const spoken = labeledLine(line.replace(STAMP, '').replace(LIST_MARK, '').trim());
  return spoken === null || NO_NAME.test(spoken.speaker) ? null : spoken.said;
}

function withoutQuotations(text: string): string {
  let rest = text;
  for (const { start, end } of quotedRanges(text).toReversed()) {
    if (isTitle(text.slice(start + 1, end - 1))) continue;
    rest = `${rest.slice(0, start)} ${rest.slice(end)}`;
  }
  return rest;
}

/** Maximum words of a name or a title, and characters in a script without spaces. */
const TITLE_WORDS_MAX = 5;
const TITLE_CHARACTERS_MAX = 12;

/** Whether a quotation is a name, as in `a cat called "Luna"`, and not what somebody said. */
function isTitle(quoted: string): boolean {
  if (namesSender(quoted) || /[.!?。！？,，;；:：]/u.test(quoted)) return false;
  const isShort = plainWords(quoted).length <= TITLE_WORDS_MAX;
  return isShort && (quoted.match(/\p{Script=Han}/gu) ?? []).length <= TITLE_CHARACTERS_MAX;
}
