/**
 * Joins the sentences of a summary. A run of sentences by one speaker names the speaker once, at
 * its beginning. A sentence that is shown alone still names its speaker. What the owner of a scope
 * says of himself has no name; it comes before the first name, or it would seem to be of that one.
 */
import { speaksOfSelf } from './speaks-of-self.ts';
import { oneOf } from './pattern.ts';
import { HAN_NOTE_LABELS, labeledLine } from './speaker-label.ts';

/** A chat line that names a role in lower case: `user: It ships in May.` */
const ROLE_LINE = /^(?<speaker>user|human|assistant|ai|agent|model|bot|tool): (?<said>\S.*)$/su;
const HAN_LINE = new RegExp(
  String.raw`^(?!${oneOf(HAN_NOTE_LABELS)})(?<speaker>\p{Script=Han}{2,4})[:：]\s*(?<said>\S.*)$`,
  'su',
);
/** End punctuation, also before closing quotes or brackets or before a date; or a smiley. */
const STOP = String.raw`[.!?…。！？；：:;](?:[)"'”’»」』）】\]]*| \((?:as of )?[-\d]+\))`;
const SMILEY = String.raw`[:;=][-']?[)D\]]`;
const STOPPED = new RegExp(`(?:${STOP}|${SMILEY})$`, 'u');
/** Scripts with their own period, and no space after it. */
const HAN = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const ENDS_IN_HAN = new RegExp(`${HAN}[\\p{P}]*(?: ?\\((?:as of )?[-\\d]+\\))?$`, 'u');
const STARTS_IN_HAN = new RegExp(`^[“「『《（]*${HAN}`, 'u');

/** Ends a text with a period if it has no end punctuation, so that joined sentences stay apart. */
export function sentenceOf(given: string): string {
  const text = given.trim();
  if (STOPPED.test(text)) return text;
  return ENDS_IN_HAN.test(text) ? `${text}。` : `${text}.`;
}

/** Joins sentences in order into one text. */
export function joinSentences(sentences: readonly string[]): string {
  return shownSentences(sentences)
    .map(({ text }) => text)
    .reduce(joinTwo, '');
}

/** Joins sentences in order, with one line for each run of sentences by one speaker. */
export function joinIntoLines(sentences: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const { text, startsRun } of shownSentences(sentences)) {
    if (startsRun) lines.push(text);
    else lines.push(joinTwo(lines.pop() ?? '', text));
  }
  return lines;
}

interface ShownSentence {
  readonly text: string;
  /** Whether another speaker begins here. */
  readonly startsRun: boolean;
}

function shownSentences(given: readonly string[]): readonly ShownSentence[] {
  const sentences = ownersFirst(given);
  const lines = sentences.map(lineOf);
  // If some sentence has no speaker, one that leaves its name out would seem to have none either.
  const isTalk = lines.every((line) => line !== null);
  return sentences.map((sentence, at) => {
    const line = lines[at] ?? null;
    const isSame = isTalk && line !== null && line.speaker === lines[at - 1]?.speaker;
    const isNamed = !isSame || lineOf(line.said) !== null;
    return { text: isNamed ? sentence : line.said, startsRun: isTalk && isNamed };
  });
}

/** Moves sentences about an unnamed `I` from behind the first name to before it. */
function ownersFirst(sentences: readonly string[]): readonly string[] {
  const first = sentences.findIndex((each) => lineOf(each) !== null);
  if (first === -1) return sentences;
  const isOwners = (each: string): boolean => lineOf(each) === null && speaksOfSelf(each);
  const rest = sentences.slice(first);
  return [
    ...sentences.slice(0, first),
    ...rest.filter(isOwners),
    ...rest.filter((each) => !isOwners(each)),
  ];
}

function joinTwo(text: string, sentence: string): string {
  const isJoint = text === '' || (/[。！？]$/u.test(text) && STARTS_IN_HAN.test(sentence));
  return text + (isJoint ? '' : ' ') + sentence;
}

/** Returns a sentence without the speaker in front of it. */
export function saidOf(sentence: string): string {
  return lineOf(sentence)?.said ?? sentence;
}

interface Line {
  readonly speaker: string;
  readonly said: string;
}

function lineOf(sentence: string): Line | null {
  const { groups } = ROLE_LINE.exec(sentence) ?? HAN_LINE.exec(sentence) ?? {};
  const { speaker, said } = groups ?? {};
  return speaker === undefined || said === undefined ? labeledLine(sentence) : { speaker, said };
}
