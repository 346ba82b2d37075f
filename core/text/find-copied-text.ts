/** Finds the text that words were copied from: a context, a summary or a file. */
import { oneLine } from './lines.ts';

/** Minimum length of a partial match: shorter words are in too many texts to mean one. */
const PART_LENGTH_MIN = 8;
/** What a context or a file adds before and after a text: a bullet, "earlier", ids. */
const MARK = /^(?:[-*•]|\d+\.)\s+/u;
const REMARK = /\s*(?:\((?:earlier|later)\)|\[[^\]]*\])$/iu;

/** Returns the text that equals the words, else the first that contains them, else the longest. */
export function copiedFrom<T extends { readonly text: string }>(
  words: string,
  texts: readonly T[],
): T | null {
  const asked = plain(words);
  if (asked === '') return null;
  const known = texts.map((each) => ({ each, said: plain(each.text) }));
  const same = known.find(({ said }) => said === asked);
  if (same !== undefined) return same.each;
  const whole =
    asked.length < PART_LENGTH_MIN ? undefined : known.find(({ said }) => said.includes(asked));
  if (whole !== undefined) return whole.each;
  const within = known.filter(({ said }) => said.length >= PART_LENGTH_MIN && asked.includes(said));
  const [longest] = within.toSorted((a, b) => b.said.length - a.said.length);
  return longest?.each ?? null;
}

function plain(text: string): string {
  return oneLine(text).replace(MARK, '').replace(REMARK, '').toLowerCase();
}
