/** Decides whether a line of a file has anything that the turn it cites does not show. */
import { withoutSourceDates } from '../sources/source.ts';
import { LINE_ROLE } from '../text/speaker-label.ts';

/** Scripts without spaces between words. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
/** A character of such a script, another word, or a number. */
const WORD = new RegExp(String.raw`[${UNSPACED}]|[\p{L}--[${UNSPACED}]]+|\p{N}+`, 'gv');

/** Words that a flush may leave out, and that never change what is said. */
const FILLERS: ReadonlySet<string> = new Set(
  (
    'oh ah hey hi hello well hm hmm um uh ok okay btw ach äh ähm na hallo hola oye bueno pues eh ' +
    'ay 啊 哦 嗯 哎 哈'
  ).split(' '),
);

/**
 * Whether a turn has all words of a line, one after the other. A flush leaves out fillers ("oh"),
 * and adds the speaker and the day.
 */
export function onlyRepeats(line: string, turn: string): boolean {
  const words = tellingWords(withoutSourceDates(line.replace(LINE_ROLE, '')));
  return words === '' || ` ${tellingWords(turn)} `.includes(` ${words} `);
}

function tellingWords(text: string): string {
  const words: readonly string[] = text.toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !FILLERS.has(word)).join(' ');
}
