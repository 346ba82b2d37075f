/** Summaries by models behind an endpoint, set up as a person would: by environment variables. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { stackPaths } from '#cli/installation-files.ts';
import type { Layer } from '#core/layer.ts';
import { startModelServer } from '../cluster/model-server/model-server.ts';
import { startStackOn, TENANT, type RunningStack } from './running-stack.ts';
import { until } from './until.ts';
import { runVarve, temporaryFolder } from './varve-process.ts';

const KEY = 'sk-of-nobody';
const [LARGE, SMALL] = ['a-large-model', 'a-small-model'];
const FERRY = 'The ferry from Kiel leaves at 18:45.';
const HOLIDAY = 'The office is closed from December 24 to January 2.';
const PROJECT = { projectId: 'voyage' };
const ORG = { orgId: 'nordic' };

/** Everything is due at its first change, after a window of a second. */
const POLICY = `apiVersion: memory.varve.dev/v1alpha1
kind: MemoryTenant
metadata:
  name: ${TENANT}
spec:
  tenantId: ${TENANT}
  refresh:
    batchWindow: 1s
${['project', 'org'].map(layerPolicy).join('')}`;

function layerPolicy(layer: string): string {
  return `---
apiVersion: memory.varve.dev/v1alpha1
kind: LayerSummaryPolicy
metadata:
  name: ${TENANT}-${layer}
spec:
  tenantRef:
    name: ${TENANT}
  layer: ${layer}
  updateOnChanges: 1
`;
}

function environment(baseUrl: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: KEY,
    VARVE_LOG_LEVEL: 'info',
    VARVE_MODEL_STANDARD: LARGE,
    VARVE_MODEL_STANDARD_INPUT_PRICE: '2.5',
    VARVE_MODEL_STANDARD_OUTPUT_PRICE: '10',
    VARVE_MODEL_ECONOMY: SMALL,
    VARVE_MODEL_ECONOMY_INPUT_PRICE: '0.15',
    VARVE_MODEL_ECONOMY_OUTPUT_PRICE: '0.6',
  };
}

function untilFresh({ api }: RunningStack, layer: Layer, identifiers: typeof PROJECT | typeof ORG) {
  return until(`the ${layer} has a fresh summary`, async () => {
    const summary = await api.summary.get({ tenant: TENANT, layer, identifiers });
    return summary?.freshness.stale === false ? summary : null;
  });
}

describe('models behind an endpoint', () => {
  test('SUM-18: the economy model summarizes an org, and the standard model a project', async () => {
    await using server = await startModelServer({ models: [LARGE, SMALL] });
    server.script.push({ kind: 'Refuse', status: 429, retryAfter: '1' });
    await using folder = await temporaryFolder();
    const env = environment(server.baseUrl);
    const policies = path.join(folder.path, 'policies');
    await mkdir(policies);
    await writeFile(path.join(policies, 'tenant.yaml'), POLICY);
    const args = ['--policy-dir', policies];
    await using stack = await startStackOn(path.join(folder.path, 'data'), { env, args });
    const { api } = stack;
    const write = (layer: Layer, identifiers: typeof PROJECT | typeof ORG, content: string) =>
      api.memory.add({ tenant: TENANT, layer, identifiers, content });
    await write('project', PROJECT, FERRY);
    await write('org', ORG, HOLIDAY);

    const project = await untilFresh(stack, 'project', PROJECT);
    const org = await untilFresh(stack, 'org', ORG);
    expect(project).toMatchObject({ model: LARGE, facts: [{ text: FERRY, quote: FERRY }] });
    expect(org).toMatchObject({ model: SMALL, facts: [{ text: HOLIDAY, quote: HOLIDAY }] });
    for (const { usage, priceMicroDollars } of [project, org]) {
      expect(usage.inputTokens).toBeGreaterThan(0);
      expect(priceMicroDollars).toBeGreaterThan(0);
    }

    // One call was refused, and each model was asked once; no call shows who or where it is for.
    expect(server.calls).toHaveLength(3);
    expect(server.charged().answers).toBe(2);
    const asked = JSON.stringify(server.calls.map(({ body }) => body));
    expect(asked).toContain(FERRY);
    expect(asked).not.toMatch(/voyage|nordic|demo/u);

    const doctor = await runVarve(['doctor', '--data-dir', stack.dataDir], { env });
    expect(doctor.stdout).toMatch(/^ok {5}models .*a-small-model \(economy\).* are available$/mu);

    const log = await readFile(stackPaths(stack.dataDir).workerLog, 'utf8');
    expect(log).toMatch(/"model":"a-small-model".*"classes":\["economy"\].*"microDollars":\d/u);
    expect(log + doctor.stdout).not.toMatch(/ferry|office|sk-of/u);
  });
});
