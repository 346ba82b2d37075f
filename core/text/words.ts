/** Splits a text into words: with the parts of identifiers for search, plain for all other uses. */
import { SAYS_LITTLE, STOP_WORDS } from './stop-words.ts';

export interface Word {
  readonly text: string;
  /**
   * `word` is in the text; `stop` is too, but says little; `whole` is an identifier whose parts are
   * words too; `pair` is two neighboring characters of a script without spaces.
   */
  readonly kind: 'word' | 'stop' | 'whole' | 'pair';
}

/** Scripts without spaces between words, for a character class in a pattern. */
export const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}ー';
const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])`;

/** A run of an unspaced script; words joined as in `user_id`, `v1.2`, `e-mail`; or a pictogram. */
const TOKEN = new RegExp(
  `([${UNSPACED}][${UNSPACED}\\p{M}]*)|` +
    `(${LETTER}+(?:[_.\\-/:@]${LETTER}+)*)|\\p{Extended_Pictographic}`,
  'gu',
);

/** A run of an unspaced script, or of letters and digits. */
const RUN = new RegExp(`([${UNSPACED}][${UNSPACED}\\p{M}]*)|${LETTER}+`, 'gu');

/** A token that is a single word and is not split further, as most tokens are. */
const PLAIN = /^[a-z]{2,}$/;

const JOINERS = /[_.\-/:@]/u;

/** A place before a capital that begins a word, inside `userId` and `HTTPServer`. */
const CAPITALS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Returns the words in order, in lower case and Unicode's NFKC form. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const [token, unspaced, joined] of text.normalize('NFKC').matchAll(TOKEN)) {
    if (unspaced !== undefined) pushPairs(words, token);
    else if (joined === undefined) words.push({ text: token, kind: 'word' });
    else if (PLAIN.test(token)) words.push(plainWord(token));
    else pushJoined(words, token);
  }
  return words;
}

function pushPairs(words: Word[], run: string): void {
  for (const text of pairsOf(run)) words.push({ text, kind: 'pair' });
}

/** Returns all pairs of neighboring characters of a run; a single character stays alone. */
export function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

function plainWord(text: string): Word {
  return { text, kind: STOP_WORDS.has(text) ? 'stop' : 'word' };
}

/** Adds the parts and the whole: `userId`, `user_id` and `user-id` all give user, id and userid. */
function pushJoined(words: Word[], token: string): void {
  const parts: string[] = [];
  for (const joined of token.split(JOINERS)) {
    for (const part of joined.split(CAPITALS)) parts.push(part.toLowerCase());
  }
  for (const part of parts) {
    const says = part.length > 1 || /[\p{N}\p{Lo}]/u.test(part);
    words.push(says ? plainWord(part) : { text: part, kind: 'stop' });
  }
  if (parts.length > 1) words.push({ text: parts.join(''), kind: 'whole' });
}

/** Returns lower-case words in order; scripts without spaces give overlapping character pairs. */
export function plainWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [run, unspaced] of text.normalize('NFKC').toLowerCase().matchAll(RUN)) {
    if (unspaced === undefined) words.push(run);
    else words.push(...pairsOf(run));
  }
  return words;
}

/** Whether a lower-case word has content: no word of grammar or talk, no lone Latin letter. */
export function isContentWord(word: string): boolean {
  if (SAYS_LITTLE.has(word)) return false;
  return word.length > 1 || /[\p{N}\p{Lo}]/u.test(word);
}

/** Returns the stems of content words, in order, with repetitions. */
export function contentStems(text: string, stem: (word: string) => string): readonly string[] {
  return plainWords(text).filter(isContentWord).map(stem);
}

/** Returns a text with a capital at its beginning. */
export function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
