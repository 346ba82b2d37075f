/** Sessions: whose conversations there are. */
import type { SessionRecords } from '#core/ports/session-records.ts';

import { SESSIONS } from './kinds.ts';
import { putVersion, type StoreParts } from './store-parts.ts';

export function sessionRecords(parts: StoreParts): SessionRecords {
  const { driver } = parts;
  return {
    get: (tenant, sessionId) => driver.get(SESSIONS, [tenant, sessionId]),
    list: (tenant, { opener, after, limit }) =>
      driver.scan(SESSIONS, {
        index: 'byOpener',
        where: [
          ['tenant', '=', tenant],
          ['opener', '=', opener],
        ],
        order: ['age', 'sessionId'],
        ...(after === null ? {} : { after: [-after.lastAt, after.sessionId] }),
        limit,
      }),
    put: (session) => putVersion(parts, SESSIONS, [session.tenant, session.sessionId], session),
  };
}
