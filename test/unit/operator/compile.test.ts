import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readResources } from '#crds/read-resources.ts';
import { DEFAULT_LAYERS, defaultPolicy, TenantPolicy } from '#core/records/policy.ts';
import { LAYERS } from '#core/layer.ts';
import { compileResources } from '#operator/tenant/compile.ts';
import { documents, file, layerPolicy, tenant } from '../crds/policy-files.ts';

function compiled(...texts: readonly string[]): TenantPolicy {
  const resources = readResources([file('tenant.yaml', documents(...texts))]);
  const [first] = compileResources(resources, 'folder');
  // Parsed, so that every test also shows that the workers could read the policy.
  return TenantPolicy.parse(first?.policy);
}

describe('compiled policies', () => {
  test('a tenant that declares nothing has the default policy', () => {
    expect(compiled(tenant('{}'))).toEqual(defaultPolicy('acme'));
  });

  test('the tenant id is the name of the resource or what spec says', () => {
    expect(compiled(tenant('tenantId: acme-eu')).tenant).toBe('acme-eu');
  });

  test('POLICY-30: the window of the tenant holds for every layer but session', () => {
    const { layers } = compiled(tenant('refresh: { batchWindow: 2s }'));
    for (const layer of LAYERS) {
      expect(layers[layer].batchWindowMs).toBe(layer === 'session' ? 10_000 : 2_000);
    }
  });

  test('POLICY-30: the window of a layer comes before that of the tenant', () => {
    const { layers } = compiled(
      tenant('refresh: { batchWindow: 2s }'),
      layerPolicy('layer: session\nbatchWindow: 3s', 'a'),
      layerPolicy('layer: user\nbatchWindow: 0s', 'b'),
    );
    expect([layers.session.batchWindowMs, layers.user.batchWindowMs]).toEqual([3_000, 0]);
  });

  test('a layer policy changes its layer where it says something, and no other', () => {
    const { layers } = compiled(
      tenant('{}'),
      layerPolicy('layer: team\nmaxAge: 1d\nmodelClass: economy\nskipIfUnchanged: false'),
    );
    const changed = { maxAgeMs: 86_400_000, modelClass: 'economy', skipIfUnchanged: false };
    expect(layers).toEqual({ ...DEFAULT_LAYERS, team: { ...DEFAULT_LAYERS.team, ...changed } });
  });

  test('POLICY-31: a hierarchy may have any names, even those that objects have', () => {
    const text = 'hierarchy: { projects: [{ id: __proto__, team: a }, { id: toString, team: b }] }';
    const { teamOfProject } = compiled(tenant(text)).hierarchy;
    expect(Object.entries(teamOfProject)).toContainEqual(['toString', 'b']);
    expect(Object.getPrototypeOf(teamOfProject)).toBe(Object.prototype);
  });

  test('POLICY-32: the example is a policy, with thresholds that a demo can wait for', async () => {
    const example = new URL('../../../examples/acme/tenant.yaml', import.meta.url);
    const policy = compiled(await readFile(example, 'utf8'));
    expect(policy.hierarchy.companyOfOrg).toEqual({ commerce: 'acme' });
    expect(policy.urgentDebounceMs).toBe(1_000);
    for (const layer of LAYERS) {
      expect(policy.layers[layer].batchWindowMs).toBe(2_000);
      expect(policy.layers[layer].updateOnChanges).toBe(layer === 'team' ? 3 : 1);
    }
    expect(policy.dreams).toMatchObject([{ name: 'acme-nightly', timeZone: 'Europe/Berlin' }]);
  });
});
