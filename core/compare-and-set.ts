/** A change of a record that others write too: read, decide, write if it has not changed. */
import { VarveError, type ErrorDetails } from './errors.ts';

export interface RecordChange<Found, Changed> {
  readonly read: () => Promise<Found>;
  /** What is to be written; null leaves the record as it is. */
  readonly change: (found: Found) => Changed | null;
  /** Whether it was written; false where the record is another one by now. */
  readonly write: (changed: Changed) => Promise<boolean>;
}

export interface ChangeLimits {
  /** Writers that may come in between. */
  readonly triesMax: number;
  /** The error that a caller gets after these. */
  readonly message: string;
  readonly details?: ErrorDetails;
}

/**
 * Answers what was written, or null where nothing was to be written.
 * @throws VarveError CONFLICT, retryable, where others write all the time
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
