/**
 * When a session ends. How long the silence is: `SESSION_SILENCE_MS` in
 * ../policy/policy-defaults.ts.
 */
import type { SessionRecord } from '../records/session.ts';

/**
 * Returns when a session ended, by a call or by silence; null while it continues. A later turn
 * opens it again, because silence counts from the newest turn.
 */
export function endOfSession(
  { endedAt, lastAt }: Pick<SessionRecord, 'endedAt' | 'lastAt'>,
  { now, silenceMs }: { readonly now: number; readonly silenceMs: number },
): number | null {
  if (endedAt !== null) return endedAt;
  const silentFrom = lastAt + silenceMs;
  return silentFrom <= now ? silentFrom : null;
}
