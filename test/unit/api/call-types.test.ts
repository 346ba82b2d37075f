/** The named types of the calls say what the schemas say, and editors show them by name. */
import { expect, test } from 'vitest';
import type { Library } from '#api/library.ts';
import type { Calls, Operations } from '#api/operations/table.ts';
import type { z } from 'zod';
import { callTypes } from '#api/print-call-types.ts';
import type { LayerPolicy, TenantPolicy } from '#cli/policy-types.generated.ts';
import { policyTypes } from '#cli/print-policy-types.ts';
import { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { MemoryTenant } from '#crds/memory-tenant.ts';
import { API_VERSION } from '#crds/metadata.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();

/** Lists and fields as if they could be changed, since a schema does not say whether they can. */
type Mutable<T> = T extends (...input: infer In) => Promise<infer Out>
  ? (...input: Mutable<In>) => Promise<Mutable<Out>>
  : unknown extends T
    ? T
    : T extends object
      ? { -readonly [Name in keyof T]: Mutable<T[Name]> }
      : T;

/** Refuses to compile where a named type differs from the schema of its call. */
const alike = {
  named: (named: Mutable<Library>): Mutable<Calls<Operations>> => named,
  derived: (derived: Mutable<Calls<Operations>>): Mutable<Library> => derived,
};

test('a library typed by the named types answers a call of the table', async () => {
  const ann = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  const named: Mutable<Library> = library().varve;
  const content = 'Ann lives in Porto.';
  const added = await alike.named(named).memory.add({ ...ann, layer: 'user', content });
  const { memories } = await alike.derived(alike.named(named)).memory.list(ann);
  expect(memories.map(({ id }) => id)).toEqual([added.memory.id]);
});

type TenantSpec = Omit<NonNullable<z.input<typeof MemoryTenant>['spec']>, 'tenantId'>;
type LayerSpec = Omit<z.input<typeof LayerSummaryPolicy>['spec'], 'tenantRef' | 'layer'>;

/** Refuses to compile where a type of a policy differs from its schema. */
const policiesAlike = {
  namedTenant: (named: TenantPolicy): Mutable<TenantSpec> => named as Mutable<TenantPolicy>,
  tenant: (derived: TenantSpec): TenantPolicy => derived,
  namedLayer: (named: LayerPolicy): Mutable<LayerSpec> => named as Mutable<LayerPolicy>,
  layer: (derived: LayerSpec): LayerPolicy => derived,
};

test('a policy typed by the named types is one that the schemas take', () => {
  const tenant: TenantPolicy = { budget: { tokens: 1 }, retention: { transcriptDays: 30 } };
  const layer: LayerPolicy = { updateOnChanges: 3, depths: ['sentence'] };
  const metadata = { name: 'acme' };
  const resource = { apiVersion: API_VERSION, metadata };
  const tenantSpec = {
    ...policiesAlike.tenant(policiesAlike.namedTenant(tenant)),
    tenantId: 'acme',
  };
  const read = MemoryTenant.parse({ ...resource, kind: 'MemoryTenant', spec: tenantSpec });
  expect(read.spec).toMatchObject(tenant);
  const of = { tenantRef: metadata, layer: 'user' };
  const layerSpec = { ...policiesAlike.layer(policiesAlike.namedLayer(layer)), ...of };
  const kind = 'LayerSummaryPolicy';
  const readLayer = LayerSummaryPolicy.parse({ ...resource, kind, spec: layerSpec });
  expect(readLayer.spec).toMatchObject(layer);
});

test('the committed types are those of the table; npm run docs:api writes them', () => {
  const policies = ['cli/policy-types.generated.ts', policyTypes()] as const;
  for (const [file, text] of [...callTypes(), policies]) {
    expect(readProjectFile(file).text).toBe(text);
  }
});
