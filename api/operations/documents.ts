/** Operations on the Markdown memory of a subject: daily files, MEMORY.md and its versions. */
import { appendDaily, getDaily } from '../daily-files.ts';
import {
  editDocument,
  getDocument,
  listDocuments,
  listVersions,
  restoreDocument,
} from '../documents.ts';
import * as schemas from '../schemas/documents.ts';
import { operation } from './operation.ts';

const OF = { tenant: 'acme', subject: { kind: 'user' as const, id: 'ann' } };
const FILE: schemas.DocumentAnswer = {
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
        path: FILE.path,
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
    run: appendDaily,
  }),
  get: operation({
    name: 'daily.get',
    kind: 'query',
    summary: 'Returns a daily file as Markdown, or null if nothing was written on that day.',
    input: schemas.GetDaily,
    output: schemas.DocumentAnswer.nullable(),
    example: { input: { ...OF, day: '2026-11-21' }, output: FILE },
    role: 'read',
    commands: ['daily show'],
    run: getDaily,
  }),
};

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
    run: listDocuments,
  }),
  get: operation({
    name: 'document.get',
    kind: 'query',
    summary:
      'Returns a file as Markdown, with the sources of each line, or null if ' +
      'there is no such file.',
    input: schemas.GetDocument,
    output: schemas.DocumentAnswer.nullable(),
    example: { input: { ...OF, path: FILE.path }, output: FILE },
    role: 'read',
    commands: ['core show', 'core edit', 'dream diary', 'export'],
    run: getDocument,
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
    run: editDocument,
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
    run: listVersions,
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
    run: restoreDocument,
  }),
};
