/** A policy of the library: the resources of a policy folder, applied once when it is opened. */
import { stat } from 'node:fs/promises';
import type { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import type { Layer } from '#core/layer.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import type { MemoryTenant } from '#crds/memory-tenant.ts';
import type { ResourceFile } from '#crds/read-resources.ts';
import type { Parts } from './compose.ts';
import { requirePrices, type LibraryOptions, type LibraryPlan } from './library-options.ts';

type TenantSpec = z.input<typeof MemoryTenant>['spec'];
type LayerSpec = z.input<typeof LayerSummaryPolicy>['spec'];

/** What a `MemoryTenant` and its `LayerSummaryPolicy`s say, in one object. */
export interface TenantPolicyInput extends Omit<NonNullable<TenantSpec>, 'tenantId'> {
  readonly tenant: string;
  /** When and how the summaries of a layer are made; the defaults of the layer where absent. */
  readonly layers?: Partial<Record<Layer, Omit<LayerSpec, 'tenantRef' | 'layer'>>>;
}

/** One tenant, several, or the path of a YAML file or of a folder of such files. */
export type PolicyInput = TenantPolicyInput | readonly TenantPolicyInput[] | string;

/** Each goes on where the one before had seen enough scopes. */
const ROUNDS_MAX = 10_000;

/**
 * What is declared holds from now on; tenants that are not named keep what they have.
 * @throws VarveError INVALID_INPUT with one report of every mistake; TENANT_CLAIMED
 */
export async function applyPolicy(
  { store, platform, calendar }: Parts,
  policy: NonNullable<LibraryPlan['policy']>,
  options: LibraryOptions,
): Promise<void> {
  const dir = await filesOf(policy);
  if (dir.length === 0) return;
  // What reads resources is loaded by those alone who declare some.
  const [{ readResources }, operator, { describeOutcome }, { AppliedPolicies }] = await Promise.all(
    [
      import('#crds/read-resources.ts'),
      import('#operator/folder/reconcile.ts'),
      import('#operator/folder/outcome.ts'),
      import('#operator/tenant/applied-policies.ts'),
    ],
  );
  const { tenants } = readResources(dir);
  requirePrices(
    options,
    tenants.some(({ spec }) => spec.budget.dollars !== undefined),
  );
  const appliedPolicies = new AppliedPolicies();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parts = {
      store,
      platform,
      calendar,
      clusterId: operator.FOLDER_CLUSTER,
      appliedPolicies,
    };
    const { outcomes } = await operator.reconcileFolder({ ...parts, dir });
    const refused = outcomes.find(({ kind }) => kind === 'Refused' || kind === 'Failed');
    if (refused !== undefined) {
      const code = refused.kind === 'Failed' ? refused.code : 'TENANT_CLAIMED';
      throw new VarveError(code, `The policy was not applied. ${describeOutcome(refused)}`);
    }
    if (!appliedPolicies.isAnyBegun()) return;
  }
}

async function filesOf({
  input,
  isOptional,
}: NonNullable<LibraryPlan['policy']>): Promise<readonly ResourceFile[]> {
  if (typeof input !== 'string') {
    const { API_VERSION } = await import('#crds/metadata.ts');
    return [input].flat().map((each) => fileOf(each, API_VERSION));
  }
  if (isOptional && !(await isThere(input))) return [];
  const { readPolicyFile, readPolicyFolder } = await import('#operator/folder/policy-folder.ts');
  const file = await readPolicyFile(input);
  if (file !== null) return [file];
  return readPolicyFolder(input);
}

async function isThere(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** The same resources as a file would have, so that one set of rules judges both: JSON is YAML. */
function fileOf(
  { tenant, layers = {}, ...spec }: TenantPolicyInput,
  apiVersion: string,
): ResourceFile {
  const resources = [
    { apiVersion, kind: 'MemoryTenant', metadata: { name: tenant }, spec },
    ...Object.entries(layers).map(([layer, wanted]) => ({
      apiVersion,
      kind: 'LayerSummaryPolicy',
      metadata: { name: `${tenant}-${layer}` },
      spec: { tenantRef: { name: tenant }, layer, ...wanted },
    })),
  ];
  const text = resources.map((resource) => JSON.stringify(resource, null, 2)).join('\n---\n');
  return { name: `policy of ${tenant}`, bytes: new TextEncoder().encode(text) };
}
