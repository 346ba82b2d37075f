/** Decides whether a line of a file has anything that the turn it cites does not show. */
import { withoutSourceDates } from '../sources/source.ts';
import { LINE_ROLE } from '../text/spoken-line.ts';

const WORD = /\p{Script=Han}|[\p{L}\p{N}]+/gu;

/**
 * Whether all words of a line stand in a turn, in their order. A flush leaves out greetings and
 * fillers ("hey!", "oh"), and adds the speaker and the day.
 */
export function onlyRepeats(line: string, turn: string): boolean {
  const said = wordsOf(turn);
  let from = 0;
  return wordsOf(withoutSourceDates(line.replace(LINE_ROLE, ''))).every((word) => {
    const place = said.indexOf(word, from);
    from = place + 1;
    return place >= 0;
  });
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
