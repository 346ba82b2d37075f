/** Operations on daily files: append a block to that of a day, and read one (TIER-02, TIER-03). */
import * as schemas from '../schemas/documents.ts';
import { operation } from './operation.ts';
import { forEachConcurrently } from '#core/chunks-and-pages.ts';
import { VarveError } from '#core/errors.ts';
import { policyInForce, policyToWriteBy } from '#core/policy/policy-in-force.ts';
import type { NewId } from '#core/ports/platform.ts';
import {
  type Document,
  LINE_LENGTH_MAX,
  LINES_PER_DOCUMENT_MAX,
  type DocumentLine,
} from '#core/records/document.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { type Trust, leastTrust } from '#core/trust.ts';
import { readMemoryText } from '#core/memory-files/memory-md.ts';
import { zoneOfSubject } from '#core/memory-files/subject-time-zone.ts';
import { readFileOfBlocks } from '../read-markdown-file.ts';
import type { ApiPorts } from '../api-ports.ts';
import { authorizeSubject, type Principal, mayReach } from '../principal.ts';
import { subjectPlace, type SubjectPlace } from '../note-subject-changes.ts';

const OF = { tenant: 'acme', subject: { kind: 'user' as const, id: 'ann' } };
/** Also shown by the operations on documents. */
export const DAILY_FILE: schemas.DocumentAnswer = {
  path: 'memory/2026-11-21.md',
  kind: 'Daily',
  version: 1,
  text: '# 2026-11-21\n\n## Notes (14:30)\n\n- The new checkout launches on December 1, 2026.\n',
  lines: [
    {
      id: '019aa5c2-7c1e-7b52-9f0e-0000000000b1',
      heading: 'Notes',
      text: 'The new checkout launches on December 1, 2026.',
      sources: [],
      trust: 'stated',
      at: 1_795_271_400_000,
      blockId: '019aa5c2-7c1e-7b52-9f0e-0000000000b0',
    },
  ],
  outdatedLines: 0,
  author: 'caller',
  dreamId: null,
  at: 1_795_271_400_000,
  nextAfter: null,
};

export const daily = {
  append: operation({
    name: 'daily.append',
    kind: 'mutation',
    summary: 'Appends a block to the daily file of a subject, in the subject’s time zone.',
    input: schemas.AppendDaily,
    output: schemas.AppendAnswer,
    example: {
      input: { ...OF, text: 'The new checkout launches on December 1, 2026.', key: 'note-1' },
      output: {
        path: DAILY_FILE.path,
        day: '2026-11-21',
        version: 1,
        id: '019aa5c2-7c1e-7b52-9f0e-0000000000b0',
        lines: 1,
        added: true,
      },
    },
    role: 'write',
    errors: ['CONTENT_TOO_LONG', 'CONFLICT'],
    commands: ['daily append'],
    async run(ports, principal, asked) {
      const { tenant, subject, key = null, heading } = asked;
      authorizeSubject(principal, tenant, subject);
      const { store, platform, calendar } = ports;
      const policy = await policyToWriteBy(store.policies, tenant);
      const now = platform.clock();
      const at = asked.at ?? now;
      if (at > now + AHEAD_MS_MAX) {
        throw new VarveError('INVALID_INPUT', 'at: expected a time that is not in the future.');
      }
      const given = givenLines(asked);
      const sources = sourcesOf(given);
      const timeZone = zoneOfSubject(policy.dreams ?? [], subject);
      const place = subjectPlace({ tenant, subject });
      const dayBefore = calendar.dayOf(at - REPEATED_WITHIN_MS, timeZone);
      const day = calendar.dayOf(at, timeZone);
      if (key !== null && asked.at === undefined && dayBefore !== day) {
        const same = await lastBlockOfKey(ports, { ...place, path: dailyPath(dayBefore) }, key);
        if (same !== null) return answer(repeated(same, { heading, given }), dayBefore, false);
      }
      const trusts = await trustsOf(ports, principal, { tenant, sources });
      const { document, isNew } = await store.documents.append(
        {
          ...place,
          path: dailyPath(day),
          id: platform.newId(),
          kind: 'Daily',
          heading,
          lines: blockLines(given, {
            at: Math.min(at, now),
            newId: platform.newId,
            trustOf: (id) => trusts.get(id),
          }),
          author: 'caller',
          proposalId: null,
          key,
          at,
          dreamedAt: null,
        },
        { subjectId: platform.newId(), announcedAt: now },
      );
      return answer(isNew ? document : repeated(document, { heading, given }), day, isNew);
    },
  }),
  get: operation({
    name: 'daily.get',
    kind: 'query',
    summary: 'Returns a daily file as Markdown, or null if nothing was written on that day.',
    input: schemas.GetDaily,
    output: schemas.DocumentAnswer.nullable(),
    example: { input: { ...OF, day: '2026-11-21' }, output: DAILY_FILE },
    role: 'read',
    commands: ['daily show'],
    async run(ports, principal, { tenant, subject, day, after }) {
      authorizeSubject(principal, tenant, subject);
      const { store, platform, calendar } = ports;
      const { dreams = [] } = await policyInForce(store.policies, tenant);
      const timeZone = zoneOfSubject(dreams, subject);
      const path = dailyPath(day ?? calendar.dayOf(platform.clock(), timeZone));
      const file = { ...subjectPlace({ tenant, subject }), path, timeZone, after };
      return readFileOfBlocks(ports, principal, file);
    },
  }),
};

/** Maximum different sources of one block, many times the turns of a session. Each is read. */
export const SOURCES_PER_BLOCK_MAX = 1_000;
/** Maximum concurrent reads of one call; they leave room for those of other calls. */
const READS_AT_ONCE_MAX = 16;

/** Returns each source once. @throws VarveError CONTENT_TOO_LONG with the maximum */
function sourcesOf(given: readonly Pick<GivenLine, 'sources'>[]): ReadonlySet<string> {
  const ids = new Set(given.flatMap(({ sources }) => sources));
  if (ids.size <= SOURCES_PER_BLOCK_MAX) return ids;
  const message =
    `The block has ${String(ids.size)} sources; the maximum is ${String(SOURCES_PER_BLOCK_MAX)}. ` +
    'Append it in several calls.';
  throw new VarveError('CONTENT_TOO_LONG', message, {
    details: { sourcesMax: SOURCES_PER_BLOCK_MAX, sources: ids.size },
  });
}

/**
 * Returns the trust of those sources that are memories and that the caller may name. Other sources,
 * such as turns, are kept as named and have no trust: another tenant's memory looks like one that
 * does not exist.
 */
async function trustsOf(
  { store }: Pick<ApiPorts, 'store'>,
  principal: Principal,
  { tenant, sources }: { readonly tenant: string; readonly sources: ReadonlySet<string> },
): Promise<ReadonlyMap<string, Trust>> {
  const trusts = new Map<string, Trust>();
  await forEachConcurrently(sources, READS_AT_ONCE_MAX, async (id) => {
    const memory = await store.memories.get(tenant, id);
    if (memory === null || !(await mayReach(store, principal, memory))) return;
    trusts.set(id, memory.trust);
  });
  return trusts;
}

/** Blocks to search at once for a key, from the end of a file. */
const BLOCKS_PER_PAGE = 100;
/**
 * Maximum pages to search from the end of a file: a thousand blocks, or one in less than four
 * seconds for the hour in which a call may be repeated. In a busier file, a repeated call appends
 * its block again.
 */
const PAGES_MAX = 10;

/** Returns the block with that key among the last blocks of a file; null if none of them has it. */
export async function lastBlockOfKey(
  { store }: Pick<ApiPorts, 'store'>,
  place: SubjectPlace & { readonly path: string },
  key: string,
): Promise<Document | null> {
  const last = await store.documents.latest(place);
  if (last === null || last.key === key) return last;
  let end = last.version - 1;
  for (let pages = 0; pages < PAGES_MAX && end > 0; pages += 1) {
    const after = Math.max(0, end - BLOCKS_PER_PAGE);
    const blocks = await store.documents.list(place, { after, limit: end - after });
    const found = blocks.find((block) => block.key === key);
    if (found !== undefined) return found;
    end = after;
  }
  return null;
}

/** Maximum characters of one block, the same as for a memory. */
export const BLOCK_LENGTH_MAX = CONTENT_LENGTH_MAX;
/** How far a caller's clock may be ahead; a later time is still in the future. */
const AHEAD_MS_MAX = 86_400_000;
/** A call repeated within this time across midnight finds its block in yesterday's file. */
const REPEATED_WITHIN_MS = 3_600_000;

function givenLines({ text, lines, sources }: schemas.AppendDaily): GivenLine[] {
  const parts = lines ?? [{ text: text ?? '', sources }];
  const length = parts.reduce((sum, part) => sum + part.text.length, 0);
  if (length > BLOCK_LENGTH_MAX) {
    const most = BLOCK_LENGTH_MAX.toLocaleString('en-US');
    const message = `A block has at most ${most} characters; append it in parts.`;
    throw new VarveError('CONTENT_TOO_LONG', message, {
      details: { lengthMax: BLOCK_LENGTH_MAX, length },
    });
  }
  return parts.map((part) => ({ text: part.text, sources: part.sources ?? sources }));
}

/** @throws VarveError CONFLICT if the key belongs to another block */
function repeated(
  block: Document,
  asked: { readonly heading: string; readonly given: readonly GivenLine[] },
): Document {
  if (isSameBlock(block, asked)) return block;
  throw new VarveError('CONFLICT', 'This key was used for another block. Use a new key.', {
    isSettled: true,
  });
}

function answer(
  { path, version, id, lines }: Document,
  day: string,
  added: boolean,
): schemas.AppendAnswer {
  return { path, day, version, id, lines: lines.length, added };
}

/** Marks at the start of a heading; a heading that is all marks becomes empty. */
const HEADING_MARKS = /^[#\s]+/u;

interface GivenLine {
  /** Markdown or plain text, of one or several lines. */
  readonly text: string;
  readonly sources: readonly string[];
}

interface LineParts {
  readonly at: number;
  readonly newId: NewId;
  /** Trust of a source; undefined if it is unknown. */
  readonly trustOf: (id: string) => Trust | undefined;
}

/**
 * Callers' statements have the trust `stated`, but no more than the sources they name.
 * @throws VarveError INVALID_INPUT if there is no line, CONTENT_TOO_LONG with the maximum
 */
function blockLines(given: readonly GivenLine[], parts: LineParts): DocumentLine[] {
  const lines = given.flatMap(({ text, sources }) => {
    const known = sources.flatMap((id) => parts.trustOf(id) ?? []);
    const trust = leastTrust(['stated', ...known]);
    return writtenLines(text).map((line): DocumentLine => ({
      ...line,
      id: parts.newId(),
      sources: [...sources],
      trust,
      at: parts.at,
    }));
  });
  if (lines.length === 0) {
    throw new VarveError('INVALID_INPUT', 'The text contains only Markdown markup; add words.');
  }
  if (lines.length <= LINES_PER_DOCUMENT_MAX) return lines;
  const message =
    `The block has ${String(lines.length)} lines; the maximum is ` +
    `${String(LINES_PER_DOCUMENT_MAX)}. Append it in several calls.`;
  throw new VarveError('CONTENT_TOO_LONG', message, {
    details: { linesMax: LINES_PER_DOCUMENT_MAX, lines: lines.length },
  });
}

/** Whether a block has the given heading and lines, wherever and whenever it was written. */
function isSameBlock(
  block: Pick<Document, 'heading' | 'lines'>,
  asked: { readonly heading: string; readonly given: readonly GivenLine[] },
): boolean {
  const lines = asked.given.flatMap(({ text, sources }) =>
    writtenLines(text).map((line) => ({ ...line, sources })),
  );
  const stored = block.lines.map(({ heading, text, sources }) => ({ heading, text, sources }));
  return block.heading === asked.heading && keyOf(stored) === keyOf(lines);
}

/** Returns the lines of a text. If it only has headings, their words become the lines. */
function writtenLines(text: string): ReturnType<typeof readMemoryText> {
  const rows = text.split(/\r\n|\r|\n/u);
  const lines = linesOfRows(rows);
  return lines.length > 0 ? lines : linesOfRows(rows.map((row) => row.replace(HEADING_MARKS, '')));
}

function linesOfRows(rows: readonly string[]): ReturnType<typeof readMemoryText> {
  return readMemoryText(rows.flatMap(shortRows).join('\n'));
}

/** Cuts a row that is too long for a line, at a space if it has one. */
function shortRows(row: string): readonly string[] {
  const rows: string[] = [];
  let rest = row;
  while (rest.length > LINE_LENGTH_MAX) {
    const space = rest.lastIndexOf(' ', LINE_LENGTH_MAX);
    const cut = space > 0 ? space : wholeCharacters(rest, LINE_LENGTH_MAX);
    rows.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...rows, rest];
}

/** Avoids cutting a surrogate pair in half. */
function wholeCharacters(text: string, most: number): number {
  return text.slice(0, most).isWellFormed() ? most : most - 1;
}

function keyOf(
  lines: readonly { heading: string | null; text: string; sources: readonly string[] }[],
): string {
  return JSON.stringify(lines.map(({ heading, text, sources }) => [heading, text, sources]));
}
