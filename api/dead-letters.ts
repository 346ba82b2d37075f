/** Procedures on scopes that were given up after three failures: see them, and try them again. */
import type { Layer } from '#core/layer.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyRetry } from '#core/scope-failure.ts';
import { ListDeadLetters, RetryDeadLetters } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';
import { changeScopes, chosenScopes, wakeTenant } from './scope-orders.ts';

export interface DeadLetter {
  readonly layer: Layer;
  readonly scopeId: string;
  readonly code: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Writes that its summary does not know of. */
  readonly changes: number;
}

/** The longest given up first. @throws VarveError INVALID_INPUT, FORBIDDEN for a bound principal */
export async function listDeadLetters(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<{ deadLetters: readonly DeadLetter[]; total: number }> {
  const { tenant, limit } = parseInput(ListDeadLetters, input);
  authorizeTenant(principal, tenant);
  const all: DeadLetter[] = [];
  for await (const record of chosenScopes(ports, { tenant })) all.push(...deadLetterOf(record));
  all.sort((a, b) => a.since - b.since);
  return { deadLetters: all.slice(0, limit), total: all.length };
}

/**
 * Makes dead letters due again, with three attempts anew. Those that wait after a failure or for
 * budget are left to wait.
 * @throws VarveError INVALID_INPUT, FORBIDDEN for a bound principal
 */
export async function retryDeadLetters(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<{ retried: number }> {
  const { tenant, layer, scopeId } = parseInput(RetryDeadLetters, input);
  authorizeTenant(principal, tenant);
  const retried = await changeScopes(ports, { tenant, layer, scopeId }, applyRetry);
  if (retried > 0) {
    const { platform, store } = ports;
    await store.events.append({
      tenant,
      id: platform.newId(),
      at: platform.clock(),
      type: 'memory_refresh_retried',
      attributes: { scopes: retried, principal: principal.name },
    });
    await wakeTenant(ports, tenant);
  }
  return { retried };
}

function deadLetterOf({ layer, scopeId, deadLetter, changes }: ScopeRecord): DeadLetter[] {
  if (deadLetter === null) return [];
  const { code, reason, at: since } = deadLetter;
  return [{ layer, scopeId, code, reason, since, changes }];
}
