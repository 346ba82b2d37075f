/** Whom and what the records of a tenant name: what an erasure may be of. */
import type { PartTarget } from '#core/ports/erasure-records.ts';
import { subjectOfKey } from '#core/subject.ts';

import type { Driver } from '../driver.ts';
import {
  API_KEYS,
  MEMORIES,
  MEMORY_CHANGES,
  SCOPES,
  SESSIONS,
  SUBJECTS,
  type StoredScope,
} from '../kinds.ts';
import { allOf } from './scan.ts';

/** Each at least once. */
export async function* candidatesOf(
  driver: Driver,
  tenant: string,
  kind: PartTarget['kind'],
): AsyncGenerator<string> {
  switch (kind) {
    case 'Memory':
      for await (const { id } of allOf(driver, MEMORIES, tenant)) yield id;
      for await (const { memoryId } of allOf(driver, MEMORY_CHANGES, tenant)) yield memoryId;
      return;
    case 'Session':
      for await (const { scopeId } of scopesOf(driver, tenant, 'session')) yield scopeId;
      for await (const { sessionId } of allOf(driver, SESSIONS, tenant)) yield sessionId;
      return;
    default:
      for await (const { scopeId } of scopesOf(driver, tenant, 'user')) yield scopeId;
      yield* usersNamed(driver, tenant);
  }
}

function scopesOf(
  driver: Driver,
  tenant: string,
  layer: 'session' | 'user',
): AsyncGenerator<StoredScope> {
  return allOf(driver, SCOPES, tenant, [['layer', '=', layer]]);
}

/** By records beside those of their layer. */
async function* usersNamed(driver: Driver, tenant: string): AsyncGenerator<string> {
  for await (const { subject } of allOf(driver, SUBJECTS, tenant)) {
    const named = subjectOfKey(subject);
    if (named?.kind === 'user') yield named.id;
  }
  for await (const { identifiers } of allOf(driver, SESSIONS, tenant)) {
    if (identifiers.userId !== undefined) yield identifiers.userId;
  }
  for await (const { bound } of allOf(driver, API_KEYS, tenant)) {
    if (bound.userId !== undefined) yield bound.userId;
  }
}
