/** Functions of the operations that list memories and their changes. */
import { hitMarks } from '#core/context/outdated-mark.ts';
import {
  comparedFirst,
  comparedMemory,
  endingOfMemory,
  outdatedMemories,
} from '#core/recall/outdated/outdated-memories.ts';
import type { Memory } from '#core/records/memory.ts';
import { isUpcoming } from '#core/sources/source.ts';
import type { ApiPorts } from './api-ports.ts';
import { shownMemory } from './find-memory.ts';
import { authorize, isTenantAdmin, mayReach, type Principal } from './principal.ts';
import type {
  HistoryAnswer,
  ListAnswer,
  ListedMemory,
  ListMemories,
  MemoryHistory,
} from './schemas/search.ts';
import { conditionsOf, scopesOf } from './search.ts';

/** Memories of a page to compare, and newest memories of the scopes to compare them with. */
const COMPARED_MAX = 100;

const ALL_THAT_HOLDS = { tags: [], filter: null, kind: null, latestOnly: true } as const;

/** Returns a page of the memories that the identifiers open (MEM-12, MEM-13). */
export async function listMemories(
  ports: ApiPorts,
  principal: Principal,
  asked: ListMemories,
): Promise<ListAnswer> {
  const { tenant, identifiers, order, limit, includeVector, markOutdated } = asked;
  authorize(principal, { tenant, identifiers });
  const scopes = await scopesOf(ports, principal, asked);
  const [{ memories, ...page }, newest] = await Promise.all([
    ports.provider.list(tenant, {
      scopes,
      conditions: conditionsOf(asked),
      order,
      limit,
      cursor: asked.cursor ?? null,
    }),
    markOutdated
      ? ports.provider.list(tenant, {
          scopes,
          conditions: ALL_THAT_HOLDS,
          order: 'newest',
          limit: COMPARED_MAX,
          cursor: null,
        })
      : null,
  ]);
  const marks = newest === null ? null : marksOf(ports, memories, newest.memories);
  return {
    ...page,
    memories: memories.map((memory) => ({
      ...shownMemory(memory, includeVector),
      ...marks?.get(memory.id),
    })),
  };
}

type Marks = Pick<ListedMemory, 'outdated' | 'outdatedInPart' | 'outdatedBy'>;

/** Compares memories of a page with each other and with the newest ones, as a search does. */
function marksOf(
  { analyzer, platform }: ApiPorts,
  memories: readonly Memory[],
  newest: readonly Memory[],
): ReadonlyMap<string, Marks> {
  const now = { at: platform.clock() };
  const hasBegun = ({ validFrom: at, utcOffset }: Memory): boolean =>
    !isUpcoming({ at, utcOffset }, now);
  const shown = comparedFirst(memories.slice(0, COMPARED_MAX).filter(hasBegun));
  const all = new Map(
    [...shown, ...comparedFirst(newest.filter(hasBegun))].map((each) => [each.id, each]),
  );
  const standing = outdatedMemories(
    [...all.values()].map((memory) => comparedMemory(memory, analyzer, now)),
  );
  return new Map(
    shown.map((memory) => {
      const { id, state, supersededBy } = memory;
      const isEnded = state === 'superseded' && supersededBy !== null;
      const outdatedBy = isEnded ? [supersededBy] : [...(standing.outdated.get(id) ?? [])];
      return [id, { ...hitMarks(endingOfMemory(memory, standing)), outdatedBy }];
    }),
  );
}

/** Returns what was done to a memory, newest first; nothing for another's memory. */
export async function memoryHistory(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, beforeVersion, limit }: MemoryHistory,
): Promise<HistoryAnswer> {
  authorize(principal, { tenant });
  const changes = await ports.provider.history(
    { tenant, id },
    { beforeVersion: beforeVersion ?? null, limit },
  );
  const shown = await Promise.all(
    changes.map((change) => mayReach(ports.store, principal, { ...change, tenant })),
  );
  const reached = changes.filter((_, at) => shown[at]);
  if (reached.length === 0 || isTenantAdmin(principal)) return { changes: reached };
  // Read after the changes, so that a deletion in between hides the words.
  const isDeleted = (await ports.provider.get(tenant, id)) === null;
  return { changes: isDeleted ? reached.map((change) => ({ ...change, before: {} })) : reached };
}
