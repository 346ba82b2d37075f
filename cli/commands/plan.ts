/** `varve plan -f FILE…`: shows what applying resources would change and cost. */
import { bytesUpTo } from '../memory-files/memory-file-options.ts';
import { ERRORS } from '#core/error-codes.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { readResources, type ResourceFile } from '#crds/read-resources.ts';
import { readPolicyFolder } from '#operator/folder/read-policy-files.ts';
import { openParts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { isStoreKept } from '../open-library-for-command.ts';
import {
  forecastPlan,
  storedPolicies,
  storedProviders,
  type TenantForecast,
} from '../plan/forecast-plan.ts';
import { STANDARD_INPUT } from '../shared-command-options.ts';
import { forecastEmbedding, type EmbeddingForecast } from '../plan/plan-embedding.ts';
import { installationOf, knownResources } from '../plan/plan-installation.ts';
import { planText } from '../plan/plan-text.ts';
import { readFile, stat } from 'node:fs/promises';

export interface PlanOptions {
  readonly file: readonly string[];
  readonly json?: boolean;
  /** The namespace of resources that name none. */
  readonly namespace?: string;
}

/**
 * Prints a plan. Writes nothing, and creates no store. Returns the exit status: 0, that of
 * TENANT_CLAIMED if a tenant has another owner, or that of BUDGET_EXHAUSTED if the budget of a
 * tenant that would change does not last to the end of its month.
 * @throws VarveError INVALID_INPUT with one report of every mistake in the files
 */
export async function planCommand(
  config: Config,
  { file, json, namespace }: PlanOptions,
): Promise<number> {
  const files = await planFiles(file, process.stdin);
  const isKept = await isStoreKept(config);
  const { forecasts, embedding } = isKept
    ? await forecastKept({ files, namespace }, config)
    : await forecastNew({ files, namespace }, config);
  const text =
    json === true ? jsonText(forecasts, embedding) : planText(forecasts, isKept, embedding);
  process.stdout.write(`${text}\n`);
  return statusOf(forecasts);
}

interface Plan {
  readonly forecasts: readonly TenantForecast[];
  readonly embedding: EmbeddingForecast;
}

interface PlanFiles {
  readonly files: readonly ResourceFile[];
  /** The namespace of resources that name none. */
  readonly namespace: string | undefined;
}

async function forecastKept(
  { files, namespace }: PlanFiles,
  { dataDir, settings, podNamespace }: Config,
): Promise<Plan> {
  await using parts = await openParts({ dataDir, log: SILENT_LOG, settings, measured: false });
  const { store, models: own, platform } = parts;
  const [policies, providers] = [await storedPolicies(store), await storedProviders(store)];
  const known = knownResources(policies, namespace, { providers, podNamespace });
  const resources = readResources(files, null, known);
  const models = { own, digest: platform.digest };
  const moment = { now: platform.clock(), podNamespace, calendar: parts.calendar };
  const forecasts = await forecastPlan(resources, { store, models }, moment);
  const installation = installationOf(null, { policies, providers, podNamespace });
  return { forecasts, embedding: forecastEmbedding(resources.providers, providers, installation) };
}

/** Forecasts without a store: nothing was ever kept. */
async function forecastNew(
  { files, namespace }: PlanFiles,
  { podNamespace }: Config,
): Promise<Plan> {
  const known = knownResources([], namespace, { providers: [], podNamespace });
  const resources = readResources(files, null, known);
  const { createCalendar } = await import('#providers/node/calendar.ts');
  const calendar = createCalendar();
  const moment = { now: Date.now(), podNamespace, calendar };
  const forecasts = await forecastPlan(resources, null, moment);
  const installation = { cluster: null, namespace: podNamespace };
  return { forecasts, embedding: forecastEmbedding(resources.providers, [], installation) };
}

/** Leaves out the compared policies; `changes` says how they differ. */
function jsonText(forecasts: readonly TenantForecast[], embedding: EmbeddingForecast): string {
  const leftOut = (key: string, value: unknown) => (key === 'before' ? undefined : value);
  return JSON.stringify({ tenants: forecasts, embedding }, leftOut, 2);
}

/** Returns the worse exit status: a refused plan outweighs a budget that does not last. */
function statusOf(forecasts: readonly TenantForecast[]): number {
  if (forecasts.some(({ comparison }) => comparison.kind === 'Claimed')) {
    return ERRORS.TENANT_CLAIMED.exit;
  }
  const isBeyond = forecasts
    .filter(({ comparison }) => comparison.kind === 'New' || comparison.kind === 'Changed')
    .some(({ periods }) => periods.some(({ state }) => state === 'Beyond'));
  return isBeyond ? ERRORS.BUDGET_EXHAUSTED.exit : 0;
}

/** The same limit as in a policy folder. */
const FILE_BYTES_MAX = 1_048_576;

/** Reads files in the given order. An unreadable file becomes a problem in the report. */
async function planFiles(
  names: readonly string[],
  input: AsyncIterable<Uint8Array>,
): Promise<readonly ResourceFile[]> {
  const files: ResourceFile[] = [];
  for (const name of new Set(names)) {
    if (name === STANDARD_INPUT) files.push(await readInput(input));
    else files.push(...(await readNamed(name)));
  }
  return files;
}

async function readNamed(name: string): Promise<readonly ResourceFile[]> {
  try {
    const found = await stat(name);
    if (found.isDirectory()) return await readPolicyFolder(name);
    if (found.size > FILE_BYTES_MAX) return [tooLarge(name)];
    return [{ name, bytes: await readFile(name) }];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const isAbsent = error.code === 'ENOENT';
    const reason = isAbsent ? 'no file or folder of that name' : 'no way to read it';
    return [{ name, expected: 'a file or folder that can be read', found: reason }];
  }
}

async function readInput(input: AsyncIterable<Uint8Array>): Promise<ResourceFile> {
  const name = 'standard input';
  const bytes = await bytesUpTo(FILE_BYTES_MAX, input);
  return bytes === null ? tooLarge(name) : { name, bytes };
}

function tooLarge(name: string): ResourceFile {
  return { name, expected: `at most ${FILE_BYTES_MAX} bytes`, found: 'more' };
}
