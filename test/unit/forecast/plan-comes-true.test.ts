/** The operator of a folder does what a plan of the folder says. */
import { expect, test } from 'vitest';
import { PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import { describeChanges } from '#operator/tenant/policy-changes.ts';
import { ACME, deepDream, documents, layerPolicy, tenant } from '../crds/policy-files.ts';
import { applied, forecast } from './plan-fixture.ts';

const LIMITED = tenant('budget: { tokens: 5, dollars: "2.50" }\nrefresh: { batchWindow: 9m }');
const EAGER = layerPolicy('layer: user\nupdateOnChanges: 1');
const LAZY = layerPolicy('layer: user\nupdateOnChanges: 9');
const NIGHTLY = deepDream('{}');
const LATER = deepDream('cron: 0 5 * * *');

function paused(text: string): string {
  return text.replace('\nspec:', `\n  annotations: { ${PAUSED_ANNOTATION}: 'true' }\nspec:`);
}

function provider(name: string, namespace: string, model: string, allowed = '*'): string {
  return `apiVersion: memory.varve.dev/v1alpha1
kind: ModelProvider
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  allowedNamespaces: ['${allowed}']
  openai:
    baseUrl: https://models.example.com/v1
    models:
      - { name: ${model}, classes: [economy, standard], inputPrice: '1', outputPrice: '2' }`;
}

const HAD = documents(ACME, EAGER, NIGHTLY, provider('paid', 'default', 'mini'));

const CASES: readonly (readonly [string, string])[] = [
  ['the same files', HAD],
  ['a budget and a window', documents(LIMITED, EAGER, NIGHTLY)],
  ['no provider', documents(ACME, EAGER, NIGHTLY)],
  ['another model', documents(ACME, provider('paid', 'default', 'large'))],
  ['a provider of another namespace', documents(ACME, provider('paid', 'team-a', 'large'))],
  ['a provider for others only', documents(ACME, provider('paid', 'default', 'large', 'team-a'))],
  ['a paused provider', documents(ACME, paused(provider('paid', 'default', 'large')))],
  [
    'two providers',
    documents(ACME, provider('paid', 'default', 'mini'), provider('older', 'default', 'tiny')),
  ],
  ['a paused layer policy', documents(LIMITED, paused(LAZY), NIGHTLY)],
  ['a paused dream', documents(LIMITED, EAGER, paused(LATER))],
  ['a paused tenant', documents(paused(LIMITED), LAZY, LATER)],
  ['another policy, layer policy and dream', documents(LIMITED, LAZY, LATER)],
];

test.each(CASES)('FORECAST-5: a plan comes true for %s', async (_, text) => {
  const { store, apply } = await applied(HAD);
  const before = (await store.policies.get('acme'))?.policy;
  const [said] = await forecast(text, store);
  await apply(text);
  const after = (await store.policies.get('acme'))?.policy;
  if (before === undefined || after === undefined) throw new Error('There is no policy.');
  const { comparison } = said ?? {};
  const changes = comparison?.kind === 'Changed' ? comparison.changes : '';
  expect(changes).toBe(describeChanges(before, after));
  const [again] = await forecast(text, store);
  expect(['Unchanged', 'Paused']).toContain(again?.comparison.kind);
});
