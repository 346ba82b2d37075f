/**
 * Conversations over many sessions with questions asked later, in three forms: a person and an
 * assistant over months, companions over days with marked evidence, and recorded meetings.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { byHash, DEVELOP_MEETINGS } from '../meetings.ts';

/** On how many companions of each language choices are made. */
const DEVELOP_COMPANIONS = 8;

export interface Said {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly speaker: string | null;
  readonly text: string;
}

export interface Session {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly turns: readonly Said[];
}

export interface Question {
  readonly id: string;
  readonly kind: string;
  readonly at: number;
  readonly text: string;
  /** Turns that answer the question. */
  readonly evidence: readonly string[];
  /** Whether one of them is enough. */
  readonly isAnyEnough: boolean;
  /** Groups of alternative spellings: an answering context contains one of each group. */
  readonly expected: readonly (readonly string[])[];
  /** Groups of alternative spellings of what was once true. */
  readonly stale: readonly (readonly string[])[];
  /** Groups of alternative spellings of what was deleted. */
  readonly absent: readonly (readonly string[])[];
}

export interface Person {
  readonly id: string;
  readonly language: string;
  readonly sessions: readonly Session[];
  readonly deleted: ReadonlySet<string>;
  readonly questions: readonly Question[];
}

export interface DataSet {
  readonly name: string;
  /**
   * `Words`: contexts are judged by their words. `Evidence`: by the share of evidence that they
   * show.
   */
  readonly judged: 'Words' | 'Evidence';
  readonly limits: readonly number[];
  readonly people: readonly Person[];
  /** Choices are made on some of the people, and the others are only reported; null for neither. */
  readonly develop: ReadonlySet<string> | null;
}

/** Reads a file, or all `.jsonl` files of a folder; null if it does not exist. */
export function readDataSet(place: string): DataSet | null {
  if (!existsSync(place)) return null;
  const isFolder = statSync(place).isDirectory();
  const names = isFolder ? readdirSync(place).filter((name) => name.endsWith('.jsonl')) : [''];
  const rows = names.toSorted().flatMap((name) => {
    const file = path.join(place, name);
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines
      .filter((line) => line.trim() !== '')
      .map((line, index) => ({ file: path.basename(file, '.jsonl'), index, row: parsed(line) }));
  });
  const [first] = rows;
  if (first === undefined) return null;
  const name = path.basename(place, '.jsonl');
  if ('meeting_transcripts' in first.row) {
    const people = rows.map(({ index, row }) => meetingOf(row as MeetingRow, index));
    const develop = firstByHash(people, DEVELOP_MEETINGS);
    return { name, judged: 'Evidence', limits: [500, 1_000, 2_000, 4_000], people, develop };
  }
  if ('user' in first.row) {
    const people = rows.map(({ file, row }) => companionOf(row as CompanionRow, file));
    // Each file has the same people in another language.
    const files = Map.groupBy(people, ({ language }) => language);
    const develop = [...files.values()].flatMap((each) => [
      ...firstByHash(each, DEVELOP_COMPANIONS),
    ]);
    const limits = [500, 1_000, 2_000];
    return { name, judged: 'Evidence', limits, people, develop: new Set(develop) };
  }
  const people = rows.map(({ row }) => personOf(row as PersonRow));
  return { name, judged: 'Words', limits: [300, 600, 1_000], people, develop: null };
}

/** Returns the ids of the first people by the hash of their place. */
function firstByHash(people: readonly Person[], count: number): ReadonlySet<string> {
  return new Set(
    byHash(people)
      .slice(0, count)
      .map(({ id }) => id),
  );
}

interface PersonRow {
  readonly id: string;
  readonly lang: string;
  readonly sessions: readonly {
    readonly id: string;
    readonly at: string;
    readonly turns: readonly {
      id: string;
      role: 'user' | 'assistant';
      /** Only where people talk with each other, and the app names them. */
      speaker?: string;
      text: string;
    }[];
  }[];
  readonly deletions?: readonly { readonly turn: string }[];
  readonly questions: readonly {
    readonly id: string;
    readonly kind: string;
    readonly at: string;
    readonly q: string;
    readonly evidence?: readonly string[];
    readonly expect?: readonly (readonly string[])[];
    readonly stale?: readonly (readonly string[])[];
    readonly absent?: readonly (readonly string[])[];
  }[];
}

interface CompanionRow {
  readonly user: string;
  readonly sessions: readonly {
    readonly date: string;
    readonly turns: readonly { id: string; role: 'user' | 'assistant'; content: string }[];
  }[];
  readonly questions: readonly {
    readonly question: string;
    readonly asked_at: string;
    readonly kind: string;
    readonly evidence: readonly string[];
    readonly any?: boolean;
  }[];
}

interface MeetingRow {
  readonly meeting_transcripts: readonly { readonly speaker: string; readonly content: string }[];
  readonly specific_query_list: readonly {
    readonly query: string;
    readonly relevant_text_span: readonly (readonly [string, string])[];
  }[];
}

function parsed(line: string): object {
  return JSON.parse(line) as object;
}

function personOf({ id, lang, sessions, deletions = [], questions }: PersonRow): Person {
  return {
    id,
    language: lang,
    sessions: sessions.map(({ id: name, at, turns }) => ({
      id: name,
      at: Date.parse(at),
      turns: turns.map((turn) => ({ ...turn, speaker: turn.speaker ?? null })),
    })),
    deleted: new Set(deletions.map(({ turn }) => turn)),
    questions: questions.map((each) => ({
      id: each.id,
      kind: each.kind,
      at: Date.parse(each.at),
      text: each.q,
      evidence: each.evidence ?? [],
      isAnyEnough: false,
      expected: each.expect ?? [],
      stale: each.stale ?? [],
      absent: each.absent ?? [],
    })),
  };
}

const UNJUDGED_WORDS = { expected: [], stale: [], absent: [] };

function companionOf({ user, sessions, questions }: CompanionRow, file: string): Person {
  return {
    id: `${file}-${user}`,
    language: file,
    sessions: sessions.map(({ date, turns }, index) => ({
      id: `s${String(index + 1)}`,
      at: Date.parse(`${date}T12:00:00Z`),
      turns: turns.map(({ id, role, content }) => ({ id, role, speaker: null, text: content })),
    })),
    deleted: new Set(),
    questions: questions.map((each, index) => ({
      ...UNJUDGED_WORDS,
      id: `q${String(index + 1)}`,
      kind: each.kind,
      at: Date.parse(`${each.asked_at}T12:00:00Z`),
      text: each.question,
      evidence: each.evidence,
      isAnyEnough: each.any === true,
    })),
  };
}

/** Meetings have no date, so all get the same day. */
const MEETING_AT = Date.parse('2026-01-05T10:00:00Z');
const DAY_MS = 86_400_000;

function meetingOf({ meeting_transcripts, specific_query_list }: MeetingRow, at: number): Person {
  return {
    id: `meeting-${String(at + 1)}`,
    language: 'en',
    sessions: [
      {
        id: 's1',
        at: MEETING_AT,
        turns: meeting_transcripts.map(({ speaker, content }, index) => ({
          id: String(index),
          role: 'user',
          speaker,
          text: content,
        })),
      },
    ],
    deleted: new Set(),
    questions: specific_query_list.map(({ query, relevant_text_span: spans }, index) => ({
      ...UNJUDGED_WORDS,
      id: `q${String(index + 1)}`,
      kind: 'meeting',
      at: MEETING_AT + DAY_MS,
      text: query,
      evidence: spans.flatMap(([from, to]) => range(Number(from), Number(to))),
      isAnyEnough: false,
    })),
  };
}

function range(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
}
