/** Composes the library: its parts, its policy, and the operations on them. */
import { libraryOf } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { VarveError } from '#core/errors.ts';
import { apiPortsOf, openParts } from './composition-root.ts';
import { readLibraryConfig } from './config.ts';
import { dreamsInProcess, refreshInProcess } from './in-process-work.ts';
import { requireLibraryOptions } from './check-library-options.ts';
import {
  applyDeclaredPolicies,
  declaredPolicies,
  planLibrary,
  requirePlaces,
  type OpenVarveOptions,
  type TemporalPlace,
  type Varve,
} from './library-options.ts';
import { environmentSecrets } from './model-providers/provider-key.ts';
import { warningLog } from './warning-log.ts';

/** Opens the library, composed of its parts; for errors see `openVarve`. */
export async function composeLibrary(options: OpenVarveOptions): Promise<Varve> {
  requireLibraryOptions(options);
  await using held = new AsyncDisposableStack();
  const log = options.log ?? warningLog();
  const config = options.settings === undefined ? readLibraryConfig(options.environment) : null;
  const plan = planLibrary(options, config);
  await requirePlaces(plan);
  const { dataDir, settings, policy } = plan;
  // If a server runs, its operator enforces the default folder.
  const isKept = options.temporal !== undefined && policy?.isOptional === true;
  const declared = policy === null || isKept ? [] : await declaredPolicies(policy, options);
  const secrets = config === null ? undefined : environmentSecrets(config.environment);
  const parts = held.use(await openParts({ dataDir, log, settings, secrets, measured: false }));
  const { temporal } = options;
  await applyDeclaredPolicies(parts, declared);
  const client = temporal === undefined ? null : held.use(await connect(temporal));
  const ports = apiPortsOf(
    parts,
    client ?? dreamsInProcess(parts),
    client === null ? null : () => client.health(),
  );
  const open = new AsyncDisposableStack();
  const library = libraryOf(
    { ...ports, refreshHere: (tenant, kind) => refreshInProcess(parts, tenant, kind) },
    options.principal ?? LOCAL_OPERATOR,
    () => requireOpen(open.disposed),
  );
  open.use(held.move());
  const close = () => open.disposeAsync();
  return { ...library, close, [Symbol.asyncDispose]: close };
}

/** @throws VarveError INVALID_INPUT once it is closed */
function requireOpen(isClosed: boolean): void {
  if (!isClosed) return;
  const message = 'This Varve was closed. Call it before close(), or open another by openVarve().';
  throw new VarveError('INVALID_INPUT', message);
}

async function connect({ address, namespace = 'default', security = null }: TemporalPlace) {
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  return connectTemporal({ address, namespace, security });
}
