import { expect, test } from 'vitest';
import { documents, file, layerPolicy, read, tenant } from './policy-files.ts';
import { readResources } from '#crds/read-resources.ts';
import { refusedChange } from '#crds/immutable-fields.ts';

test.each([
  ['the same id', 'tenantId: acme', null],
  ['another budget', 'budget: { tokens: 5 }', null],
  ['another id', 'tenantId: other', { path: ['spec', 'tenantId'], before: 'acme', after: 'other' }],
] as const)('a tenant with %s is judged by the id in force', (_, spec, expected) => {
  const [before, after] = [tenant('{}'), tenant(spec)].map((text) => read(text).tenants[0]);
  if (before === undefined || after === undefined) throw new Error('There is no tenant.');
  expect(refusedChange(before, after)).toEqual(expected);
});

test('the layer of a layer policy cannot change', () => {
  const [before, after] = ['layer: team', 'layer: org'].map(
    (spec) => read(documents(tenant('{}'), layerPolicy(spec))).policies[0],
  );
  if (before === undefined || after === undefined) throw new Error('There is no policy.');
  expect(refusedChange(before, after)).toEqual({
    path: ['spec', 'layer'],
    before: 'team',
    after: 'org',
  });
});

test('a file that changes an immutable field is refused at its place', () => {
  const [team, org] = ['team', 'org'].map((layer) =>
    documents(tenant('{}'), layerPolicy(`layer: ${layer}`)),
  ) as [string, string];
  const before = read(team);
  expect(readResources([file('a.yaml', team)], before).policies).toHaveLength(1);
  expect(() => readResources([file('a.yaml', org)], before)).toThrow(
    /a\.yaml:14:10 {2}spec\.layer\n.*"team" as before: it cannot be changed/u,
  );
  const renamed = org.replace('acme-layer', 'acme-org');
  expect(readResources([file('a.yaml', renamed)], before).policies).toHaveLength(1);
});
