/** A tenant with the models of ModelProviders, as the operator writes both. */
import type { OpenaiProvider } from '#core/records/model-provider.ts';
import type { PolicyModels, TenantPolicy } from '#core/records/policy.ts';
import type { ModelServer } from '#test/cluster/model-server/model-server.ts';
import { CLUSTER, providerRecord } from '#test/unit/cli/model-providers/provider-samples.ts';
import type { Fixture } from './refresh-fixture.ts';

export const TENANT = 'acme';
/** Of the tenants of a fixture. */
const NAMESPACE = 'default';
export const MODELS: PolicyModels = {
  standard: { provider: 'main', model: 'large' },
  economy: null,
};

export interface Offer {
  readonly name?: string;
  readonly openai?: Partial<OpenaiProvider>;
  readonly allowed?: readonly string[];
  readonly cluster?: string;
}

/** What the operator writes for a ModelProvider. */
export async function offer(
  { parts }: Fixture,
  server: Pick<ModelServer, 'baseUrl'>,
  { name = 'main', openai = {}, allowed = [NAMESPACE], cluster = CLUSTER }: Offer = {},
) {
  const { owner, provider, hash } = providerRecord(
    name,
    { baseUrl: server.baseUrl, ...openai },
    allowed,
  );
  const written = await parts.store.modelProviders.put(
    { name, owner: { ...owner, cluster } },
    provider,
    {
      hash,
      now: parts.platform.clock(),
    },
  );
  if (written.kind !== 'Applied') throw new Error(`The provider was not written: ${written.kind}.`);
}

export function choose(
  fixture: Fixture,
  models: PolicyModels,
  differing: Partial<TenantPolicy> = {},
) {
  return fixture.declare(TENANT, () => ({ models, ...differing }));
}

/** A log whose lines a test can search; errors with message, stack and cause, as a log has them. */
export function keptLog() {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(JSON.stringify(fields, told) + message);
  };
  return { lines, log: { debug: write, info: write, warn: write, error: write } };
}

function told(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return [value.message, value.stack, Object.entries(value), value.cause];
}
