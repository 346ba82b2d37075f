/**
 * Measures what extraction without a model keeps of the messages in test/extraction, in four
 * languages: how much of what it keeps is true and lasting, how much of what lasts it keeps, and
 * how many corrections end what they correct. With `--data FILE`, it prints the statements taken
 * from conversations in the format of bench/conversations/people.jsonl, for reading.
 */
import { readFileSync, globSync } from 'node:fs';
import { join, basename } from 'node:path';
import { decide } from '#core/extraction/compare-with-known.ts';
import type { ExtractionEvent } from '#core/records/extracted-statement.ts';
import { extract, type Message } from '#core/extraction/extract-statements.ts';
import { halfOf, jsonLines } from './data-sets.ts';

const PERCENT = 100;

export async function run(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--data');
  if (at >= 0) printConversations(args[at + 1] ?? '');
  else {
    const folder = join(import.meta.dirname, '../test/extraction');
    const messages = readMessages(folder);
    for (const half of ['develop', 'report'] as const) {
      printHalf(
        half,
        messages.filter((each) => halfOf(each.id) === half),
      );
    }
  }
  await Promise.resolve();
}

function printHalf(name: string, messages: readonly WrittenMessage[]): void {
  console.log(`${name}: statements kept of messages`);
  console.log(
    '  set       part         messages  lasting  kept  right  precision  recall  corrections',
  );
  const misses: string[] = [];
  for (const [set, ofSet] of Map.groupBy(messages, (each) => each.set)) {
    for (const [part, group] of [
      ...Map.groupBy(ofSet, (each) => each.lang),
      ...Map.groupBy(
        ofSet.filter((each) => each.kind !== undefined),
        (each) => each.kind ?? '',
      ),
      ['all', ofSet] as const,
    ]) {
      const outcomes = group.map((each) => ({ each, ...outcomeOf(each) }));
      const sum = (of: (outcome: (typeof outcomes)[number]) => number): number =>
        outcomes.reduce((total, outcome) => total + of(outcome), 0);
      const [lasting, kept, found, right] = [
        sum(({ each }) => each.facts.length),
        sum((outcome) => outcome.kept.length),
        sum((outcome) => outcome.found),
        sum((outcome) => outcome.right),
      ];
      const corrections = outcomes.filter(({ each }) => each.ends !== undefined);
      const ended = corrections.filter(({ event }) => event === 'SUPERSEDE').length;
      console.log(
        `  ${set.padEnd(10)}${part.padEnd(12)}${[group.length, lasting, kept, right]
          .map((count) => String(count).padStart(9))
          .join('')}  ${share(right, kept)}  ${share(found, lasting)}  ` +
          `${String(ended)} of ${String(corrections.length)}`,
      );
      if (part === 'all') misses.push(...outcomes.flatMap(missesOf));
    }
  }
  // Only misses of the other half are shown, so that rules are never made from the reported one.
  if (name === 'develop') for (const miss of misses) console.log(miss);
}

function missesOf({
  each,
  kept,
  found,
  right,
}: MessageOutcome & { readonly each: WrittenMessage }): readonly string[] {
  return [
    ...(kept.length > right ? [`  wrong   ${each.id}: ${kept.join(' | ')}`] : []),
    ...(found < each.facts.length ? [`  missed  ${each.id}: ${each.said}`] : []),
  ];
}

interface Conversation {
  readonly id: string;
  readonly sessions: readonly {
    readonly at: string;
    readonly turns: readonly {
      readonly id: string;
      readonly role: Message['role'];
      readonly text: string;
    }[];
  }[];
}

function printConversations(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  let turns = 0;
  let kept = 0;
  for (const line of lines.filter((each) => each !== '')) {
    const { id, sessions } = JSON.parse(line) as Conversation;
    const messages = sessions.flatMap((session) =>
      session.turns.map((turn) => ({
        id: turn.id,
        role: turn.role,
        speaker: null,
        content: turn.text,
        at: Date.parse(session.at),
      })),
    );
    turns += messages.length;
    for (const { message, statement, text } of extract(messages)) {
      // Kept only if it ends something known, which this bench does not check.
      if (statement.isMentioned) continue;
      kept += 1;
      console.log(`${id} ${message.id} ${statement.topic}: ${text}`);
    }
  }
  console.log(`${String(kept)} statements of ${String(turns)} turns`);
}

function share(count: number, of: number): string {
  return (of === 0 ? '-' : `${((count / of) * PERCENT).toFixed(1)} %`).padStart(8);
}

interface WrittenMessage {
  readonly id: string;
  readonly lang: string;
  readonly said: string;
  /** Words of each statement that should be kept; empty if nothing lasts. */
  readonly facts: readonly string[];
  /** What the sentence says, or why nothing of it should be kept. */
  readonly kind?: string;
  /** What was known before the message and is its subject. */
  readonly known?: string;
  /** The part of what was known that the message ends. */
  readonly ends?: string;
  /** Name of its file. */
  readonly set: string;
}

interface MessageOutcome {
  readonly kept: readonly string[];
  /** How many facts are kept, at least in part. */
  readonly found: number;
  /** How many of the kept statements say a fact. */
  readonly right: number;
  readonly event: ExtractionEvent | 'None' | null;
}

const SAID_AT = Date.parse('2026-11-03T10:00:00Z');

/** Reads hand-written messages, each with what should be kept of it. */
export function readMessages(folder: string): readonly WrittenMessage[] {
  return globSync(`${folder}/*.jsonl`)
    .toSorted()
    .flatMap((file) => {
      const messages = jsonLines<Omit<WrittenMessage, 'set'>>(file);
      return messages.map((message) => ({ ...message, set: basename(file, '.jsonl') }));
    });
}

/** Whether two parts of a text share characters there. */
function overlap(text: string, one: string, other: string): boolean {
  const [first, second] = [text.indexOf(one), text.indexOf(other)];
  if (first < 0 || second < 0) return one.includes(other) || other.includes(one);
  return first < second + other.length && second < first + one.length;
}

export function outcomeOf({ said, facts, known }: WrittenMessage): MessageOutcome {
  const message = { id: 'm', role: 'user', speaker: null, content: said, at: SAID_AT } as const;
  const before = { id: 'known', at: SAID_AT - 1, live: true, sources: [], speaker: null };
  const memories = known === undefined ? [] : [{ ...before, content: known }];
  const decided = extract([message]).map(({ statement, text }) => {
    const asked = { statement, source: 'm', at: SAID_AT, speaker: null };
    return { text, quote: statement.quote, event: decide(asked, memories, ['dana']).event };
  });
  const extracted = decided.filter(({ event }) => event !== 'None');
  const says = (quote: string, fact: string): boolean => overlap(said, quote, fact);
  const found = facts.filter((fact) => extracted.some(({ quote }) => says(quote, fact))).length;
  const right = extracted.filter(({ quote }) => facts.some((fact) => says(quote, fact))).length;
  const event = known === undefined ? null : (extracted[0]?.event ?? null);
  return { kept: extracted.map(({ text }) => text), found, right, event };
}
