/** When a session is over. */
import type { SessionRecord } from '../records/session.ts';

/**
 * When a session ended: by call, or by silence; null while it goes on. A later turn opens it again,
 * since silence is counted from the newest turn.
 */
export function endOfSession(
  { endedAt, lastAt }: Pick<SessionRecord, 'endedAt' | 'lastAt'>,
  { now, silenceMs }: { readonly now: number; readonly silenceMs: number },
): number | null {
  if (endedAt !== null) return endedAt;
  const silentFrom = lastAt + silenceMs;
  return silentFrom <= now ? silentFrom : null;
}
