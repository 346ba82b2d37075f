import { VarveError } from './errors.ts';
import { shortenToUnits } from './storable-text.ts';

const SHOWN_ID_UNITS = 128;

/** The same error for a memory of somebody else and for one that does not exist. */
export function memoryNotFound(id: string): VarveError {
  const shown = JSON.stringify(shortenToUnits(id, SHOWN_ID_UNITS));
  const message = `There is no memory ${shown} here; memory.list shows those that are open.`;
  return new VarveError('MEMORY_NOT_FOUND', message, { details: { id } });
}
