import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readResources } from '#crds/read-resources.ts';
import { LIMITS_NAME } from '#crds/limit-values.ts';
import { platformLimits } from '#crds/platform-limits.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../examples/kubernetes');
const LIMITS = 'platform-limits.yaml';

test('the examples for a cluster load together, with each kind once', () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== LIMITS);
  const files = names.map((name) => ({ name, bytes: readFileSync(path.join(FOLDER, name)) }));
  const { tenants, policies, providers, dreams } = readResources(files);
  expect([tenants, policies, providers, dreams].map(({ length }) => length)).toEqual([1, 1, 1, 1]);
});

test('the example of limits names the ConfigMap and keys that the policies read', () => {
  const text = readFileSync(path.join(FOLDER, LIMITS), 'utf8');
  const { metadata, data } = parse(text) as { metadata: { name: string }; data: object };
  expect(metadata.name).toBe(LIMITS_NAME);
  const read = JSON.stringify(platformLimits());
  for (const key of Object.keys(data)) expect(read).toContain(`'${key}' in params.data`);
});
