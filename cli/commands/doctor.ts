/** `varve doctor`: checks every part and explains how to fix problems. */
import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { codeOf, VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { ModelClass } from '#core/records/model-class.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { waitsForBudget, waitsForModel } from '#core/refresh/retries-and-dead-letters.ts';
import { chosenScopes } from '#memory/change-many-scopes.ts';
import { openParts, type Parts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { openSecrets } from '../model-providers/provider-key.ts';
import { declaringProvider } from '../model-providers/provider-cache.ts';
import { isLocalModelThere, isModelFolder, localModelFolder } from '../load-embedders.ts';
import { isStoreKept } from '../open-library-for-command.ts';
import { LOCAL_OFFER } from '../model-settings.ts';
import type { PartsSettings } from '../store-and-model-settings.ts';
import { readAddresses, stackPaths } from '../installation-files.ts';
import { explainMissingPackage, MCP, missingFor, SERVER } from '../optional-packages.ts';
import { count } from '../terminal-text.ts';

type Check = (config: Config) => Promise<readonly Finding[]>;

const MARKS = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' } as const;
const CHECKS: readonly Check[] = [runtime, packages, policies, storage, disk, models, temporal];

/** Returns the exit status: 0 if nothing is wrong. Changes nothing. */
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

async function packages(): Promise<readonly Finding[]> {
  const parts = [
    { purpose: SERVER, of: 'demo, start, worker and api' },
    { purpose: MCP, of: 'mcp, and /mcp of the api' },
  ];
  return parts.flatMap(({ purpose, of }): readonly Finding[] => {
    const missing = missingFor([purpose]);
    if (missing === null) return [];
    return [{ part: 'packages', state: 'note', text: `not installed, for ${of}: ${missing}` }];
  });
}

async function policies(config: Config): Promise<readonly Finding[]> {
  const { policyDir } = config;
  if (!existsSync(policyDir)) {
    return [{ part: 'policies', state: 'note', text: noPolicyFolderText(config) }];
  }
  const { readPolicyFolder } = await import('#operator/folder/read-policy-files.ts');
  const { readResources } = await import('#crds/read-resources.ts');
  return findingOnFailure('policies', async () => {
    const { tenants, policies: layers } = readResources(await readPolicyFolder(policyDir));
    const text = `${count(tenants.length, 'tenant')} and ${count(layers.length, 'layer policy')}`;
    return { part: 'policies', state: 'ok', text };
  });
}

/** Says what applies without a policy folder; over MongoDB, a cluster may declare the tenants. */
export function noPolicyFolderText({
  policyDir,
  settings,
}: {
  readonly policyDir: string;
  readonly settings: Pick<Config['settings'], 'mongodb'>;
}): string {
  return settings.mongodb === undefined
    ? `no policy folder; the defaults apply. Put YAML into ${policyDir} to change them.`
    : 'no policy folder; the MemoryTenants of a cluster apply (kubectl get mt --all-namespaces), ' +
        'and the defaults for other tenants.';
}

async function disk({ dataDir, settings }: Config): Promise<readonly Finding[]> {
  if (settings.mongodb !== undefined) return [];
  // If there is no such folder, or none that can be read, the check of the store says so.
  const room = await statfs(dataDir).catch(() => null);
  return room === null ? [] : diskFindings(room.bavail * room.bsize, dataDir);
}

/** Below this many bytes, an import or the log of the store soon finds no room. */
const FREE_MIN = 100_000_000;

/** Returns what is wrong with the free bytes of the disk of a data folder. */
export function diskFindings(free: number, dataDir: string): readonly Finding[] {
  if (free >= FREE_MIN) return [];
  const megabytes = (free / 1e6).toFixed(1);
  const text = `${megabytes} MB free for ${dataDir}: writes fail once it is full. Free some space.`;
  return [{ part: 'disk', state: 'wrong', text }];
}

async function storage(config: Config): Promise<readonly Finding[]> {
  const { dataDir, settings } = config;
  if (await leadsThroughFile(dataDir)) {
    const text = `a part of ${dataDir} is a file, not a folder; choose another with --data-dir.`;
    return [{ part: 'store', state: 'wrong', text }];
  }
  if (!(await isStoreKept(config))) {
    const text = 'nothing stored yet; varve import or varve start makes the data folder.';
    return [{ part: 'store', state: 'note', text }, ...offerOf(settings)];
  }
  const missing = await localModelFindings(settings);
  // If its model is missing, the rest of the installation is still checked.
  const open = missing.length === 0 ? settings : { ...settings, local: undefined };
  return findingOnFailure('store', async () => {
    const log = SILENT_LOG;
    await using embeddingSecrets = openSecrets(config);
    const store = { dataDir, settings: open };
    await using parts = await openParts({ ...store, log, embeddingSecrets, measured: false });
    const { ok, engine, schemaVersion, findings } = await parts.store.health();
    const said = findings.length === 0 ? 'sound' : findings.join('; ');
    const place = settings.mongodb === undefined ? '' : `, database ${settings.mongodb.database}`;
    const text = `${engine}${place}, schema ${String(schemaVersion)}, ${said}`;
    return [
      { part: 'store', state: ok ? 'ok' : 'wrong', text },
      ...(await tenantFindings(parts)),
      ...(missing.length === 0 ? await retrievalFindings(parts, settings) : missing),
      ...(await summaryFindings(parts, { isModelSet: settings.models !== undefined })),
      ...(await providerFindings(parts)),
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
    return findingOnFailure('temporal', async () => {
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
    (error: unknown) => codeOf(error) === 'ENOTDIR',
  );
}

/** The result of one check of `varve doctor`. */
export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly text: string;
}

/** Reports a part that fails as a finding instead of ending the command. */
export async function findingOnFailure(
  part: string,
  check: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat();
  } catch (thrown) {
    const error = explainMissingPackage(thrown);
    const text =
      error instanceof VarveError ? `${error.code}: ${error.message}` : 'fails unexpectedly';
    return [{ part, state: 'wrong', text }];
  }
}

const BY_RULES: Finding = {
  part: 'extraction',
  state: 'note',
  text:
    'by rules, in English, German, Spanish and Chinese; in other languages, Varve keeps no ' +
    'memories, but searches find the turns. A model extracts memories in every language; see ' +
    'docs/extraction.md',
};

/** Only asks the endpoint for its list of models, so the check costs nothing. */
export function modelFindings({ models }: PartsSettings): Promise<readonly Finding[]> {
  const part = 'models';
  return findingOnFailure(part, async () => {
    if (models === undefined) {
      const text =
        'extractive, unless a ModelProvider serves: summaries are sentences of their sources; ' +
        'no model is set';
      return [{ part, state: 'note', text }, BY_RULES];
    }
    const { listModels } = await import('#providers/openai/model-list.ts');
    const endpoint = { baseUrl: models.url, apiKey: models.apiKey ?? null };
    const listed = await listModels(endpoint, Date.now);
    const named = ModelClass.options.map((each) => `${models[each].name} (${each})`).join(', ');
    // An address may contain a password; its host never does.
    const place = `${named} at ${new URL(models.url).host}`;
    if (listed === null) {
      return { part, state: 'note', text: `${place}, which has no list of models` };
    }
    const missing = ModelClass.options
      .map((each) => models[each].name)
      .filter((name) => !listed.includes(name));
    if (missing.length === 0) return { part, state: 'ok', text: `${place} are available` };
    const text = `${place} answers but does not list ${[...new Set(missing)].join(', ')}`;
    return { part, state: 'wrong', text };
  });
}

/** Limit of tenants that are checked. */
const TENANTS_MAX = 200;
/** Names in one line. */
const SHOWN_MAX = 3;

/** Names stored tenants without a policy beside others with one: they may be misspelled. */
async function tenantFindings({ store }: Pick<Parts, 'store'>): Promise<readonly Finding[]> {
  const [declared] = await store.policies.list(1);
  if (declared === undefined) return [];
  const tenants = await store.embeddings.tenants({ after: null, limit: TENANTS_MAX });
  const records = await Promise.all(tenants.map((tenant) => store.policies.get(tenant)));
  const others = tenants.filter((_, at) => records[at] === null);
  if (others.length === 0) return [];
  const text =
    `no policy for ${named(others)}, where something is stored: the defaults apply, without a ` +
    'budget. Declare each; varve erase --everything --tenant ID erases a misspelled one.';
  return [{ part: 'tenants', state: 'note', text }];
}

/** Checks what finds memories: the embedder, and whether it serves the vectors of the tenants. */
async function retrievalFindings(
  parts: Parts,
  settings: PartsSettings,
): Promise<readonly Finding[]> {
  return [
    ...(await findingOnFailure('embedder', () => embedderFinding(parts, settings))),
    ...(await findingOnFailure('retrieval', () => generationFindings(parts))),
  ];
}

/** Suggests an embedding model if the settings have none. */
function offerOf({ embedding, local }: PartsSettings): readonly Finding[] {
  if (embedding !== undefined || local !== undefined) return [];
  const text = `keyword quality: no embedding model is set. ${LOCAL_OFFER}`;
  return [{ part: 'embedder', state: 'note', text }];
}

/** Asks for one vector: nothing else shows that address, key, files and dimensions fit. */
async function embedderFinding(
  { embedders, modelProviders }: Parts,
  settings: PartsSettings,
): Promise<Finding> {
  const declaring = declaringProvider(await modelProviders.all());
  const [offer] = offerOf(settings);
  if (offer !== undefined && declaring === null) return offer;
  const configured = await embedders.configured();
  await configured.embed(['Is the embedding model there?'], { purpose: 'query' });
  const place =
    declaring === null ? ownPlace(settings) : `of ModelProvider ${declaring.record.name}`;
  const text = `${configured.generation} ${place} answers, semantic quality`;
  return { part: 'embedder', state: 'ok', text };
}

function ownPlace({ embedding, local }: PartsSettings): string {
  // An address may contain a password; its host never does.
  return local === undefined ? `at ${new URL(embedding?.url ?? '').host}` : 'on this machine';
}

/** Reports a missing local model, since a check must not download it. */
async function localModelFindings({ local }: PartsSettings): Promise<readonly Finding[]> {
  if (local === undefined || (await isLocalModelThere(local))) return [];
  const part = 'embedder';
  const folder = localModelFolder(local);
  if (isModelFolder(local.model)) {
    const { findModel } = await import('#providers/onnx/model-files.ts');
    return findingOnFailure(part, async () => {
      await findModel(folder);
      return [];
    });
  }
  const text =
    `${local.model} is not in ${folder} yet; the next command that embeds downloads it from ` +
    `${new URL(local.url).host}.`;
  return [{ part, state: 'note', text }];
}

async function generationFindings({ store, embedders }: Parts): Promise<readonly Finding[]> {
  const tenants = await store.embeddings.tenants({ after: null, limit: TENANTS_MAX });
  const states = await Promise.all(tenants.map((tenant) => store.embeddings.state(tenant)));
  const active = states.flatMap((state) => (state === null ? [] : [state.active]));
  const unserved: string[] = [];
  for (const generation of active) {
    if ((await embedders.ofGeneration(generation)) === null) unserved.push(generation);
  }
  const { generation: configured } = await embedders.configured();
  const others = active.filter(
    (generation) => generation !== configured && !unserved.includes(generation),
  );
  const part = 'retrieval';
  if (unserved.length > 0) {
    const text =
      `${count(unserved.length, 'tenant')} searched only by words: no embedder is set for ` +
      `${named(unserved)}. Set it again, or run varve embeddings migrate.`;
    return [{ part, state: 'wrong', text }];
  }
  if (others.length > 0) {
    const text =
      `${count(others.length, 'tenant')} still searched with ${named(others)}; ` +
      'varve embeddings migrate changes that.';
    return [{ part, state: 'note', text }];
  }
  const text = `every tenant is searched with ${configured}`;
  return [{ part, state: 'ok', text }];
}

function named(all: readonly string[]): string {
  const names = [...new Set(all)];
  const more = names.length > SHOWN_MAX ? ', …' : '';
  return names.slice(0, SHOWN_MAX).join(', ') + more;
}

/** Limit of scopes over all tenants. */
const SCOPES_MAX = 20_000;

interface Tally {
  scopes: number;
  given: number;
  /** Tenants with dead letters, for the command that lists them. */
  readonly givenIn: Set<string>;
  budget: number;
  waiting: number;
  /** When the longest wait began, and after which error. */
  since: number;
  code: string;
}

/** Checks for scopes without a summary: dead letters, or waiting for a model or budget. */
export function summaryFindings(
  parts: Pick<Parts, 'store'>,
  { isModelSet }: { readonly isModelSet: boolean },
): Promise<readonly Finding[]> {
  return findingOnFailure('summaries', async () => {
    const called = await calledProviders(parts);
    const writes = called.some(({ provider }) => (provider.openai?.models.length ?? 0) > 0);
    const isModelThere = isModelSet || writes;
    return findingOf(await tallied(parts), isModelThere);
  });
}

/** Limit of ModelProviders that are reported; an installation normally has a handful. */
const PROVIDERS_MAX = 20;

/** Returns the ModelProviders that call an endpoint. */
async function calledProviders({ store }: Pick<Parts, 'store'>) {
  const listed = await store.modelProviders.list(PROVIDERS_MAX);
  return listed.filter(({ provider }) => provider.openai !== undefined);
}

/** Reports what workers found when they last asked the endpoint of each ModelProvider. */
export function providerFindings(parts: Pick<Parts, 'store'>): Promise<readonly Finding[]> {
  return findingOnFailure('models', async () => (await calledProviders(parts)).map(checkedFinding));
}

function checkedFinding({ name, check }: ModelProviderRecord): Finding {
  const part = 'models';
  if (check === null) {
    return { part, state: 'note', text: `ModelProvider ${name} was not asked by a worker yet` };
  }
  if (check.state === 'Available') {
    return { part, state: 'ok', text: `ModelProvider ${name} answers` };
  }
  const when = `since ${new Date(check.since).toISOString()} (${check.code ?? check.state})`;
  const text =
    `ModelProvider ${name} has not answered as it should ${when}. Check its address, its key ` +
    'and the names of its models; workers retry automatically.';
  return { part, state: 'wrong', text };
}

async function tallied({ store }: Pick<Parts, 'store'>): Promise<Tally> {
  const tally: Tally = {
    scopes: 0,
    given: 0,
    givenIn: new Set(),
    budget: 0,
    waiting: 0,
    since: Infinity,
    code: '',
  };
  for (const tenant of await store.embeddings.tenants({ after: null, limit: TENANTS_MAX })) {
    for await (const record of chosenScopes({ store }, { tenant })) {
      if (tally.scopes >= SCOPES_MAX) return tally;
      add(tally, record);
    }
  }
  return tally;
}

function add(tally: Tally, record: ScopeRecord): void {
  const { deadLetter, hold, tenant } = record;
  tally.scopes += 1;
  if (deadLetter !== null) {
    tally.given += 1;
    tally.givenIn.add(tenant);
  } else if (waitsForBudget(record)) tally.budget += 1;
  else if (hold !== null && waitsForModel(record)) {
    tally.waiting += 1;
    if (hold.since < tally.since) Object.assign(tally, { since: hold.since, code: hold.code });
  }
}

/** Reports the worst: an outage stops everything, a dead letter one scope, a budget a part. */
function findingOf(
  { scopes, given, givenIn, budget, waiting, since, code }: Tally,
  isModelSet: boolean,
): Finding {
  if (waiting > 0) {
    const when = `since ${new Date(since).toISOString()} (${code})`;
    const text = isModelSet
      ? `${count(waiting, 'scope')} waiting for a model ${when}. ` +
        'Check its address, key and name; they continue once it answers.'
      : `${count(waiting, 'scope')} waiting ${when}: the results could not be stored. ` +
        'Check the free space on the disk of the store; they continue with the next refresh.';
    return { part: 'summaries', state: 'wrong', text };
  }
  if (given > 0) {
    const [tenant = ''] = givenIn;
    const text =
      `${count(given, 'scope')} failed three times (dead letter). ` +
      `varve summaries dead-letters --tenant ${tenant} says why.`;
    return { part: 'summaries', state: 'wrong', text };
  }
  if (budget > 0) {
    const waits = `${count(budget, 'scope')} waiting for budget`;
    const text = `${waits}; varve budget says how much is left.`;
    return { part: 'summaries', state: 'note', text };
  }
  return { part: 'summaries', state: 'ok', text: `none of ${count(scopes, 'scope')} is held up` };
}
