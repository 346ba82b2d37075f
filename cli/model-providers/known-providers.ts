/** The providers in the store as a process knows them, with what it keeps for each. */
import type { ModelProviderRecords } from '#core/ports/model-provider-records.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { ServedProvider } from './served-provider.ts';

/** A change of a provider is in use after so long. */
export const KEPT_MS = 15_000;
/** Whoever misses a provider looks again, but not more often. */
const AGAIN_MS = 1_000;
/** Far above what an installation has; the store is asked for no more. */
const PROVIDERS_MAX = 1_000;

export interface KnownProviders {
  /** By name; read again where `isMissing` says of what is kept that something is not in it. */
  all(isMissing?: (known: ByName) => boolean): Promise<ByName>;
}

export type ByName = ReadonlyMap<string, ServedProvider>;

interface State {
  known: ByName;
  at: number;
  reading: Promise<ByName> | null;
}

export function createKnownProviders(
  records: Pick<ModelProviderRecords, 'list'>,
  clock: Clock,
  serve: (record: ModelProviderRecord) => Promise<ServedProvider>,
): KnownProviders {
  const state: State = { known: new Map(), at: -Infinity, reading: null };
  const read = async (): Promise<ByName> => {
    try {
      const listed = await records.list(PROVIDERS_MAX);
      const served = listed.map((record) => carried(state, record, serve));
      state.known = new Map((await Promise.all(served)).map((each) => [each.record.name, each]));
      state.at = clock();
      return state.known;
    } finally {
      state.reading = null;
    }
  };
  return {
    all: async (isMissing) => {
      const age = clock() - state.at;
      const isKept = age < KEPT_MS && (age < AGAIN_MS || isMissing?.(state.known) !== true);
      // Activities that begin at the same time share one reading.
      return isKept ? state.known : (state.reading ??= read());
    },
  };
}

/** What is kept for a provider (its key, its rate) begins anew with every change of it. */
async function carried(
  { known }: State,
  record: ModelProviderRecord,
  serve: (record: ModelProviderRecord) => Promise<ServedProvider>,
): Promise<ServedProvider> {
  const before = known.get(record.name);
  return before?.record.hash === record.hash ? { ...before, record } : serve(record);
}
