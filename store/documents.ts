/**
 * Documents of memory files, and the subjects they belong to: numbered blocks, and whole versions.
 * Nothing is ever overwritten.
 */
import { chunked } from '#core/chunks-and-pages.ts';
import type { DocumentRecords } from '#core/ports/document-records.ts';
import type { SubjectRecords } from '#core/ports/store.ts';
import type { Document } from '#core/records/document.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { keysBetween } from '#core/subject.ts';
import { announceBlock, idTaken, isAnnounced } from '#core/dreams/announce-daily-blocks.ts';
import { equal } from './storage-driver.ts';
import { DOCUMENTS, SUBJECTS } from './record-kinds-and-indexes.ts';
import type { StoreParts } from './store-parts.ts';
import type { Transaction } from './retry-concurrent-writes.ts';

/** Maximum blocks marked in one commit, so that other writers get a turn in between. */
const MARKED_AT_ONCE_MAX = 500;

type Place = Pick<Document, 'tenant' | 'subject' | 'path'>;

export function subjectRecords({ driver, writes }: StoreParts): SubjectRecords {
  return {
    get: (tenant, subject) => driver.get(SUBJECTS, [tenant, subject]),
    async byId(tenant, subjectId) {
      const where = ofId(tenant, subjectId);
      const found = await driver.scan(SUBJECTS, { index: 'byId', where, limit: 1 });
      return found[0] ?? null;
    },
    list(tenant, { after, limit, kind, hasNew }) {
      const keys = keysBetween(after, kind);
      return driver.scan(SUBJECTS, {
        where: [
          ...equal({ tenant }, { hasNew: hasNew === undefined ? hasNew : Number(hasNew) }),
          ['subject', '>', keys.after],
          ...(keys.before === null ? [] : [['subject', '<', keys.before] as const]),
        ],
        order: ['subject'],
        limit,
      });
    },
    put: (next) =>
      writes.run(SUBJECTS, [next.tenant, next.subject], async ({ record, set, scan }) => {
        if ((record?.version ?? 0) !== next.version - 1) return false;
        if (record === null && !(await isIdFree(scan, next))) return false;
        set(next);
        return true;
      }),
  };
}

export function documentRecords({ driver, writes }: StoreParts): DocumentRecords {
  /** Finishes what a commit of the subject left unfinished. */
  const finished = async ({ tenant, subject }: Omit<Place, 'path'>): Promise<void> => {
    await driver.anchor(SUBJECTS, [tenant, subject]);
  };
  return {
    append: (block, announcement) =>
      writes.run(SUBJECTS, [block.tenant, block.subject], async (transaction) => {
        const { scan, put, record, set } = transaction;
        const same = await withKeyOf(transaction, block);
        if (same !== undefined) return { document: same, isNew: false };
        const [last] = await scan(DOCUMENTS, { where: ofFile(block), descending: true, limit: 1 });
        if (isAnnounced(block)) {
          const next = announceBlock(record, block, announcement);
          if (record === null && !(await isIdFree(scan, next))) throw idTaken();
          set(next);
        }
        const document = { ...block, version: (last?.version ?? 0) + 1 };
        put(DOCUMENTS, document);
        return { document, isNew: true };
      }),
    put: (document) => {
      const { tenant, subject, path, version } = document;
      return writes.run(SUBJECTS, [tenant, subject], async ({ get, put }) => {
        if ((await get(DOCUMENTS, [tenant, subject, path, version])) !== null) return false;
        put(DOCUMENTS, document);
        return true;
      });
    },
    async latest(place) {
      await finished(place);
      const last = { where: ofFile(place), descending: true, limit: 1 };
      return (await driver.scan(DOCUMENTS, last))[0] ?? null;
    },
    get: ({ tenant, subject, path, version }) =>
      driver.get(DOCUMENTS, [tenant, subject, path, version]),
    async list(place, { after, limit }) {
      await finished(place);
      const where = [...ofFile(place), ['version', '>', after] as const];
      return driver.scan(DOCUMENTS, { where, limit });
    },
    async paths({ tenant, subject }, { after, limit }) {
      await finished({ tenant, subject });
      // Every file has a first version.
      const first = await driver.scan(DOCUMENTS, {
        where: [...equal({ tenant, subject, version: 1 }), ['path', '>', after]],
        order: ['path'],
        limit,
      });
      return first.map(({ path }) => path);
    },
    async between({ tenant, subject }, { after, before, limit }) {
      await finished({ tenant, subject });
      const paths = [['path', '>', after] as const, ['path', '<', before] as const];
      const where = [...equal({ tenant, subject }), ...paths];
      return driver.scan(DOCUMENTS, { where, descending: true, limit });
    },
    async markDreamed({ tenant, subject }, blocks, dreamedAt) {
      for (const some of chunked(blocks, MARKED_AT_ONCE_MAX)) {
        await writes.run(SUBJECTS, [tenant, subject], async ({ get, put }) => {
          for (const { path, version } of some) {
            const block = await get(DOCUMENTS, [tenant, subject, path, version]);
            if (block?.kind !== 'Daily' || block.dreamedAt !== null) continue;
            put(DOCUMENTS, { ...block, dreamedAt });
          }
        });
      }
    },
  };
}

function ofFile({ tenant, subject, path }: Place) {
  return equal({ tenant, subject, path });
}

function ofId(tenant: string, subjectId: string) {
  return equal({ tenant, subjectId });
}

/** Returns the block with the same key, if the caller gave a key. */
async function withKeyOf(
  { scan }: Transaction<SubjectRecord>,
  block: Omit<Document, 'version'>,
): Promise<Document | undefined> {
  if (block.key === null) return undefined;
  const where = [...ofFile(block), ...equal({ callerKey: block.key })];
  return (await scan(DOCUMENTS, { index: 'byCallerKey', where, limit: 1 }))[0];
}

/** Whether no other subject has the id of a new subject. */
async function isIdFree(
  scan: Transaction<SubjectRecord>['scan'],
  { tenant, subject, subjectId }: SubjectRecord,
): Promise<boolean> {
  const where = ofId(tenant, subjectId);
  const [found] = await scan(SUBJECTS, { index: 'byId', where, limit: 1 });
  return found === undefined || found.subject === subject;
}
