/**
 * The API over SQLite as it is served, in a process of its own, so that its CPU time can be
 * measured. The same operations on the same store are also behind two plain servers: with the fair
 * scheduler of the API, and without it, all calls at once.
 */
import { libraryOf } from '#api/library.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, withAuditAndCallLimits, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { CALLS, IDENTIFIERS, memoryOf, TENANT, type CallName } from './calls.ts';
import { startPlainServer } from './plain-server.ts';
import { answerParent } from './server.ts';

/** Few, so that the search does not dominate the measured overhead. */
const MEMORIES = 20;
const TURNS = 20;
/** Counted as usual, but higher than a measurement can reach. */
const LIMITS = { perSecond: 1_000_000, atOnce: 1_000, subscriptions: 10 };

const [folder = ''] = process.argv.slice(2);
const settings = withAuditAndCallLimits({ callLimits: { key: LIMITS, tenant: LIMITS } });
const parts = await openParts({ dataDir: folder, log: SILENT_LOG, settings });
const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
const admin = libraryOf(ports, LOCAL_OPERATOR);
for (let at = 0; at < MEMORIES; at += 1) await admin.memory.add(memoryOf(at));
for (let at = 0; at < TURNS; at += 1) {
  const { sessionId, turns } = CALLS['conversation.append'].input(at) as {
    sessionId: string;
    turns: [{ id: string; role: 'user'; content: string }];
  };
  const id = `earlier-${String(at)}`;
  const said = turns.map((turn) => ({ ...turn, id }));
  await admin.conversation.append({
    tenant: TENANT,
    sessionId,
    identifiers: IDENTIFIERS,
    turns: said,
  });
}
const { key, id } = await admin.key.create({ tenant: TENANT, name: 'bench', role: 'operate' });
const principal: Principal = { name: 'key:bench', tenants: [TENANT], bound: {}, role: 'operate' };
const token = 'a-token-of-this-installation';
const server = await startApiServer({ ports, host: '127.0.0.1', port: 0, token });
/** Far above the numbers that the measurement hands out. */
let next = 1_000_000_000;
const direct = (name: CallName): Promise<unknown> => {
  next += 1;
  return CALLS[name].direct(ports, principal, next);
};
const inTurn = async (name: CallName): Promise<unknown> => {
  const end = await ports.callLimiter?.turn(principal, CALLS[name].kind);
  try {
    return await direct(name);
  } finally {
    end?.();
  }
};
// The caller's key is read from the store once per request.
const readKey = () => ports.store.apiKeys.get(TENANT, id);
const plainUrl = await startPlainServer(inTurn, readKey);
const atOnceUrl = await startPlainServer(direct, readKey);
answerParent(() => Promise.resolve());
process.send?.({ kind: 'Ready', url: server.url, key, plainUrl, atOnceUrl });
