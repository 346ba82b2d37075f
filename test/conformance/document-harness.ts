/**
 * A Markdown memory and the pending work of its dreams: created, read whole, and changed by every
 * method.
 */
import type { Store } from '#core/ports/store.ts';
import { ARCHIVE_PATH, diaryPath, MEMORY_PATH } from '#core/memory-files/paths.ts';

import {
  ANN,
  blockOf,
  coreOf,
  DAILY,
  DAY,
  proposalOf,
  scheduleOf,
  subjectIdOf,
  subjectOf,
} from './document-samples.ts';
import { idOf, NOW } from './samples.ts';

const BOB = 'user/bob';
const PAGE = { after: '', limit: 10 };
const ANNOUNCED = { subjectId: subjectIdOf(1) };

export async function fillDocuments(store: Store, tenant: string): Promise<void> {
  const first = blockOf(tenant, 1, { key: 'flush-1', at: NOW + 9 });
  await store.documents.append(first, ANNOUNCED);
  await store.documents.append(blockOf(tenant, 2), ANNOUNCED);
  await store.documents.put(coreOf(tenant, 1));
  const bob = { subject: BOB, subjectId: subjectIdOf(2), hasNew: false };
  await store.subjects.put(subjectOf(tenant, bob));
  await store.dreamSchedules.put(scheduleOf(tenant));
  await store.dreamSchedules.put(scheduleOf(tenant, { name: 'weekly' }));
  await store.proposals.put(proposalOf(tenant, 1));
  await store.proposals.put(proposalOf(tenant, 3, { state: 'Approved' }));
}

/** Everything that can be read of it, by what it is. */
export async function documentsOf(store: Store, tenant: string): Promise<Record<string, unknown>> {
  const place = { tenant, subject: ANN, path: DAILY };
  const due = await store.dreamSchedules.due({ now: NOW, limit: 100 });
  const pending = await store.proposals.approved({ before: NOW + 1, limit: 100 });
  return {
    daily: await store.documents.list(place, { after: 0, limit: 10 }),
    lastBlock: await store.documents.latest(place),
    firstBlock: await store.documents.get({ ...place, version: 1 }),
    core: await store.documents.latest({ ...place, path: MEMORY_PATH }),
    paths: await store.documents.paths({ tenant, subject: ANN }, PAGE),
    subject: await store.subjects.get(tenant, ANN),
    subjectById: await store.subjects.byId(tenant, subjectIdOf(1)),
    subjects: await store.subjects.list(tenant, PAGE),
    users: await store.subjects.list(tenant, { ...PAGE, kind: 'user' }),
    subjectsWithNew: await store.subjects.list(tenant, { ...PAGE, hasNew: true }),
    schedule: await store.dreamSchedules.get(tenant, 'nightly'),
    schedules: await store.dreamSchedules.list(tenant),
    dueSchedules: due.filter((schedule) => schedule.tenant === tenant),
    proposal: await store.proposals.get(tenant, idOf(1)),
    proposals: await store.proposals.list(tenant, { limit: 10 }),
    approvedProposals: pending.filter((proposal) => proposal.tenant === tenant),
    proposalsOfSubject: await store.proposals.list(tenant, { subject: ANN, limit: 10 }),
    waitingProposals: await store.proposals.list(tenant, { state: 'Waiting', limit: 10 }),
  };
}

/** One write by every method, on all that `documentsOf` reads. */
export async function changeDocuments(store: Store, tenant: string): Promise<void> {
  for (const write of Object.values(writesOf(tenant))) await write(store);
}

/** Over what `fillDocuments` made, each by itself or all in their order. */
export function writesOf(tenant: string): Readonly<Record<string, Write>> {
  const diary = { path: diaryPath(DAY), kind: 'Diary' } as const;
  const daily = { path: DAILY, version: 1 };
  return {
    'documents.append of a daily block': (store) =>
      store.documents.append(blockOf(tenant, 3, { key: 'flush-3' }), ANNOUNCED),
    'documents.append of a first block': (store) =>
      store.documents.append(blockOf(tenant, 4, diary), ANNOUNCED),
    'documents.append of a key': (store) =>
      store.documents.append(
        blockOf(tenant, 5, { path: ARCHIVE_PATH, kind: 'Archive', key: 'flush-1' }),
        ANNOUNCED,
      ),
    'documents.put': (store) => store.documents.put(coreOf(tenant, 2)),
    'documents.markDreamed': (store) =>
      store.documents.markDreamed(
        { tenant, subject: ANN },
        [daily, { path: DAILY, version: 2 }],
        NOW,
      ),
    'subjects.put': (store) =>
      store.subjects.put(
        subjectOf(tenant, { subject: 'agent/x', subjectId: subjectIdOf(3), hasNew: true }),
      ),
    'subjects.put at a version': async (store) => {
      const before = await store.subjects.get(tenant, ANN);
      if (before === null) throw new Error('The subject was announced.');
      const after = { hasNew: false, processedHash: 'hash', tombstones: ['line'] };
      await store.subjects.put({ ...before, ...after, version: before.version + 1 });
    },
    'dreamSchedules.put': (store) => store.dreamSchedules.put(scheduleOf(tenant, { name: 'new' })),
    'dreamSchedules.put at a version': (store) =>
      store.dreamSchedules.put(scheduleOf(tenant, { nextAt: NOW + 60, version: 2 })),
    'dreamSchedules.remove': (store) => store.dreamSchedules.remove(tenant, 'weekly', 1),
    'proposals.put': (store) => store.proposals.put(proposalOf(tenant, 2)),
    'proposals.put of one that was applied': (store) =>
      store.proposals.put(proposalOf(tenant, 3, { state: 'Applied', version: 2 })),
    'proposals.put at a version': (store) =>
      store.proposals.put(proposalOf(tenant, 1, { state: 'Rejected', version: 2 })),
  };
}

type Write = (store: Store) => Promise<unknown>;
