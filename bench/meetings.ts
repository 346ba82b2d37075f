/**
 * Recorded meetings with questions and where each is answered.
 *
 * Data: QMSum (Zhong et al., NAACL 2021), the 35 meetings of its validation part. The meetings are
 * parted by a hash of their index: what is chosen is chosen on 20, the other 15 are only reported.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonLines } from './data-sets.ts';

const DATA_PATH = '../shared/data/qmsum/val.jsonl';
const DEVELOP_MEETINGS = 20;

export interface Question {
  readonly text: string;
  /** Turns that answer it, by number. */
  readonly evidence: ReadonlySet<number>;
}

export interface Meeting {
  /** What each turn says, its speaker before it, in order. */
  readonly turns: readonly string[];
  readonly questions: readonly Question[];
}

export interface Parted<Made> {
  readonly develop: readonly Made[];
  readonly report: readonly Made[];
}

interface Line {
  readonly meeting_transcripts: readonly { readonly speaker: string; readonly content: string }[];
  readonly specific_query_list: readonly {
    readonly query: string;
    readonly relevant_text_span: readonly (readonly [string, string])[];
  }[];
}

/** The path that `--data` names, or where the data is beside the repository. */
export function meetingsPath(args: readonly string[]): string {
  const flag = args.indexOf('--data');
  return resolve(flag < 0 ? DATA_PATH : (args[flag + 1] ?? DATA_PATH));
}

/** Null where there is no such file. */
export function readMeetings(path: string): Parted<Meeting> | null {
  return partedMeetings(path, (row) => meetingOf(row as Line));
}

/** What is made of each line of the file, in its two parts; null where there is no such file. */
export function partedMeetings<Made>(
  path: string,
  made: (row: object, at: number) => Made,
): Parted<Made> | null {
  if (!existsSync(path)) return null;
  const meetings = jsonLines<object>(path).map((row, at) => ({
    hash: hash(at),
    is: made(row, at),
  }));
  const order = meetings.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ is }) => is);
  return { develop: order.slice(0, DEVELOP_MEETINGS), report: order.slice(DEVELOP_MEETINGS) };
}

function hash(index: number): string {
  return createHash('sha256').update(String(index)).digest('hex');
}

function meetingOf(line: Line): Meeting {
  return {
    turns: line.meeting_transcripts.map(({ speaker, content }) => `${speaker}: ${content}`),
    questions: line.specific_query_list.map(({ query, relevant_text_span: spans }) => ({
      text: query,
      evidence: new Set(spans.flatMap(([from, to]) => range(Number(from), Number(to)))),
    })),
  };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
