import type { Scope } from './scope.ts';

/**
 * One string per scope, for maps in memory. Never stored and never parsed back. Apart from the
 * schemas of scopes, which a search thread does not load.
 */
export function scopeKey(scope: Scope): string {
  return JSON.stringify([scope.tenant, scope.layer, scope.scopeId]);
}
