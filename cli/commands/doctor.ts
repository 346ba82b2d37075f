/** `varve doctor`: looks at every part and says how to mend what is wrong. */
import { stat } from 'node:fs/promises';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { openParts } from '../compose.ts';
import { isStoreKept } from '../existing-store.ts';
import type { Config } from '../config.ts';
import { readAddresses } from '../stack/addresses.ts';
import { stackPaths } from '../stack/paths.ts';
import { count } from '../demo/text.ts';
import {
  guarded,
  type Finding,
  modelFindings,
  localModelFindings,
  retrievalFindings,
  summaryFindings,
} from '../doctor/checks.ts';

type Check = (config: Config) => Promise<readonly Finding[]>;

const MARKS = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' } as const;
const CHECKS: readonly Check[] = [runtime, policies, storage, models, temporal];

/** Answers the exit status: 0 where nothing is wrong. Changes nothing. */
export async function doctorCommand(config: Config): Promise<number> {
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...(await check(config)));
  for (const { part, state, text } of findings) {
    process.stdout.write(`${MARKS[state]}  ${part.padEnd(10)}  ${text}\n`);
  }
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
}

async function runtime(): Promise<readonly Finding[]> {
  const { DatabaseSync } = await import('node:sqlite');
  using database = new DatabaseSync(':memory:');
  const row = database.prepare('select sqlite_version() as version').get();
  const text = `Node ${process.versions.node}, SQLite ${String(row?.['version'])}`;
  return [{ part: 'runtime', state: 'ok', text }];
}

async function policies({ policyDir }: Config): Promise<readonly Finding[]> {
  if (!(await exists(policyDir))) {
    const text = `no policy folder; the defaults hold. Put YAML into ${policyDir} to change them.`;
    return [{ part: 'policies', state: 'note', text }];
  }
  const { readPolicyFolder } = await import('#operator/folder/policy-folder.ts');
  const { readResources } = await import('#crds/read-resources.ts');
  return guarded('policies', async () => {
    const { tenants, policies: layers } = readResources(await readPolicyFolder(policyDir));
    const text = `${count(tenants.length, 'tenant')} and ${count(layers.length, 'layer policy')}`;
    return { part: 'policies', state: 'ok', text };
  });
}

async function storage(config: Config): Promise<readonly Finding[]> {
  const { dataDir, settings } = config;
  if (await leadsThroughFile(dataDir)) {
    const text = `${dataDir} leads through a file; choose another folder with --data-dir.`;
    return [{ part: 'store', state: 'wrong', text }];
  }
  if (!(await isStoreKept(config))) {
    const text = 'nothing stored yet; varve import or varve start makes the data folder.';
    return [{ part: 'store', state: 'note', text }];
  }
  const missing = await localModelFindings(settings);
  // Without its model the installation is looked at as far as it goes.
  const open = missing.length === 0 ? settings : { ...settings, local: undefined };
  return guarded('store', async () => {
    const log = SILENT_LOG;
    await using parts = await openParts({ dataDir, log, settings: open, measured: false });
    const { ok, engine, schemaVersion, findings } = await parts.store.health();
    const said = findings.length === 0 ? 'sound' : findings.join('; ');
    const place = settings.mongodb === undefined ? '' : `, database ${settings.mongodb.database}`;
    const text = `${engine}${place}, schema ${String(schemaVersion)}, ${said}`;
    return [
      { part: 'store', state: ok ? 'ok' : 'wrong', text },
      ...(missing.length === 0 ? await retrievalFindings(parts, settings) : missing),
      ...(await summaryFindings(parts)),
      { part: 'tokens', state: 'ok', text: parts.tokens.name },
    ];
  });
}

function models({ settings }: Config): Promise<readonly Finding[]> {
  return modelFindings(settings);
}

async function temporal(config: Config): Promise<readonly Finding[]> {
  const running = await readAddresses(stackPaths(config.dataDir).addresses);
  const address = config.temporalAddress ?? running?.temporalAddress;
  if (address !== undefined) {
    return guarded('temporal', async () => {
      const { connectTemporal } = await import('#providers/temporal/client.ts');
      const namespace = running?.temporalNamespace ?? config.temporalNamespace;
      const { temporalSecurity: security } = config;
      await using client = await connectTemporal({ address, namespace, security });
      const { ok, findings } = await client.health();
      const text = ok ? `answers at ${address}, and a worker polls it` : findings.join('; ');
      return { part: 'temporal', state: ok ? 'ok' : 'wrong', text };
    });
  }
  const text = 'not running; varve start finds, downloads or builds a server and starts it.';
  return [{ part: 'temporal', state: 'note', text }];
}

async function leadsThroughFile(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => !found.isDirectory(),
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOTDIR',
  );
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
