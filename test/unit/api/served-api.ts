/** An API over a store in a folder of its own, served on a free port. */
import { libraryOf, type Library } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts, type Parts, type PartsOptions } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

export const TOKEN = 'a-token-of-this-installation';
export const AUTH = { authorization: `Bearer ${TOKEN}` };

interface Serving {
  readonly log?: PartsOptions['log'];
  /** What the API works with instead of its parts, such as another clock. */
  readonly instead?: (parts: Parts) => Partial<Parts>;
  readonly differing?: Partial<Parameters<typeof startApiServer>[0]>;
}

export interface ServedApi extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly parts: Parts;
  readonly ports: ApiPorts;
  /** What the operator of the installation may do. */
  readonly admin: Library;
}

export async function serveApi(serving: Serving = {}): Promise<ServedApi> {
  const { log = SILENT_LOG, instead = () => ({}), differing = {} } = serving;
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log }));
  const ports = apiPortsOf({ ...parts, ...instead(parts) }, NO_REFRESH_TRIGGER, null);
  const address = { host: '127.0.0.1', port: 0, token: TOKEN };
  const { url } = held.use(await startApiServer({ ports, ...address, ...differing }));
  const open = held.move();
  const admin = libraryOf(ports, LOCAL_OPERATOR);
  return { url, folder, parts, ports, admin, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
