/**
 * Varve with a real store, a real Temporal server and a worker in this process. Time can be moved
 * on: the store's marks are read against a clock of the test's, so nobody waits for half a minute.
 */
import { providerOver } from '#test/provider-over.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { createActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { MemoryAnswer } from '#api/schemas/memory.ts';
import { apiPortsOf, openParts, type Parts, type PartsOptions } from '#cli/composition-root.ts';
import {
  REFRESH_SETTINGS,
  refreshWorkflowId,
  STATUS_QUERY,
  type RefreshSettings,
  type RefreshStatus,
  type RefreshTotals,
} from '#core/refresh/refresh-contract.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { LayerPolicy, TenantPolicy } from '#core/records/policy.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_TRACING, type Tracing } from '#core/ports/tracing.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { installRuntime, startWorker, type WorkflowBundle } from '#providers/temporal/worker.ts';
import { loadWorkflows } from '#cli/stack/workflow-bundle.ts';
import { TEST_BUNDLE } from '#test/cluster/test-temporal.ts';
import { newNamespace, testAddress } from './namespace.ts';

const EVENTUALLY_MS = 30_000;
const POLL_MS = 20;
const SCOPES_MAX = 1_000;

export interface StackOptions {
  readonly model?: PartsOptions['model'];
  readonly settings?: Partial<RefreshSettings>;
  readonly cachedWorkflowsMax?: number;
  /** Nothing is traced if absent. */
  readonly tracing?: Tracing;
  /** Default: the server of the test run. */
  readonly address?: string;
}

export interface Stack extends AsyncDisposable {
  readonly parts: RefreshPorts;
  readonly ports: ApiPorts;
  readonly temporal: TemporalClient;
  /** Of the store; another worker may share it. */
  readonly dataDir: string;
  /** A tenant that no other test has, since runs of one name share a history. */
  readonly tenant: string;
  /** Moves the clock that due marks are read against. */
  advance(ms: number): void;
  declare(tenant: string, differing?: Differing): Promise<void>;
  /**
   * A memory of a scope, written as the API writes it; `refreshTrigger` stands in for Temporal's.
   */
  add(tenant: string, memory: NewMemory, refreshTrigger?: RefreshTrigger): Promise<MemoryAnswer>;
  remove(tenant: string, id: string): Promise<void>;
  scopes(tenant: string): Promise<readonly ScopeRecord[]>;
  /** What the tenant's run did, once it has ended. */
  settled(tenant: string): Promise<RefreshTotals>;
}

export interface NewMemory {
  readonly layer?: Layer;
  readonly identifiers: Identifiers;
  readonly content: string;
  readonly expiresAt?: number;
}

export interface Differing {
  /** For every layer. */
  readonly layers?: Partial<LayerPolicy>;
  /** For some of them. */
  readonly only?: Partial<Record<Layer, Partial<LayerPolicy>>>;
  readonly tenant?: Partial<Omit<TenantPolicy, 'layers' | 'tenant'>>;
}

/** Made once, as each costs seconds: the bundle of a process, the namespaces of a test file. */
const once: {
  isInstalled?: true;
  bundle?: Promise<WorkflowBundle>;
  readonly namespaces: Map<string, Promise<string>>;
} = { namespaces: new Map() };

/** Those who ask from now on get new namespaces. */
export function leaveNamespaces(): void {
  once.namespaces.clear();
}

export interface Place {
  readonly address: string;
  readonly namespace: string;
  readonly bundle: WorkflowBundle;
}

/** Before the first worker of a process. */
export function installTestRuntime(): void {
  if (once.isInstalled === undefined) installRuntime(SILENT_LOG);
  once.isInstalled = true;
}

/** The workflows as the run bundled them, or bundled once for a process. */
export function testBundle(): Promise<WorkflowBundle> {
  installTestRuntime();
  once.bundle ??= loadWorkflows(process.env[TEST_BUNDLE] ?? null, SILENT_LOG);
  return once.bundle;
}

/** Where workers of this process work, and on which workflows. */
export async function testPlace(address = testAddress()): Promise<Place> {
  const made = once.namespaces.get(address) ?? newNamespace(address);
  once.namespaces.set(address, made);
  const [bundle, namespace] = await Promise.all([testBundle(), made]);
  return { address, namespace, bundle };
}

export async function openStack(options: StackOptions = {}): Promise<Stack> {
  const { address, namespace, bundle } = await testPlace(options.address);
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-workflows-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { model, tracing = NO_TRACING } = options;
  const opened = held.use(
    await openParts({
      dataDir,
      log: SILENT_LOG,
      tracing,
      ...(model === undefined ? {} : { model }),
    }),
  );
  const time = { ahead: 0 };
  const platform = { ...opened.platform, clock: () => Date.now() + time.ahead };
  const provider = providerOver({ ...opened, platform });
  const parts = { ...opened, platform, provider };
  const settings = { ...REFRESH_SETTINGS, ...options.settings };
  const temporal = held.use(await connectTemporal({ address, namespace, settings, tracing }));
  const activities = forTemporal(createActivities(parts, temporal, temporalCall), SILENT_LOG);
  const { cachedWorkflowsMax: cached } = options;
  const worker = { address, namespace, bundle, activities, tracing, log: SILENT_LOG };
  held.use(
    await startWorker(cached === undefined ? worker : { ...worker, cachedWorkflowsMax: cached }),
  );
  const running = held.move();
  return {
    ...stackOver(parts, temporal),
    dataDir,
    tenant: `tenant-${randomUUID()}`,
    advance: (ms) => {
      time.ahead += ms;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function stackOver(
  parts: Omit<Parts, typeof Symbol.asyncDispose>,
  temporal: TemporalClient,
): Omit<Stack, 'advance' | 'dataDir' | 'tenant' | typeof Symbol.asyncDispose> {
  const ports = apiPortsOf(parts, temporal, null);
  const { store } = parts;
  return {
    parts,
    ports,
    temporal,
    declare: (tenant, differing = {}) => declare(parts, tenant, differing),
    add: (tenant, { layer = 'user', ...memory }, refreshTrigger = temporal) =>
      OPERATIONS.memory.add.call({ ...ports, refreshTrigger }, LOCAL_OPERATOR, {
        tenant,
        layer,
        ...memory,
      }),
    remove: async (tenant, id) => {
      await OPERATIONS.memory.delete.call(ports, LOCAL_OPERATOR, { tenant, id });
    },
    scopes: (tenant) => store.scopes.list(tenant, SCOPES_MAX),
    settled: async (tenant) => {
      const totals = await temporal.settled(tenant);
      if (totals === null) throw new Error(`Tenant ${tenant} has no run.`);
      return totals;
    },
  };
}

/** A policy under which the first change is due at once and windows are short. */
export function quickPolicy(
  tenant: string,
  { layers, only = {}, tenant: rest }: Differing,
): TenantPolicy {
  const policy = defaultPolicy(tenant);
  const quick = { updateOnChanges: 1, batchWindowMs: 50, ...layers };
  const changed = LAYERS.map((layer) => {
    return [layer, { ...policy.layers[layer], ...quick, ...only[layer] }] as const;
  });
  return {
    ...policy,
    urgentDebounceMs: 50,
    ...rest,
    layers: Object.fromEntries(changed) as TenantPolicy['layers'],
  };
}

async function declare(
  { store, platform }: RefreshPorts,
  tenant: string,
  differing: Differing,
): Promise<void> {
  const policy = quickPolicy(tenant, differing);
  const owner = { cluster: 'test', namespace: 'test', name: tenant, uid: tenant };
  const hash = platform.digest(JSON.stringify(policy));
  await store.policies.put(owner, policy, { hash, now: platform.clock() });
}

/** Waits until a value is there, or says what it waited for. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const end = Date.now() + EVENTUALLY_MS;
  while (Date.now() < end) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    await sleep(POLL_MS);
  }
  throw new Error(`Waited ${String(EVENTUALLY_MS)} ms in vain: ${what}.`);
}

/** What the tenant's run says of itself. */
export async function statusOf({ temporal }: Stack, tenant: string): Promise<RefreshStatus> {
  return runOf({ temporal }, tenant).query(STATUS_QUERY);
}

/** The tenant's run, whichever of its chain is open. */
export function runOf({ temporal }: Pick<Stack, 'temporal'>, tenant: string) {
  return temporal.client.workflow.getHandle(refreshWorkflowId(tenant));
}

/** Ends the tenant's run where one is open, so that no later test of the file takes it up. */
export async function endRun(stack: Stack, tenant: string): Promise<void> {
  try {
    await runOf(stack, tenant).terminate();
  } catch (error) {
    // It ended by itself in the meantime.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

export async function untilPhase(
  stack: Stack,
  tenant: string,
  phase: RefreshStatus['phase'],
): Promise<void> {
  await eventually(phase, async () => (await statusOf(stack, tenant)).phase === phase);
}

/** Resolves when the run waits for a window with something in it. */
export async function untilWaiting(stack: Stack, tenant: string): Promise<void> {
  await eventually('a run that waits for its window', async () => {
    const { phase, pending } = await statusOf(stack, tenant);
    return phase === 'Waiting' && pending > 0;
  });
}

/** A price that gives a call of some sentences a cost of some thousand micro-dollars. */
export const PRICE = {
  inputMicroDollarsPerMillion: 1_000_000,
  outputMicroDollarsPerMillion: 2_000_000,
};

/** The extractive summarizer with a price, so that its calls are counted and budgeted. */
export function metered(extractive: SummaryModel): SummaryModel {
  return { ...extractive, name: 'metered', price: PRICE };
}
