/**
 * Measures how many outcomes of recorded meetings their extractive summaries state, and how many
 * statements contradict them, against simple baselines and the human answers.
 *
 * Data: QMSum (Zhong et al., NAACL 2021), the 35 meetings of its validation part, split as in
 * `bench -- summary`, and the outcomes listed in `meetings/outcomes.txt`.
 */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { centralFirst } from './meetings/central.ts';
import {
  contradiction,
  type Outcome,
  readOutcomes,
  states,
  type Windows,
  windowsOf,
} from './meetings/outcomes.ts';
import { compose, extract, type Meeting, readParts } from './summary.ts';
import { fill, memoized, rawSentences } from './summary-baselines.ts';

const CAPS = [50, 200, 500] as const;
const NAME_WIDTH = 24;

type Method = (meeting: Meeting, cap: number) => string;

/**
 * Prints the shares for both parts; with `--misses`, also every miss and contradiction of the
 * first.
 */
export function run(args: readonly string[]): Promise<void> {
  const parts = readParts(args, 'meetings');
  const outcomes = Map.groupBy(readOutcomes(), ({ meeting }) => meeting);
  const methods = methodsOf();
  for (const [part, meetings] of parts) {
    const listed = meetings.flatMap((meeting) => outcomes.get(meeting.line) ?? []);
    console.log(`\n${part}: ${meetings.length} meetings, ${listed.length} outcomes`);
    console.log(''.padEnd(NAME_WIDTH) + CAPS.map((cap) => `${cap} tokens`.padStart(16)).join(''));
    for (const [name, method] of methods) {
      const cells = CAPS.map((cap) =>
        figure(meetings, outcomes, (meeting) => windowsOf(method(meeting, cap))),
      );
      console.log(name.padEnd(NAME_WIDTH) + cells.join(''));
    }
    for (const [name, answer] of HUMANS) {
      const cell = figure(meetings, outcomes, (meeting) => windowsOf(answer(meeting)));
      const words = meetings.map((meeting) => answer(meeting).split(' ').length);
      const mean = words.reduce((sum, count) => sum + count, 0) / Math.max(1, words.length);
      console.log(`${name.padEnd(NAME_WIDTH)}${cell}  in ${mean.toFixed(0)} words`);
    }
    if (part === 'develop' && args.includes('--misses')) printMisses(meetings, outcomes);
  }
  return Promise.resolve();
}

const HUMANS: readonly (readonly [string, (meeting: Meeting) => string])[] = [
  ['human, general', (meeting) => answers(meeting.general_query_list)],
  [
    'human, all answers',
    (meeting) => answers([...meeting.general_query_list, ...meeting.specific_query_list]),
  ],
  [
    'the whole meeting',
    (meeting) => meeting.meeting_transcripts.map(({ content }) => content).join('\n'),
  ],
];

function answers(queries: readonly { readonly answer: string }[]): string {
  return queries.map(({ answer }) => answer).join(' ');
}

function methodsOf(): ReadonlyMap<string, Method> {
  const options = { countTokens: memoized(countTokens), prefixed: false, trimmed: false };
  const known = new Map<string, Map<Meeting, readonly string[]>>();
  const ordered =
    (name: string, order: (sentences: readonly string[]) => readonly string[]): Method =>
    (meeting, cap) => {
      const orders = known.get(name) ?? new Map<Meeting, readonly string[]>();
      known.set(name, orders);
      const sentences =
        orders.get(meeting) ?? order(rawSentences(meeting.meeting_transcripts, false));
      orders.set(meeting, sentences);
      return fill(sentences, cap, options);
    };
  const extracted = new Map<Meeting, ReturnType<typeof extract>>();
  return new Map<string, Method>([
    ['lead', ordered('lead', (sentences) => sentences)],
    ['tail', ordered('tail', (sentences) => sentences.toReversed())],
    ['TextRank by BM25', ordered('central', centralFirst)],
    [
      'ours',
      (meeting, cap) => {
        const facts = extracted.get(meeting) ?? extract(meeting);
        extracted.set(meeting, facts);
        return compose(facts, cap);
      },
    ],
  ]);
}

type ByMeeting = ReadonlyMap<number, readonly Outcome[]>;

/** Returns the share of stated outcomes, and the number of statements that contradict one. */
function figure(
  meetings: readonly Meeting[],
  outcomes: ByMeeting,
  textOf: (meeting: Meeting) => Windows,
): string {
  let all = 0;
  let stated = 0;
  let against = 0;
  for (const meeting of meetings) {
    const text = textOf(meeting);
    for (const outcome of outcomes.get(meeting.line) ?? []) {
      all += 1;
      stated += Number(states(text, outcome));
      against += Number(contradiction(text, outcome) !== null);
    }
  }
  return `${(stated / Math.max(1, all)).toFixed(2)}, ${against} against`.padStart(16);
}

function printMisses(meetings: readonly Meeting[], outcomes: ByMeeting): void {
  for (const meeting of meetings) {
    const text = compose(extract(meeting), Math.max(...CAPS));
    console.log(`\n${meeting.line}: ${text}`);
    for (const outcome of outcomes.get(meeting.line) ?? []) {
      const against = contradiction(windowsOf(text), outcome);
      if (!states(windowsOf(text), outcome)) console.log(`  missed: ${outcome.line}`);
      if (against !== null) console.log(`  against: ${outcome.line}\n    ${against}`);
    }
  }
}
