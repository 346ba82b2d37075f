/** Parts that the operations of one provider share. */
import type { Backfill } from './backfill.ts';
import type { Calibrations } from './calibrations.ts';
import type { Lifetime } from './lifetime.ts';
import type { KeySweep } from './key-sweep.ts';
import type { EnginePorts } from './ports.ts';
import type { QueryWaits } from './query-waits.ts';
import type { Vectors } from './vectors.ts';

export interface EngineParts {
  readonly ports: EnginePorts;
  readonly lifetime: Lifetime;
  readonly vectors: Vectors;
  readonly queryWaits: QueryWaits;
  readonly calibrations: Calibrations;
  readonly backfill: Backfill;
  readonly keySweep: KeySweep;
}
