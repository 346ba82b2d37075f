/** Whether the database answers and has what Varve needs, and what to do where it has not. */
import type { StoreHealth } from '#core/ports/store.ts';

import type { Connection } from './connection.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';
import { INDEXES, SCHEMA_VERSION, schemaVersion } from './schema.ts';

/** `others`: what else is found wrong, beside indexes and schema. */
export async function storeHealth(
  connection: Connection,
  others: () => Promise<string[]>,
): Promise<StoreHealth> {
  const { version } = await connection.run('buildInfo', (database) =>
    database.command({ buildInfo: 1, maxTimeMS: COMMAND_MS_MAX }),
  );
  const found = await schemaVersion(connection);
  const findings = [...(await missingIndexes(connection)), ...schema(found), ...(await others())];
  const engine = `MongoDB ${String(version)}`;
  return { ok: findings.length === 0, engine, schemaVersion: found, findings };
}

async function missingIndexes(connection: Connection): Promise<string[]> {
  const findings: string[] = [];
  for (const [name, indexes] of Object.entries(INDEXES)) {
    const listed = await connection.run(`${name}.listIndexes`, (database) =>
      database.collection(name).listIndexes({ maxTimeMS: COMMAND_MS_MAX }).toArray(),
    );
    const names = new Set(listed.map((each: { name?: unknown }) => each.name));
    for (const { name: wanted } of indexes) {
      if (names.has(wanted)) continue;
      findings.push(
        `The index ${name}.${String(wanted)} is missing. Restart Varve, which makes it.`,
      );
    }
  }
  return findings;
}

function schema(found: number): string[] {
  if (found === SCHEMA_VERSION) return [];
  return [
    `The schema is version ${found}; this process knows ${SCHEMA_VERSION}. ` +
      'Another process upgraded it: restart this one with the newer version.',
  ];
}
