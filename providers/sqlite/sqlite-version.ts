/** Which SQLite is safe for several processes on one file. */
import { VarveError } from '#core/errors.ts';

/**
 * The first release without the WAL-reset bug, by which several connections that write and
 * checkpoint could corrupt the file (SQLite 3.7.0 to 3.51.2, sqlite.org/releaselog/3_51_3.html).
 */
const REQUIRED = '3.51.3';
const NODE_WITH_IT = '24.21';

/** @throws VarveError PROVIDER_REJECTED for a SQLite that may corrupt the file. */
export function requireSafeSqlite(version: string): void {
  if (rank(version) >= rank(REQUIRED)) return;
  throw new VarveError(
    'PROVIDER_REJECTED',
    `This Node brings SQLite ${version}, which can corrupt a database that several processes ` +
      `write to. Use Node ${NODE_WITH_IT} or newer, which brings SQLite ${REQUIRED} or newer.`,
    { details: { found: version, required: REQUIRED, node: NODE_WITH_IT } },
  );
}

/** One number per version, as sqlite3_libversion_number counts. */
function rank(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1_000 + minor) * 1_000 + patch;
}
