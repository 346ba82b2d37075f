/**
 * Measures what the cosines of each generation mean, once per installation, and stores the result.
 * Owner: one provider. Key: generation. Lifetime: the provider's. Never invalid: a changed
 * generation has another name.
 */
import { chunked } from '#core/chunks-and-pages.ts';
import { SENTENCES_REVISION } from '#core/search/calibration-sentences.ts';
import { type Calibration, measureCalibration } from '#core/search/calibration.ts';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import { checkedVector } from './embedding-call.ts';
import type { Lifetime } from './provider-lifetime.ts';
import { openCall, type Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { unlessCancelled } from './store-and-embedder-retries.ts';

export interface CalibrationCache {
  /**
   * Returns the calibration of an embedder's generation. Equal calls share one measurement.
   * @throws VarveError what the embedder throws, CANCELLED
   */
  of(call: Call, embedder: Embedder): Promise<Calibration>;
}

export function createCalibrations(
  ports: ProviderPorts,
  lifetime: Pick<Lifetime, 'signal' | 'hold'>,
): CalibrationCache {
  const known = new Map<string, Promise<Calibration>>();
  return {
    of(call, embedder) {
      const { generation } = embedder;
      const begun = known.get(generation);
      if (begun !== undefined) return unlessCancelled(begun, call.signal);
      // The measurement belongs to the installation, not to its first caller: others may wait for
      // it.
      const { tenant } = call;
      const own = openCall(ports, lifetime.signal, { operation: 'search', tenant, by: 'varve' });
      const made = storedOrMeasured(ports, own, embedder);
      // Held, since a command that ended before it is stored would measure again each time.
      lifetime.hold(made);
      known.set(generation, made);
      made.catch(() => known.delete(generation));
      return unlessCancelled(made, call.signal);
    },
  };
}

async function storedOrMeasured(
  { store, platform }: ProviderPorts,
  call: Call,
  embedder: Embedder,
): Promise<Calibration> {
  const { generation, textsMax } = embedder;
  const stored = await call.retried(() => store.embeddings.calibration(generation));
  if (stored?.sentences === SENTENCES_REVISION) return stored;
  const measured = await measureCalibration(async (texts, purpose) => {
    const vectors: (readonly number[])[] = [];
    for (const some of chunked(texts, textsMax)) {
      const { signal } = call;
      const answer = await call.retried(() => embedder.embed(some, { purpose, signal }));
      for (const index of some.keys()) vectors.push(checkedVector(answer[index], embedder));
    }
    return vectors;
  }, generation);
  try {
    await call.retried(() => store.embeddings.putCalibration(measured));
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    // A search continues even if the disk is full; the next process measures again.
    platform.log.warn({ generation, code: error.code }, 'calibration not stored');
    return measured;
  }
  platform.log.info({ generation, unrelated: measured.unrelatedCosine }, 'generation calibrated');
  return measured;
}
