/**
 * Extractive summaries of recorded meetings against human ones, along with simple baselines.
 *
 * Data: QMSum (Zhong et al., 2021), the 35 meetings of its validation part, each with a human
 * answer to "summarize the whole meeting". The meetings are split by a hash of their index: the
 * summarizer was developed on 20, the other 15 are only reported.
 */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { type ExtractedFact, extractFacts } from '#providers/extractive/extract-facts.ts';
import { joinSentences, sentenceOf } from '#core/text/joined-sentences.ts';
import { mean } from './data-sets.ts';
import { meetingsPath, partedMeetings } from './meetings.ts';
import {
  createRougeWords,
  rougeN,
  type BaselineOptions,
  fill,
  longestFirst,
  type MeetingTurn,
  memoized,
  rawSentences,
  shuffled,
} from './summary-baselines.ts';

const CAPS = [50, 200, 500] as const;
const SEEDS = 8;
const EXTRACT_CAPS = { maxTokens: 500, maxSentenceTokens: 50 };

export interface Meeting {
  /** Its line in the file, from 0. */
  readonly line: number;
  readonly meeting_transcripts: readonly MeetingTurn[];
  readonly general_query_list: readonly { readonly answer: string }[];
  readonly specific_query_list: readonly { readonly answer: string }[];
}

/** A way of summarizing: returns several texts per cap if it is random, else one. */
type Method = (meeting: Meeting, cap: number) => readonly string[];

interface Row {
  readonly name: string;
  readonly cap: number;
  readonly rouge: readonly [readonly number[], readonly number[]];
}

/** Prints ROUGE-1 and ROUGE-2 F1 of every method at every cap for both parts. */
export function run(args: readonly string[]): Promise<void> {
  measureFile(args);
  return Promise.resolve();
}

function measureFile(args: readonly string[]): void {
  const parts = readParts(args, 'summary');
  for (const [part, meetings] of parts) report(part, meetings);
}

type Parts = readonly (readonly [name: string, meetings: readonly Meeting[]])[];

/** Reads the two parts of the file that `--data` names; without it, prints so and returns none. */
export function readParts(args: readonly string[], bench: string): Parts {
  const path = meetingsPath(args);
  const parted = partedMeetings(path, (row, line) => ({
    ...(row as Omit<Meeting, 'line'>),
    line,
  }));
  if (parted !== null) return Object.entries(parted);
  console.log(`${bench}: skipped, no meetings at ${path} (--data PATH names another file)`);
  return [];
}

/** Returns every method by name, with Varve's last. */
function methods(): ReadonlyMap<string, Method> {
  const all = new Map<string, Method>();
  const count = memoized(countTokens);
  for (const prefixed of [false, true]) {
    for (const trimmed of [false, true]) {
      addBaselines(all, { countTokens: count, prefixed, trimmed });
    }
  }
  const known = new Map<Meeting, readonly ExtractedFact[]>();
  const factsOf = (meeting: Meeting): readonly ExtractedFact[] => {
    const facts = known.get(meeting) ?? extract(meeting);
    known.set(meeting, facts);
    return facts;
  };
  all.set(OURS, (meeting, cap) => [compose(factsOf(meeting), cap)]);
  all.set(`${OURS}, speakers taken out`, (meeting, cap) => [
    compose(factsOf(meeting).map(withoutSpeaker), cap),
  ]);
  return all;
}

function addBaselines(all: Map<string, Method>, options: BaselineOptions): void {
  const label = (options.prefixed ? ', speakers' : '') + (options.trimmed ? ', trimmed' : '');
  const sentences = (meeting: Meeting): readonly string[] =>
    rawSentences(meeting.meeting_transcripts, options.prefixed);
  all.set(`lead${label}`, (meeting, cap) => [fill(sentences(meeting), cap, options)]);
  all.set(`longest${label}`, (meeting, cap) => {
    const ordered = longestFirst(sentences(meeting), options.countTokens);
    return [fill(ordered, cap, options)];
  });
  all.set(`random${label}`, (meeting, cap) =>
    Array.from({ length: SEEDS }, (_, seed) =>
      fill(shuffled(sentences(meeting), seed + 1), cap, options),
    ),
  );
}

export function extract(meeting: Meeting): readonly ExtractedFact[] {
  const sources = meeting.meeting_transcripts.map((turn, index) => ({
    id: `t${index}`,
    text: turn.content,
    at: '2026-01-01T00:00:00.000Z',
    speaker: turn.speaker,
  }));
  return extractFacts(sources, { countTokens, ...EXTRACT_CAPS });
}

function withoutSpeaker(fact: ExtractedFact): ExtractedFact {
  const prefix = `${fact.speaker ?? ''}: `;
  return fact.text.startsWith(prefix) ? { ...fact, text: fact.text.slice(prefix.length) } : fact;
}

/**
 * Returns the longest prefix of the facts that fits the cap, as the summarizer composes a depth.
 */
export function compose(facts: readonly ExtractedFact[], cap: number): string {
  const sentences = facts.map((fact) => sentenceOf(fact.text));
  let text = '';
  for (const at of sentences.keys()) {
    const longer = joinSentences(sentences.slice(0, at + 1));
    if (countTokens(longer) > cap) break;
    text = longer;
  }
  return text;
}

function report(title: string, meetings: readonly Meeting[]): void {
  const rows = measure(meetings);
  for (const cap of CAPS) {
    const ofCap = rows.filter((row) => row.cap === cap);
    console.log(`\n${title}: ${meetings.length} meetings, ${cap} tokens`);
    console.log(`${''.padEnd(NAME_WIDTH)}${['ROUGE-1 F1', 'ROUGE-2 F1'].map(head).join('')}`);
    for (const row of ofCap)
      console.log(row.name.padEnd(NAME_WIDTH) + row.rouge.map(spread).join(''));
    for (const n of [1, 2] as const) console.log(verdict(ofCap, n));
  }
}

const OURS = 'ours';
const NAME_WIDTH = 28;
const FIGURE_WIDTH = 8;
const FIGURES = ['mean', 'stdev', 'min', 'median', 'max'];

function head(title: string): string {
  return `  ${title}:${FIGURES.map((name) => name.padStart(FIGURE_WIDTH)).join('')}`;
}

/**
 * Compares Varve with the baseline with the best mean: the ratio, and in how many meetings Varve
 * wins.
 */
function verdict(rows: readonly Row[], n: 1 | 2): string {
  const scores = (row: Row | undefined): readonly number[] => row?.rouge[n - 1] ?? [];
  const mine = scores(rows.find((row) => row.name === OURS));
  const best = rows
    .filter((row) => !row.name.startsWith(OURS))
    .reduce((a, b) => (mean(scores(b)) > mean(scores(a)) ? b : a));
  const wins = mine.filter((score, index) => score > (scores(best)[index] ?? 0)).length;
  const ratio = (mean(mine) / mean(scores(best))).toFixed(2);
  const won = `wins ${wins} of ${mine.length}`;
  return `ROUGE-${n}: ours is ${ratio} of the best baseline (${best.name}); ${won}`;
}

function measure(meetings: readonly Meeting[]): readonly Row[] {
  const words = createRougeWords();
  const rows: Row[] = [];
  for (const [name, method] of methods()) {
    for (const cap of CAPS) {
      const scores = meetings.map((meeting) => score(meeting, method(meeting, cap), words));
      rows.push({ name, cap, rouge: [scores.map((s) => s[0]), scores.map((s) => s[1])] });
    }
  }
  return rows;
}

function score(
  meeting: Meeting,
  texts: readonly string[],
  words: (text: string) => readonly string[],
): readonly [number, number] {
  const answers = meeting.general_query_list.map((query) => words(query.answer));
  const f1 = (n: number): number =>
    mean(texts.flatMap((text) => answers.map((answer) => rougeN(words(text), answer, n).f1)));
  return [f1(1), f1(2)];
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const center = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
  const at = (place: number): number => sorted[Math.round(place * (sorted.length - 1))] ?? 0;
  const figures = [center, deviation, at(0), at(0.5), at(1)];
  const cells = figures.map((figure) => figure.toFixed(4).padStart(FIGURE_WIDTH)).join('');
  return `${' '.repeat('  ROUGE-1 F1:'.length)}${cells}`;
}
