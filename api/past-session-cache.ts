/**
 * Caches analyzed earlier sessions in the memory of one process. Owner: the process that serves.
 * Key: the session and the generation of its vectors. Valid: while the session's record, read
 * before every use, has the version and times that it had when its turns were read. Limited by
 * passages; the session used longest ago is dropped first.
 */
import type { SessionRecord } from '#core/records/session.ts';
import type { Turn } from '#core/records/turn.ts';
import { pastSession, type PastSession } from '#core/recall/past-session.ts';
import { isKeptBack } from '#core/sources/source.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';

/** In bytes: about 400,000 passages, or 250,000 with vectors of 384 numbers. */
const KEPT_MAX = 250_000_000;
/** What the text of a passage takes, with its terms and numbers; its vector comes on top. */
const KEPT_BYTES = 600;
/** Turns of one read. */
const PAGE_TURNS = 1_000;
/** Maximum turns of a session to analyze, newest first. */
const SESSION_TURNS_MAX = 20_000;

export interface PastSessions {
  /** Takes a session whose record was read just before. */
  get(record: SessionRecord, generation: string | null): Promise<PastSession>;
}

interface Kept extends Pick<SessionRecord, 'version' | 'firstAt' | 'lastAt'> {
  readonly session: PastSession;
}

export function createPastSessions({
  store,
  analyzer,
}: {
  store: Pick<Store, 'turns'>;
  analyzer: TextAnalyzer;
}): PastSessions {
  const kept = new Map<string, Kept>();
  let total = 0;
  const remove = (key: string): void => {
    total -= sizeOf(kept.get(key)?.session);
    kept.delete(key);
  };
  return {
    async get(record, generation) {
      const { tenant, sessionId, version, firstAt, lastAt } = record;
      const key = JSON.stringify([tenant, sessionId, generation]);
      const known = kept.get(key);
      if (known?.version === version && known.firstAt === firstAt && known.lastAt === lastAt) {
        kept.delete(key);
        kept.set(key, known);
        return known.session;
      }
      const turns = await readTurns(store, record);
      const given = turns
        // Compacted turns only have quotes left; the summary covers the rest.
        .filter((turn) => turn.compactedAt === null && !isKeptBack(turn))
        .map((turn) => ({ turn, vectors: vectorsOf(turn, generation) }));
      const session = pastSession(sessionId, given, analyzer);
      remove(key);
      kept.set(key, { version, firstAt, lastAt, session });
      total += sizeOf(session);
      for (const oldest of kept.keys()) {
        if (total <= KEPT_MAX || oldest === key) break;
        remove(oldest);
      }
      return session;
    },
  };
}

function sizeOf(session: PastSession | undefined): number {
  if (session === undefined) return 0;
  return session.passages.length * KEPT_BYTES + (session.vectors?.levels.length ?? 0);
}

async function readTurns(
  { turns }: Pick<Store, 'turns'>,
  { tenant, sessionId }: SessionRecord,
): Promise<readonly Turn[]> {
  const found: Turn[] = [];
  for (let after = 0; found.length < SESSION_TURNS_MAX;) {
    const page = await turns.page({ tenant, sessionId }, { after, limit: PAGE_TURNS });
    found.push(...page);
    after = page.at(-1)?.sequence ?? after;
    if (page.length < PAGE_TURNS) break;
  }
  return found;
}

/** Returns null if the turn has no vectors of the generation. */
function vectorsOf({ vectors }: Turn, generation: string | null): readonly string[] | null {
  return vectors?.generation === generation ? vectors.passages : null;
}
