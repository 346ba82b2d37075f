/** Preferences: which of two things is liked better, and whether a fact turns them round. */
import type { Told } from './attribution.ts';
import { readOnce } from './read-once.ts';
import type { Statement } from './statement.ts';

interface Preference {
  readonly liked: readonly string[];
  /** What is liked less; empty where it is left out. */
  readonly other: readonly string[];
}

const CHOOSING = /^(?:wants?|likes?|chooses?|chose|pick(?:s|ed)|took)$/u;

/** A fact says that something is liked less than another that its sources like better. */
export function isOtherPreferred(fact: Statement, all: readonly Told[]): boolean {
  const own = preferenceOf(fact);
  if (own === null || own.other.length === 0) return false;
  const told = all.flatMap(({ statement }) => preferenceOf(statement) ?? []);
  return told.some(({ liked, other }) => {
    const turned = own.other.some((stem) => liked.includes(stem));
    const isLess = own.liked.some((stem) => other.includes(stem));
    return (turned || isLess) && !own.liked.some((stem) => liked.includes(stem));
  });
}

/** `prefers A to B`, `would rather have A than B`, `wants A instead of B`; null without one. */
export const preferenceOf = readOnce((statement: Statement): Preference | null => {
  const { tokens, stems, isQuestion } = statement;
  if (isQuestion) return null;
  const words = tokens.map(({ lower }) => lower);
  const isDivided = words.some((_, at) => isDivider(words, at));
  const start = words.findIndex(
    (word, index) =>
      /^prefer(?:s|red)?$/u.test(word) ||
      (word === 'rather' && words[index + 1] !== 'than') ||
      (isDivided && CHOOSING.test(word)),
  );
  if (start < 0) return null;
  const isPreferring = words[start]?.startsWith('prefer') === true;
  const liked: string[] = [];
  const other: string[] = [];
  let isOther = false;
  for (let at = start + 1; at < tokens.length; at += 1) {
    const word = words[at] ?? '';
    const isTo = isPreferring && word === 'to' && liked.length > 0;
    if (isTo || isDivider(words, at)) isOther = true;
    else if (/^(?:[,;.]|because|when|but|for|since)$/u.test(word)) break;
    else if ((stems[at] ?? '') !== '') (isOther ? other : liked).push(stems[at] ?? '');
  }
  return { liked, other };
});

function isDivider(words: readonly string[], at: number): boolean {
  const word = words[at] ?? '';
  return (
    word === 'over' ||
    word === 'than' ||
    (word === 'instead' && words[at + 1] === 'of') ||
    (word === 'rather' && words[at + 1] === 'than')
  );
}
