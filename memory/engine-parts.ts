/** Parts that the operations of one provider share. */
import type { Backfill } from './backfill-vectors.ts';
import type { CalibrationCache } from './calibrations.ts';
import type { Lifetime } from './calls-in-progress.ts';
import type { KeySweep } from './sweep-idempotency-keys.ts';
import type { EnginePorts } from './engine-ports.ts';
import type { QueryWaits } from './wait-for-query-vector.ts';
import type { Vectors } from './embedding-batches.ts';

export interface EngineParts {
  readonly ports: EnginePorts;
  readonly lifetime: Lifetime;
  readonly vectors: Vectors;
  readonly queryWaits: QueryWaits;
  readonly calibrations: CalibrationCache;
  readonly backfill: Backfill;
  readonly keySweep: KeySweep;
}
