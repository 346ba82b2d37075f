/** Parts that the operations of one memory provider share. */
import type { Backfill } from './backfill-vectors.ts';
import type { CalibrationCache } from './calibrations.ts';
import type { Lifetime } from './provider-lifetime.ts';
import type { KeySweep } from './sweep-idempotency-keys.ts';
import type { ProviderPorts } from './provider-ports.ts';
import type { QueryWaits } from './wait-for-query-vector.ts';
import type { Vectors } from './embedding-batches.ts';

export interface ProviderParts {
  readonly ports: ProviderPorts;
  readonly lifetime: Lifetime;
  readonly vectors: Vectors;
  readonly queryWaits: QueryWaits;
  readonly calibrations: CalibrationCache;
  readonly backfill: Backfill;
  readonly keySweep: KeySweep;
}
