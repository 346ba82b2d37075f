/** Messages written by hand, with what of them lasts: the cases that extraction is measured by. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { decide, type ExtractionEvent } from '#core/extraction/compare.ts';
import { extract } from '#core/extraction/extract.ts';

export interface WrittenMessage {
  readonly id: string;
  readonly lang: string;
  readonly said: string;
  /** Words of each statement that is to be kept; empty where nothing lasts. */
  readonly facts: readonly string[];
  /** What was known before, which the message is about. */
  readonly known?: string;
  /** Of what was known, what it ends. */
  readonly ends?: string;
  /** Name of its file. */
  readonly set: string;
}

export interface MessageOutcome {
  readonly kept: readonly string[];
  readonly right: number;
  readonly event: ExtractionEvent | null;
}

const SAID_AT = Date.parse('2026-11-03T10:00:00Z');

export function readMessages(folder: string): readonly WrittenMessage[] {
  return globSync(`${folder}/*.jsonl`)
    .toSorted()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({
          ...(JSON.parse(line) as Omit<WrittenMessage, 'set'>),
          set: basename(file, '.jsonl'),
        })),
    );
}

/** Even and odd of the last byte of the SHA-256 of the id. */
export function halfOf(id: string): 'develop' | 'report' {
  const last = createHash('sha256').update(id).digest().at(-1) ?? 0;
  return last % 2 === 0 ? 'develop' : 'report';
}

export function outcomeOf({ said, facts, known }: WrittenMessage): MessageOutcome {
  const message = { id: 'm', role: 'user', speaker: null, content: said, at: SAID_AT } as const;
  const extracted = extract([message]);
  const right = facts.filter((fact) => extracted.some(({ text }) => text.includes(fact))).length;
  const [first] = extracted;
  const decision =
    first === undefined || known === undefined
      ? null
      : decide(
          { statement: first.statement, source: 'm', at: SAID_AT },
          [{ id: 'known', content: known, at: SAID_AT - 1, live: true, sources: [] }],
          ['dana'],
        );
  return { kept: extracted.map(({ text }) => text), right, event: decision?.event ?? null };
}
