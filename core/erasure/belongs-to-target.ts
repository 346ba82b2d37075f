/** Whether a record belongs to what an erasure names: a person, a turn. Pure. */
import type { Identifiers } from '../identifiers.ts';
import type { ErasureTarget } from '../records/erasure.ts';
import { partIds } from '../sessions/turn-parts.ts';

/** Returns whether any text inside a value equals one of the names. */
export function namesAny(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return names.has(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => namesAny(each, names));
}

/** Returns whether a session or an API key belongs to the erased user, even if others take part. */
export function isOfErasedUser(target: ErasureTarget, identifiers: Identifiers): boolean {
  return target.kind === 'User' && identifiers.userId === target.id;
}

/** A turn to erase. */
export interface TurnToErase {
  readonly sessionId: string;
  /** The ids of all parts that it may have. */
  readonly ids: ReadonlySet<string>;
}

/** Returns the turn that is erased; null for any other target. */
export function turnToErase(target: ErasureTarget): TurnToErase | null {
  if (target.kind !== 'Turn') return null;
  return { sessionId: target.sessionId, ids: new Set(partIds(target.id)) };
}

/** Returns whether a turn, named with its session, is the erased one or a part of it. */
export function isTurnToErase(
  turn: TurnToErase | null,
  { sessionId, id }: { readonly sessionId: string | null; readonly id: string | null },
): boolean {
  return turn !== null && sessionId === turn.sessionId && id !== null && turn.ids.has(id);
}

/** Returns whether a value names the turn and its session: other sessions may use the same id. */
export function namesTurn(value: unknown, turn: TurnToErase | null): boolean {
  if (turn === null) return false;
  return namesAny(value, turn.ids) && namesAny(value, new Set([turn.sessionId]));
}
