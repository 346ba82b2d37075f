/** The scope that a list of new turns belongs to. */
import { VarveError } from '../errors.ts';
import type { Turn } from '../records/turn.ts';
import type { Scope } from '../scope.ts';

/** @throws VarveError INVALID_INPUT for no turns, or for turns of more than one session */
export function sessionOf(turns: readonly Pick<Turn, 'tenant' | 'sessionId'>[]): Scope {
  const [first] = turns;
  if (first === undefined) throw new VarveError('INVALID_INPUT', 'There is no turn to append.');
  const { tenant, sessionId } = first;
  if (turns.some((turn) => turn.tenant !== tenant || turn.sessionId !== sessionId)) {
    throw new VarveError('INVALID_INPUT', 'The turns of one call belong to one session.');
  }
  return { tenant, layer: 'session', scopeId: sessionId };
}
