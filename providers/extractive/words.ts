/** The words of a text, as scoring sees them: lowercase, stemmed, without grammar. */
import { STOP_WORDS } from './stop-words.ts';

/** Scripts written without spaces: a word is any two neighbouring characters. */
const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
const RUN = new RegExp(
  String.raw`[${UNSPACED_SCRIPTS}ー]+|(?:(?![${UNSPACED_SCRIPTS}])[\p{L}\p{M}\p{N}])+`,
  'gu',
);

/** Lowercase words in order; unspaced scripts give overlapping pairs of characters. */
export function rawWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const run of text.normalize('NFKC').toLowerCase().match(RUN) ?? []) {
    if (!UNSPACED.test(run)) {
      words.push(run);
      continue;
    }
    const characters = Array.from(run);
    if (characters.length === 1) words.push(run);
    for (let at = 0; at + 1 < characters.length; at += 1) {
      words.push(characters.slice(at, at + 2).join(''));
    }
  }
  return words;
}

/** Whether a lowercase word says something: not grammar, not a lone Latin letter. */
export function isContentWord(word: string): boolean {
  if (STOP_WORDS.has(word)) return false;
  return word.length > 1 || /[\p{N}\p{Lo}]/u.test(word);
}

/** Stems of the words that carry matter, in order, repeats kept. */
export function contentStems(text: string, stem: (word: string) => string): readonly string[] {
  return rawWords(text).filter(isContentWord).map(stem);
}
