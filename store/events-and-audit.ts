/**
 * Events and audit entries of a tenant, appended and read in order. Each event is appended once,
 * however often it is sent; old audit entries are deleted.
 */
import type { AuditRecords, EventRecords } from '#core/ports/store.ts';
import { AUDIT_ENTRIES, EVENTS } from './record-kinds-and-indexes.ts';
import { equal } from './storage-driver.ts';
import { SWEPT_MAX, type StoreParts, tenantsBy } from './store-parts.ts';

export function auditRecords({ driver }: Pick<StoreParts, 'driver'>): AuditRecords {
  return {
    async append(entry) {
      await driver.insert(AUDIT_ENTRIES, entry);
    },
    list: (tenant, { order, after, since, limit }) =>
      driver.scan(AUDIT_ENTRIES, {
        where: [...equal({ tenant }), ['at', '>=', since]],
        order: ['id'],
        descending: order === 'newest',
        ...(after === null ? {} : { after: [after] }),
        limit,
      }),
    async tenants({ after, limit }) {
      const by = { index: 'byEnd', column: 'expiresAt' };
      const found = await tenantsBy(driver, AUDIT_ENTRIES, { ...by, after, limit });
      return found.map(({ group }) => group);
    },
    async sweep(tenant, { now, most }) {
      const ofTenant = equal({ tenant });
      const ended = await driver.erase(
        AUDIT_ENTRIES,
        [...ofTenant, ['expiresAt', '<=', now]],
        SWEPT_MAX,
      );
      const left = await driver.count(AUDIT_ENTRIES, ofTenant, most + SWEPT_MAX);
      if (left <= most) return ended;
      // Deletes the first by key, which are the oldest.
      return ended + (await driver.erase(AUDIT_ENTRIES, ofTenant, left - most));
    },
  };
}

/** Appending an event again changes nothing, so that it can be retried. */
export function eventRecords({ driver }: Pick<StoreParts, 'driver'>): EventRecords {
  return {
    async append(event) {
      await driver.insert(EVENTS, event);
    },
    list: (tenant, { afterId, limit }) =>
      driver.scan(EVENTS, {
        where: [...equal({ tenant }), ['id', '>', afterId ?? '']],
        limit,
      }),
  };
}
