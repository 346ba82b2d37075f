/** Refuses records and schemas that this version can't read, the same for every driver. */
import { VarveError } from '#core/errors.ts';

/**
 * Parses a stored record. Records are valid when written, so only damage can make one unreadable.
 */
export function parsedRecord(table: string, text: unknown): object {
  try {
    const value: unknown = JSON.parse(String(text));
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw unreadableRecord(table, cause);
  }
  throw unreadableRecord(table, undefined);
}

/** Returns the error for a stored record that is not what was written. */
function unreadableRecord(table: string, cause: unknown): VarveError {
  const message = `A record of ${table} can't be read. Restore a backup of the database.`;
  return new VarveError('CORRUPT', message, { details: { table }, cause });
}

/**
 * Checks that this version supports the schema of a database.
 * @throws VarveError PROVIDER_REJECTED if a newer version wrote the database
 */
export function requireKnownSchema(database: string, found: number, supported: number): void {
  if (found <= supported) return;
  throw new VarveError(
    'PROVIDER_REJECTED',
    `${database} was written by a newer version of Varve ` +
      `(schema ${found}; this version knows ${supported}). Start that newer version, ` +
      'or restore the backup made before the upgrade.',
    { details: { found, supported } },
  );
}

/** Returns what health reports about a schema that changed since the store was opened. */
export function schemaFindings(found: number, known: number): string[] {
  if (found === known) return [];
  return [
    `The schema is version ${found}; this process knows ${known}. ` +
      'Another process upgraded it: restart this one with the newer version.',
  ];
}
