/** Changes a record that others write too: reads, decides, and writes if it has not changed. */
import { VarveError, type ErrorDetails } from './errors.ts';

interface RecordChange<Found, Changed> {
  readonly read: () => Promise<Found>;
  /** Returns what to write; null leaves the record as it is. */
  readonly change: (found: Found) => Changed | null;
  /** Returns whether it was written; false if the record has changed meanwhile. */
  readonly write: (changed: Changed) => Promise<boolean>;
}

interface ChangeLimits {
  /** The most tries, each of which another writer may defeat. */
  readonly triesMax: number;
  /** Message of the error after the last try. */
  readonly message: string;
  readonly details?: ErrorDetails;
}

/**
 * Returns what was written, or null if there was nothing to write.
 * @throws VarveError CONFLICT, retryable, if others write all the time
 */
export async function changeRecord<Found, Changed>(
  { read, change, write }: RecordChange<Found, Changed>,
  { triesMax, message, details = {} }: ChangeLimits,
): Promise<Changed | null> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const changed = change(await read());
    if (changed === null || (await write(changed))) return changed;
  }
  throw new VarveError('CONFLICT', message, { details });
}
