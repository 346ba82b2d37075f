/** Opens the library beside what runs on the data folder, which then hears of what is owed. */
import { audited } from '../compose.ts';
import type { Config } from '../config.ts';
import { requireStore } from '../existing-store.ts';
import { openVarve, type OpenVarveOptions, type Varve } from '../open-varve.ts';
import { readAddresses } from '../stack/addresses.ts';
import { stackPaths } from '../stack/paths.ts';

export interface Ordering extends AsyncDisposable {
  readonly varve: Varve;
  /** Where nothing refreshes now, the request waits for the next start. */
  readonly isRunning: boolean;
}

export interface OrderingOptions extends Pick<OpenVarveOptions, 'principal' | 'log'> {
  /** Whether the command may be the first to store anything. */
  readonly begins?: boolean;
}

/**
 * @throws VarveError NOT_FOUND where it may not, and nothing is stored yet
 */
export async function openLibraryOf(
  config: Config,
  { begins = false, ...opened }: OrderingOptions = {},
): Promise<Ordering> {
  if (!begins) await requireStore(config);
  const { dataDir, settings, temporalAddress, temporalSecurity: security } = config;
  const running = await readAddresses(stackPaths(dataDir).addresses);
  const address = temporalAddress ?? running?.temporalAddress;
  const namespace = running?.temporalNamespace ?? config.temporalNamespace;
  const temporal = address === undefined ? {} : { temporal: { address, namespace, security } };
  const kept = audited(settings);
  const varve = await openVarve({ dataDir, settings: kept, ...opened, ...temporal });
  return {
    varve,
    isRunning: address !== undefined,
    [Symbol.asyncDispose]: () => varve[Symbol.asyncDispose](),
  };
}

/** What a person reads after asking for something that a refresh does. */
export function whenDone(isRunning: boolean): string {
  return isRunning ? 'The refresh goes on now.' : 'Nothing runs here; varve start goes on with it.';
}
