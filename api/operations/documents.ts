/** Operations on the files of a subject: their list, MEMORY.md, and edits by a person. */
import * as schemas from '../schemas/documents.ts';
import { isUndeleted } from '#core/memory-files/restored-lines.ts';
import { DAILY_FILE } from './daily.ts';
import { operation } from './operation.ts';
import { VarveError } from '#core/errors.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import { zoneOfSubject } from '#core/memory-files/subject-time-zone.ts';
import { editedLines } from '#core/memory-files/edited-lines.ts';
import { groupedByHeading } from '#core/memory-files/daily-and-diary-text.ts';
import { laidOut, readLayout } from '#core/memory-files/memory-md-layout.ts';
import { memoryText } from '#core/memory-files/memory-md.ts';
import { policyInForce, policyToWriteBy } from '#core/policy/policy-in-force.ts';
import { validLines, type LineReader } from '#memory/current-file-lines.ts';
import { memoryLines } from '#memory/memory-md-lines.ts';
import { readFileOfBlocks, shownMemoryFile } from '../read-markdown-file.ts';
import type { ApiPorts } from '../api-ports.ts';
import { authorizeSubject, lineReader } from '../principal.ts';
import { noteTombstones, subjectPlace, type SubjectPlace } from '../note-subject-changes.ts';

const OF = { tenant: 'acme', subject: { kind: 'user' as const, id: 'ann' } };

/** MEMORY.md is the document that is written whole and can be edited. */
export const document = {
  list: operation({
    name: 'document.list',
    kind: 'query',
    summary: 'Lists the paths of a subject’s files, in order.',
    input: schemas.ListDocuments,
    output: schemas.DocumentPaths,
    example: { input: OF, output: { paths: ['MEMORY.md', 'memory/2026-11-21.md'] } },
    role: 'read',
    commands: ['daily list', 'dream diary', 'export'],
    async run({ store }, principal, { tenant, subject, after, limit }) {
      authorizeSubject(principal, tenant, subject);
      return {
        paths: await store.documents.paths(subjectPlace({ tenant, subject }), { after, limit }),
      };
    },
  }),
  get: operation({
    name: 'document.get',
    kind: 'query',
    summary:
      'Returns a file as Markdown, with the sources of each line, or null if ' +
      'there is no such file.',
    input: schemas.GetDocument,
    output: schemas.DocumentAnswer.nullable(),
    example: { input: { ...OF, path: DAILY_FILE.path }, output: DAILY_FILE },
    role: 'read',
    commands: ['core show', 'core edit', 'dream diary', 'export'],
    async run(ports, principal, { tenant, subject, path, version, after }) {
      authorizeSubject(principal, tenant, subject);
      const { store } = ports;
      const place = { ...subjectPlace({ tenant, subject }), path };
      if (path === MEMORY_PATH) {
        const reader = lineReader(store, principal, tenant);
        if (version !== undefined) {
          const document = await store.documents.get({ ...place, version });
          if (document === null) return null;
          // A named version is history: show what it said, without what was deleted since.
          const undeleted = await withoutDeleted(ports, reader, document);
          return shownMemoryFile(document, undeleted.lines);
        }
        const document = await store.documents.latest(place);
        if (document === null) return null;
        return shownMemoryFile(document, await memoryLines(ports, reader, document));
      }
      if (version !== undefined) {
        throw new VarveError('INVALID_INPUT', `version: expected only with ${MEMORY_PATH}`);
      }
      const { dreams = [] } = await policyInForce(store.policies, tenant);
      const timeZone = zoneOfSubject(dreams, subject);
      return readFileOfBlocks(ports, principal, { ...place, timeZone, after });
    },
  }),
  edit: operation({
    name: 'document.edit',
    kind: 'mutation',
    summary: 'Writes MEMORY.md as a person edited it; no dream restores removed lines.',
    input: schemas.EditDocument,
    output: schemas.EditAnswer,
    example: {
      input: { ...OF, text: '- Ann sings.\n', expectedVersion: 0 },
      output: { version: 1, added: 1, removed: 0 },
    },
    role: 'write',
    errors: ['CONTENT_TOO_LONG', 'CONFLICT'],
    commands: ['core edit'],
    /**
     * Unchanged lines keep their sources. Lines that no longer hold were not shown, and are removed
     * silently. CONFLICT names the present version.
     */
    async run(ports, principal, { tenant, subject, text, expectedVersion }) {
      authorizeSubject(principal, tenant, subject);
      await policyToWriteBy(ports.store.policies, tenant);
      const place = subjectPlace({ tenant, subject });
      const before = await latestAt(ports, place, expectedVersion);
      const reader = lineReader(ports.store, principal, tenant);
      const lines = before === null ? [] : await memoryLines(ports, reader, before);
      const shown = groupedByHeading(lines);
      // A text equal to the one shown is no edit. A dream may write more than an edit may contain.
      if (text === laidOut(before?.layout, shown).text) return unwritten(before);
      const written = writtenIn(text);
      const { newId, digest, clock } = ports.platform;
      const parts = { newId, digest, at: clock() };
      const edit = editedLines(shown, written, parts);
      const layout = text === memoryText(edit.lines) ? undefined : text;
      return write(ports, place, { before, layout, ...edit });
    },
  }),
  versions: operation({
    name: 'document.versions',
    kind: 'query',
    summary: 'Lists the versions of MEMORY.md, the newest first.',
    input: schemas.ListVersions,
    output: schemas.VersionsAnswer,
    example: {
      input: OF,
      output: {
        versions: [
          {
            version: 1,
            at: 1_795_271_400_000,
            author: 'caller',
            dreamId: null,
            lines: 1,
            added: 1,
            removed: 0,
          },
        ],
        nextBefore: null,
      },
    },
    role: 'read',
    commands: ['core versions', 'export'],
    async run({ store }, principal, { tenant, subject, before, limit }) {
      authorizeSubject(principal, tenant, subject);
      const place = { ...subjectPlace({ tenant, subject }), path: MEMORY_PATH };
      const end = before ?? ((await store.documents.latest(place))?.version ?? 0) + 1;
      // Read one more version, to see what the oldest one added and removed.
      const after = Math.max(0, end - 1 - limit - 1);
      const read = await store.documents.list(place, { after, limit: end - 1 - after });
      const briefs = read.map((document, index) =>
        versionBrief(document, read[index - 1]?.lines ?? []),
      );
      const versions = briefs.slice(-limit).toReversed();
      return {
        versions,
        nextBefore: read.length > limit ? (versions.at(-1)?.version ?? null) : null,
      };
    },
  }),
  restore: operation({
    name: 'document.restore',
    kind: 'mutation',
    summary: 'Restores a version of MEMORY.md, as a new version.',
    input: schemas.RestoreDocument,
    output: schemas.EditAnswer,
    example: {
      input: { ...OF, version: 1 },
      output: { version: 3, added: 1, removed: 1 },
    },
    role: 'write',
    errors: ['NOT_FOUND', 'CONFLICT'],
    commands: ['core restore'],
    /**
     * As after an edit, no dream brings back the lines that this removes. A line that comes back is
     * as new as one that a person writes now.
     */
    async run(ports, principal, { tenant, subject, version, expectedVersion }) {
      authorizeSubject(principal, tenant, subject);
      const { store, platform } = ports;
      await policyToWriteBy(store.policies, tenant);
      const place = subjectPlace({ tenant, subject });
      const named = await store.documents.get({ ...place, path: MEMORY_PATH, version });
      if (named === null) {
        const given = String(version);
        const message = `${MEMORY_PATH} has no version ${given}`;
        throw new VarveError(
          'NOT_FOUND',
          `${message}; see varve core versions, or document.versions.`,
        );
      }
      const reader = lineReader(store, principal, tenant);
      const restored = await withoutDeleted(ports, reader, named);
      const before = await latestAt(ports, place, expectedVersion);
      const { newId, digest, clock } = platform;
      const parts = { newId, digest, at: clock() };
      // What was deleted went without a word: a tombstone would keep it from being said again.
      const known = before === null ? [] : (await withoutDeleted(ports, reader, before)).lines;
      const { tombstones } = editedLines(known, restored.lines, parts);
      const { layout } = restored;
      const there = new Set(before?.lines.map(({ id }) => id));
      const isCurrent = await validLines(ports, reader, restored.lines);
      // A line whose source has changed since stays hidden under its old time.
      const told = restored.lines.map((line) =>
        there.has(line.id) || !isCurrent(line) ? line : { ...line, at: parts.at },
      );
      const lines = layout === undefined ? groupedByHeading(told) : told;
      const [added, removed] = idChanges(before?.lines ?? [], lines);
      return write(ports, place, { before, layout, lines, tombstones, added, removed });
    },
  }),
};

/** Maximum characters of a MEMORY.md from a caller: more than fits into any context. */
export const MEMORY_MD_LENGTH_MAX = 262_144;

/** @throws VarveError INVALID_INPUT, CONTENT_TOO_LONG with the maximum */
function writtenIn(text: string): ReturnType<typeof readLayout> {
  if (text.length <= MEMORY_MD_LENGTH_MAX) return readLayout(text);
  const most = MEMORY_MD_LENGTH_MAX.toLocaleString('en-US');
  const message = `${MEMORY_PATH} has at most ${most} characters; keep what matters.`;
  throw new VarveError('CONTENT_TOO_LONG', message, {
    details: { lengthMax: MEMORY_MD_LENGTH_MAX, length: text.length },
  });
}

/** Returns a version without the lines that have lost a source since. */
async function withoutDeleted(
  ports: ApiPorts,
  reader: LineReader,
  document: Document,
): Promise<Document> {
  const holds = await validLines(ports, reader, document.lines, isUndeleted);
  const lines = document.lines.filter(holds);
  if (lines.length === document.lines.length || document.layout === undefined) {
    return { ...document, lines };
  }
  return { ...document, lines, layout: laidOut(document.layout, lines).text };
}

/** @throws VarveError CONFLICT if the latest version is not the expected one */
async function latestAt(
  { store }: ApiPorts,
  place: SubjectPlace,
  expectedVersion: number | undefined,
): Promise<Document | null> {
  const latest = await store.documents.latest({ ...place, path: MEMORY_PATH });
  const version = latest?.version ?? 0;
  if (expectedVersion === undefined || expectedVersion === version) return latest;
  throw writtenMeanwhile(version);
}

interface Change {
  readonly before: Document | null;
  readonly layout: string | undefined;
  readonly lines: readonly DocumentLine[];
  readonly tombstones: readonly string[];
  readonly added: readonly unknown[];
  readonly removed: readonly unknown[];
}

/**
 * Writes the tombstones first: after a crash in between, a dream could otherwise bring back a line
 * that a person deleted. If another version wins, the tombstones name lines that still stand, and
 * dreams keep those.
 */
async function write(
  ports: ApiPorts,
  place: SubjectPlace,
  change: Change,
): Promise<schemas.EditAnswer> {
  const { store, platform } = ports;
  const { before, layout, lines, added, removed } = change;
  const version = (before?.version ?? 0) + 1;
  if (isShownSame(before ?? { lines: [] }, change)) return unwritten(before);
  await noteTombstones(ports, place, change);
  const isWritten = await store.documents.put({
    ...place,
    path: MEMORY_PATH,
    version,
    id: platform.newId(),
    kind: 'Core',
    heading: null,
    lines: [...lines],
    author: 'caller',
    proposalId: null,
    key: null,
    at: platform.clock(),
    dreamedAt: null,
    layout,
  });
  if (isWritten) return { version, added: added.length, removed: removed.length };
  const latest = await store.documents.latest({ ...place, path: MEMORY_PATH });
  throw writtenMeanwhile(latest?.version ?? version);
}

function unwritten(before: Document | null): schemas.EditAnswer {
  return { version: before?.version ?? 0, added: 0, removed: 0 };
}

interface Shown {
  readonly layout?: string | undefined;
  readonly lines: readonly DocumentLine[];
}

/** Compares lines in the order shown, since a new version outdates open proposals. */
function isShownSame(before: Shown, after: Shown): boolean {
  const keyOf = ({ layout, lines }: Shown) =>
    JSON.stringify([
      laidOut(layout, lines).text,
      groupedByHeading(lines).map(({ id, heading, text }) => [id, heading, text]),
    ]);
  return keyOf(before) === keyOf(after);
}

function versionBrief(document: Document, before: readonly DocumentLine[]): schemas.VersionBrief {
  const { version, at, author, proposalId: dreamId, lines } = document;
  const [{ length: added }, { length: removed }] = idChanges(before, lines);
  return { version, at, author, dreamId, lines: lines.length, added, removed };
}

/** Returns the ids that were added, and the ids that were removed. */
function idChanges(
  before: readonly DocumentLine[],
  after: readonly DocumentLine[],
): readonly [readonly string[], readonly string[]] {
  const old = new Set(before.map(({ id }) => id));
  const now = new Set(after.map(({ id }) => id));
  return [[...now.difference(old)], [...old.difference(now)]];
}

function writtenMeanwhile(version: number): VarveError {
  const message =
    `${MEMORY_PATH} is at version ${String(version)} now. Read that one, and make your change to ` +
    'it.';
  return new VarveError('CONFLICT', message, { details: { version } });
}
