/**
 * Recorded meetings with questions, and where each question is answered.
 *
 * Data: QMSum (Zhong et al., NAACL 2021), the 35 meetings of its validation part. The meetings are
 * split by a hash of their index: choices are made on 20, and the other 15 are only reported.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonLines } from './data-sets.ts';

const DATA_PATH = '../shared/data/qmsum/val.jsonl';
/** On how many meetings choices are made. */
export const DEVELOP_MEETINGS = 20;

export interface Question {
  readonly text: string;
  /** Numbers of the turns that answer the question. */
  readonly evidence: ReadonlySet<number>;
}

export interface Meeting {
  /** The text of each turn after its speaker, in order. */
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

/** Returns the path that `--data` names, or the default path next to the repository. */
export function meetingsPath(args: readonly string[]): string {
  const flag = args.indexOf('--data');
  return resolve(flag < 0 ? DATA_PATH : (args[flag + 1] ?? DATA_PATH));
}

/** Returns null if there is no such file. */
export function readMeetings(path: string): Parted<Meeting> | null {
  return partedMeetings(path, (row) => meetingOf(row as Line));
}

/** Converts each line of the file and returns the two parts; null if there is no such file. */
export function partedMeetings<Made>(
  path: string,
  made: (row: object, at: number) => Made,
): Parted<Made> | null {
  if (!existsSync(path)) return null;
  const meetings = jsonLines<object>(path).map(made);
  const order = byHash(meetings);
  return { develop: order.slice(0, DEVELOP_MEETINGS), report: order.slice(DEVELOP_MEETINGS) };
}

/** Sorts items by the hash of their place. */
export function byHash<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((is, place) => ({ is, hash: hash(place) }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ is }) => is);
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
