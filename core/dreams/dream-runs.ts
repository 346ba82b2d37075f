/** Starts dreams and their application as durable runs. */
import type { ApplyDreamInput, DreamInput } from './dream-contract.ts';

export interface DreamRuns {
  /** One open run per subject: another one is refused as running. */
  start(input: DreamInput): Promise<'Started' | 'Running'>;
  /** Applies an approved proposal; one that is being applied is left to its run. */
  apply(input: ApplyDreamInput): Promise<'Started' | 'Running'>;
}
