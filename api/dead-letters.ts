/** Operations on dead letters, scopes that failed three times: list and retry them. */
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyRetry } from '#core/refresh/scope-failure.ts';
import { changeScopes, chosenScopes } from '#memory/chosen-scopes.ts';
import type { ApiPorts } from './ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';
import { requestTenantRefresh } from './refresh.ts';
import type {
  DeadLetter,
  DeadLetters,
  ListDeadLetters,
  Retried,
  RetryDeadLetters,
} from './schemas/summary.ts';

/** The oldest first. @throws VarveError INVALID_INPUT, FORBIDDEN for a bound principal */
export async function listDeadLetters(
  ports: ApiPorts,
  principal: Principal,
  { tenant, limit }: ListDeadLetters,
): Promise<DeadLetters> {
  authorizeTenant(principal, tenant);
  const all: DeadLetter[] = [];
  for await (const record of chosenScopes(ports, { tenant })) all.push(...deadLetterOf(record));
  all.sort((a, b) => a.since - b.since);
  return { deadLetters: all.slice(0, limit), total: all.length };
}

/**
 * Makes dead letters due again, with three new attempts. Scopes that wait after a failure or for
 * budget keep waiting.
 * @throws VarveError INVALID_INPUT, FORBIDDEN for a bound principal
 */
export async function retryDeadLetters(
  ports: ApiPorts,
  principal: Principal,
  { tenant, layer, scopeId }: RetryDeadLetters,
): Promise<Retried> {
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
    await requestTenantRefresh(ports, tenant);
  }
  return { retried };
}

function deadLetterOf({ layer, scopeId, deadLetter, changes }: ScopeRecord): DeadLetter[] {
  if (deadLetter === null) return [];
  const { code, reason, at: since } = deadLetter;
  return [{ layer, scopeId, code, reason, since, changes }];
}
