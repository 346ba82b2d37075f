/**
 * Keeps an activity from writing text that was erased while it worked; a model call takes long. The
 * guarded ports refuse such writes if an erasure of the tenant began or ended after the activity
 * began; a retry reads what is left. Summaries need no guard: the version of their scope shows it.
 */
import { erasureRevision } from '#core/erasure/erasure-receipt.ts';
import { VarveError } from '#core/errors.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Store } from '#core/ports/store.ts';

interface Ports {
  readonly store: Store;
  readonly provider?: MemoryProvider;
}

/** Returns guarded ports; call it before reading anything. A refused write throws CONFLICT. */
export async function unlessErased<P extends Ports>(ports: P, tenant: string): Promise<P> {
  const { store, provider } = ports;
  const revision = async () => erasureRevision(await store.erasures.ledger(tenant));
  const before = await revision();
  const checked =
    <A extends readonly unknown[], T>(write: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      if ((await revision()) !== before) throw erasedMeanwhile();
      return write(...given);
    };
  const { answers, segments, documents, proposals } = store;
  const guarded: Store = {
    ...store,
    answers: { ...answers, put: checked((each) => answers.put(each)) },
    segments: { ...segments, put: checked((some) => segments.put(some)) },
    documents: {
      ...documents,
      append: checked((block, announcement) => documents.append(block, announcement)),
      put: checked((document) => documents.put(document)),
    },
    proposals: { ...proposals, put: checked((proposal) => proposals.put(proposal)) },
  };
  if (provider === undefined) return { ...ports, store: guarded };
  const add: MemoryProvider['add'] = checked((of, memory, how) => provider.add(of, memory, how));
  return { ...ports, store: guarded, provider: { ...provider, add } };
}

function erasedMeanwhile(): VarveError {
  const message = 'Data of the tenant was erased while this was being made from it. Try again.';
  return new VarveError('CONFLICT', message);
}
