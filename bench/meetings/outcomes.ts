/** Outcomes of meetings, and whether a text states or contradicts them. */
import { readFileSync } from 'node:fs';
import { oneOf } from '#core/text/pattern.ts';
import { sentenceRanges } from '#core/text/sentences.ts';

export interface Outcome {
  /** Line of the meeting in its file, from 0. */
  readonly meeting: number;
  readonly kind: string;
  /** The line in the list of outcomes, to identify a miss. */
  readonly line: string;
  readonly said: readonly RegExp[];
  /** Null if nothing is known that would contradict it. */
  readonly against: readonly RegExp[] | null;
}

export function readOutcomes(): readonly Outcome[] {
  return readFileSync(new URL('outcomes.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(outcomeOf);
}

function outcomeOf(line: string): Outcome {
  const [head = '', against] = line.split(' :: ');
  const [meeting = '', kind = '', ...said] = head.split(' ');
  return {
    meeting: Number(meeting),
    kind,
    line,
    said: said.map(groupOf),
    against: against === undefined ? null : against.split(' ').map(groupOf),
  };
}

function groupOf(group: string): RegExp {
  const words = group.split('|').map((word) => {
    const whole = word.endsWith('.') || /\d$/u.test(word);
    const plain = word.replace(/\.$/u, '').replaceAll(/[.$]/gu, String.raw`\$&`);
    const parted = plain.replaceAll('_', '[ -]');
    return (
      parted.replace("n't", String.raw`\p{L}*n['’]t`) + (whole ? String.raw`(?![\p{L}\p{N}])` : '')
    );
  });
  return new RegExp(String.raw`(?<![\p{L}\p{N}.,])(?:${words.join('|')})`, 'iu');
}

/** Returns what one sentence or two neighboring ones say; a question alone says nothing. */
export function windowsOf(text: string): Windows {
  const spaced = text.replaceAll(/ (?=n?['’])|_/gu, '');
  const sentences = sentenceRanges(spaced).map(({ start, end }) => spaced.slice(start, end));
  const pairs = sentences.map((each, at) => `${sentences[at - 1] ?? ''} ${each}`);
  return { sentences, pairs: pairs.filter((_, at) => !sentences[at]?.includes('?')) };
}

export interface Windows {
  readonly sentences: readonly string[];
  readonly pairs: readonly string[];
}

export function states({ pairs }: Windows, { said }: Outcome): boolean {
  return pairs.some((pair) => said.every((group) => group.test(pair)));
}

/** Returns the sentence that contradicts the outcome; a question or a refusal does not. */
export function contradiction({ sentences }: Windows, { said, against }: Outcome): string | null {
  if (against === null) return null;
  const found = sentences.find(
    (sentence) =>
      against.every((group) => group.test(sentence)) &&
      !REFUSES.test(sentence) &&
      !said.every((group) => group.test(sentence)),
  );
  return found ?? null;
}

const REFUSALS = `
  not, no, never, without, instead, rather, omit, drop, discard, reject, table, refus, abandon,
  expensive
`;
const REFUSES = new RegExp(String.raw`\?|n['’]t\b|\b${oneOf(REFUSALS)}`, 'iu');
