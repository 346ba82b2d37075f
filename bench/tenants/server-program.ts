/** The API over SQLite as it is served, with its default limits. */
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { libraryOf } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, withAuditAndCallLimits, openParts } from '#cli/composition-root.ts';
import { STORE_FILE } from '#cli/choose-store.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { madeUpMemories, SEED } from '../search/made-up-memories.ts';
import { KIND_HEADER, RAN_HEADER, sentence, WHOSE, type Kind } from './calls.ts';
import { answerParent, ranMs } from './child.ts';

/**
 * Memories of each named tenant, except that the last one has as many as the third argument says.
 */
const FEW = 50;
/** The limit of one bulk call. */
const AT_ONCE = 5_000;

const [folder = '', names = '', many = '0'] = process.argv.slice(2);
const isFilled = existsSync(path.join(folder, STORE_FILE));
const parts = await openParts({
  dataDir: folder,
  log: SILENT_LOG,
  settings: withAuditAndCallLimits({}),
});
const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
const admin = libraryOf(ports, LOCAL_OPERATOR);
const tenants = names.split(',');
const keys: string[] = [];
for (const tenant of tenants) {
  const { key } = await admin.key.create({ tenant, name: 'bench', role: 'operate' });
  keys.push(key);
  if (!isFilled)
    await fill(
      tenant,
      Array.from({ length: FEW }, (_, at) => sentence(at)),
    );
}
if (!isFilled) await fill(tenants.at(-1) ?? '', madeUpMemories(Number(many), SEED).memories);

async function fill(tenant: string, contents: readonly string[]): Promise<void> {
  for (let at = 0; at < contents.length; at += AT_ONCE) {
    const memories = contents
      .slice(at, at + AT_ONCE)
      .map((content) => ({ ...WHOSE, layer: 'project' as const, content }));
    await admin.memory.bulkAdd({ tenant, memories });
  }
}

/** The server's report of a phase: its CPU time, and how much of it ran during each call. */
export interface Worked {
  readonly cpuMs: number;
  readonly during: Readonly<Record<Kind, readonly number[]>>;
}

let begunAt = ranMs(process.pid);
let during: Record<Kind, number[]> = { search: [], context: [], add: [] };
subscribe('http.server.response.finish', (message) => {
  const { headers } = (message as { request: IncomingMessage }).request;
  const kind = headers[KIND_HEADER] as Kind | undefined;
  if (kind !== undefined) during[kind].push(ranMs(process.pid) - Number(headers[RAN_HEADER]));
});

const token = 'a-token-of-this-installation';
const server = await startApiServer({ ports, host: '127.0.0.1', port: 0, token });
answerParent<Worked>(() => {
  const now = ranMs(process.pid);
  const worked = { cpuMs: now - begunAt, during };
  begunAt = now;
  during = { search: [], context: [], add: [] };
  return Promise.resolve(worked);
});
process.send?.({ url: server.url, keys });
