import type { Scope } from './scope.ts';

/**
 * Returns one string per scope, for maps in memory. Never stored and never parsed. In a separate
 * file because a search thread does not load the schemas of scopes.
 */
export function scopeKey(scope: Scope): string {
  return JSON.stringify([scope.tenant, scope.layer, scope.scopeId]);
}
