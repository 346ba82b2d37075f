/** The variables that the chart gives each part, read as the program reads them at its start. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkExposure } from '#cli/commands/api.ts';
import { readConfig, type Config } from '#cli/config.ts';
import { workerGrace } from '#cli/worker-roles-and-grace.ts';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { ofKind, PART_SETS, render, type RenderOptions } from './chart.ts';

const PARTS = ['api', 'models', 'operator', 'workflows'];
/** Above what the process gives itself; a pod is killed at its end. */
const MARGIN_SECONDS = 3;
/** What a Secret or a field of the pod could hold. */
const SECRET = 'made-up-secret-value';
const MADE_UP: Readonly<Record<string, string>> = {
  MONGODB_URI: `mongodb://ann:${SECRET}@db.example/?replicaSet=rs0`,
};

const Variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({ name: z.string(), valueFrom: z.looseObject({}) }),
]);
const Part = z.looseObject({
  metadata: z.looseObject({
    labels: z.looseObject({ 'app.kubernetes.io/component': z.string() }),
  }),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.int(),
        containers: z.tuple([z.looseObject({ env: z.array(Variable) })]),
      }),
    }),
  }),
});

interface StartedPart {
  readonly names: readonly string[];
  readonly config: Config;
  readonly podSeconds: number;
}

describeUnless(await missingForHelm())('the environment of every part', () => {
  test.each(PART_SETS)('the program accepts the environment rendered from %s', async (set) => {
    const parts = await partsOf({ set });
    expect([...parts.keys()].toSorted()).toEqual(PARTS);
    for (const { config, names } of parts.values()) {
      expect(config.settings.mongodb?.uri).toBe(MADE_UP['MONGODB_URI']);
      expect(config.temporalAddress).toBe('temporal-frontend.temporal:7233');
      // A server takes no list in which a name stands twice.
      expect(new Set(names).size).toBe(names.length);
    }
    const api = parts.get('api')?.config;
    expect(api?.apiToken).toBe(SECRET);
    expect(api?.settings.declaredOnly).toBe(true);
    expect(api?.jwt?.issuer).toBe(set === 'everything' ? 'https://login.example.com' : undefined);
    const accounts = set === 'everything' ? ['team-a', 'team-b'] : [];
    expect(Object.keys(api?.serviceAccounts?.tenants ?? {})).toEqual(accounts);
    const [host, hasTls] = [api?.host ?? '', (api?.tls ?? null) !== null];
    const exposure = { host, isAuthenticationSet: true, hasTls, isTrusted: false };
    expect(checkExposure(exposure)).toEqual({ isReadable: set !== 'everything' });
  });

  test('models without an address use OpenAI in every part', async () => {
    for (const { config } of (await partsOf({ set: 'models' })).values()) {
      expect(config.settings.models).toMatchObject({
        url: 'https://api.openai.com/v1',
        standard: { name: 'gpt-4o' },
      });
    }
  });

  test.each([
    ['settings.OPENAI_BASE_URL=http://vllm.models:8000/v1', PARTS],
    [
      'workers.workflows.extraEnv[0].name=OPENAI_BASE_URL,' +
        'workers.workflows.extraEnv[0].value=http://vllm.models:8000/v1',
      ['workflows'],
    ],
  ])('a given address of models is kept: %s', async (value, components) => {
    const parts = await partsOf({ set: 'models', values: [value] });
    for (const component of components) {
      const { config, names } = parts.get(component) ?? {};
      expect(config?.settings.models?.url).toBe('http://vllm.models:8000/v1');
      expect(names?.filter((name) => name === 'OPENAI_BASE_URL')).toHaveLength(1);
    }
  });

  test('without models, no part has an address of models', async () => {
    for (const { config, names } of (await partsOf({ set: 'minimal' })).values()) {
      expect(names).not.toContain('OPENAI_BASE_URL');
      expect(config.settings.models).toBeUndefined();
    }
  });

  test.each([15, 30, 120, 600])(
    'workers in a pod with a grace period of %i s end before it expires',
    async (seconds) => {
      const setting = (worker: string) =>
        `workers.${worker}.terminationGracePeriodSeconds=${String(seconds)}`;
      const parts = await partsOf({ values: [setting('workflows'), setting('models')] });
      for (const worker of ['workflows', 'models']) {
        const { config, podSeconds } = parts.get(worker) ?? {};
        expect(podSeconds).toBe(seconds);
        expect(config?.graceSeconds).toBe(seconds - MARGIN_SECONDS);
      }
    },
  );

  test('a model call has more than 90 seconds to end', async () => {
    const models = (await partsOf({ set: 'minimal' })).get('models');
    expect(workerGrace(models?.config.graceSeconds ?? null).activitiesMs).toBeGreaterThan(90_000);
  });
});

describe('reading the variables', () => {
  test('fails for an invalid environment', () => {
    const named = { VARVE_MODEL_STANDARD: 'gpt-4o' };
    expect(() => readConfig(named, {})).toThrow('VARVE_MODEL_STANDARD_INPUT_PRICE');
  });
});

/** By component. */
async function partsOf(options: RenderOptions): Promise<ReadonlyMap<string, StartedPart>> {
  const deployments = ofKind(await render(options), 'Deployment');
  return new Map(
    deployments.map((each) => {
      const { metadata, spec } = Part.parse(each);
      const { terminationGracePeriodSeconds: podSeconds, containers } = spec.template.spec;
      const [{ env }] = containers;
      const variables = env.map((variable): [string, string] => [
        variable.name,
        'value' in variable ? variable.value : (MADE_UP[variable.name] ?? SECRET),
      ]);
      const names = env.map(({ name }) => name);
      const config = readConfig(Object.fromEntries(variables), {});
      return [metadata.labels['app.kubernetes.io/component'], { names, config, podSeconds }];
    }),
  );
}
