/** Policies as they would be compiled where the resources are applied. Pure. */
import type { ModelProvider } from '#core/model-provider.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { Resources } from '#crds/read-resources.ts';
import { chooseModels, type AcceptedProvider } from '#operator/compile-models.ts';
import { compileProvider } from '#operator/compile-provider.ts';
import type { DesiredPolicy } from '#operator/compile.ts';

/** ModelProviders by name: those of the store, and above them those of the files. */
export function providersOf(
  { providers }: Pick<Resources, 'providers'>,
  records: readonly ModelProviderRecord[],
): ReadonlyMap<string, AcceptedProvider> {
  const stored = records.map(({ name, owner, provider, appliedAt }): AcceptedProvider => {
    const createdAt = new Date(appliedAt).toISOString();
    return { name, uid: owner.uid, createdAt, provider };
  });
  const known = new Map(stored.map((one) => [one.name, one]));
  for (const resource of providers) {
    const { name } = resource.metadata;
    const old = known.get(name);
    const { uid, createdAt } = old ?? { uid: name, createdAt: UNBORN };
    known.set(name, { name, uid, createdAt, provider: compileProvider(resource) });
  }
  return known;
}

/**
 * The policy with the models it would get. Where no file speaks of models, they stay those of the
 * policy in the store: its operator chose them, and a folder chooses none.
 */
export function withModels(
  desired: DesiredPolicy,
  record: PolicyRecord | null,
  {
    providers,
    isChosenAnew,
  }: {
    readonly providers: ReadonlyMap<string, AcceptedProvider>;
    readonly isChosenAnew: boolean;
  },
): DesiredPolicy {
  const { owner, policy } = desired;
  const models =
    record !== null && !isChosenAnew
      ? record.policy.models
      : chooseModels([...providers.values()], owner.namespace);
  return models === undefined ? desired : { owner, policy: { ...policy, models } };
}

export function compiledProviders(
  providers: ReadonlyMap<string, AcceptedProvider>,
): ReadonlyMap<string, ModelProvider> {
  return new Map([...providers].map(([name, { provider }]) => [name, provider]));
}

/** Later than any provider that is there: the older one serves. */
const UNBORN = '9999-12-31T23:59:59Z';
