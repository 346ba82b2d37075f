/** A policy folder accepts the output of `kubectl get -o yaml` unchanged. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ACME, documents, file, layerPolicy, problemsIn, read } from './policy-files.ts';
import { readResources } from '#crds/read-resources.ts';

const SERVER_METADATA = {
  creationTimestamp: '2026-11-22T08:00:00Z',
  finalizers: ['memory.varve.dev/tenant'],
  generation: 3,
  managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': {} } }],
  resourceVersion: '711',
  uid: 'b8b31a4c-6d0e-4d0f-9d26-6cf1a1f3bb11',
};

const exported = (metadata: object, differing: object = {}) => ({
  apiVersion: 'memory.varve.dev/v1alpha1',
  kind: 'MemoryTenant',
  metadata: { name: 'acme', namespace: 'team-a', ...SERVER_METADATA, ...metadata },
  spec: { budget: { dollars: '5.00', onExhausted: 'Reject' } },
  status: { observedGeneration: 3, conditions: [{ type: 'Ready', status: 'True' }] },
  ...differing,
});

test('a resource exported from a cluster is read as it was written', () => {
  const [tenant, ...others] = read(stringify(exported({}))).tenants;
  expect(others).toEqual([]);
  expect(tenant?.metadata).toEqual({ name: 'acme', namespace: 'team-a' });
  expect(tenant).not.toHaveProperty('status');
  expect(tenant?.spec.budget.dollars).toBe(5_000_000);
});

test('a list of several kinds is read as its resources', () => {
  const items = [
    exported({}),
    {
      apiVersion: 'memory.varve.dev/v1alpha1',
      kind: 'ModelProvider',
      metadata: { name: 'models' },
      spec: { allowedNamespaces: ['*'], extractive: {} },
    },
    {
      apiVersion: 'memory.varve.dev/v1alpha1',
      kind: 'DeepDream',
      metadata: { name: 'nightly', namespace: 'team-a' },
      spec: { tenantRef: { name: 'acme' }, cron: '30 3 * * *' },
    },
  ];
  const list = { apiVersion: 'v1', kind: 'List', items, metadata: { resourceVersion: '' } };
  const resources = read(stringify(list));
  expect(resources.tenants).toHaveLength(1);
  expect(resources.providers.map(({ metadata }) => metadata.name)).toEqual(['models']);
  expect(resources.dreams.map(({ spec }) => spec.approval)).toEqual(['Automatic']);
});

test.each([
  ['a misspelt field of its metadata', exported({ lables: {} }), 'metadata.lables'],
  ['a misspelt status', exported({}, { statuss: {} }), 'statuss'],
  ['a misspelt field of its spec', exported({}, { spec: { budgets: {} } }), 'spec.budgets'],
])('%s is still reported', (_, resource, path) => {
  expect(problemsIn(stringify(resource)).map((problem) => problem.path)).toEqual([path]);
});

test('a mistake within a list is reported at its place in the file', () => {
  const text = `apiVersion: v1
kind: List
items:
  - apiVersion: memory.varve.dev/v1alpha1
    kind: MemoryTenant
    metadata: { name: acme }
    spec:
      budget: { dollars: 5 }`;
  expect(problemsIn(text)).toMatchObject([{ path: 'spec.budget.dollars', line: 8, column: 26 }]);
});

test('a dream of a missing tenant is refused like a layer policy', () => {
  const dream = layerPolicy('cron: "0 3 * * *"', 'nightly').replace(
    'LayerSummaryPolicy',
    'DeepDream',
  );
  expect(readResources([file('a.yaml', documents(ACME, dream))]).dreams).toHaveLength(1);
  const [problem] = problemsIn(documents(ACME.replace('acme', 'other'), dream));
  expect(problem).toMatchObject({ path: 'spec.tenantRef.name' });
});
