import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelProvider } from '#core/records/model-provider-spec.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { PolicyModels } from '#core/records/policy.ts';
import { chooseModels, type AcceptedProvider } from '#operator/tenant/compile.ts';
import { endpoint, providedModel } from '#test/unit/cli/model-providers/provider-samples.ts';

const EVERYBODY = ['*'];

function accepted(
  name: string,
  createdAt: string,
  provider: Partial<ModelProvider> & Pick<ModelProvider, 'allowedNamespaces'>,
): AcceptedProvider {
  return { name, uid: `uid-of-${name}`, createdAt, provider: { ...provider } };
}

const of = (name: string, ...classes: ModelClass[]) => providedModel({ name, classes });
const openai = (...models: ReturnType<typeof of>[]) => endpoint({ models });

const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-02-01T00:00:00Z';
/** A second before OLD, and after it in the order of texts. */
const OLDEST = '2025-12-31T23:59:59Z';

const ALL = { openai: openai(of('large', 'standard'), of('small', 'economy')) };
const LARGE = { openai: openai(of('big', 'standard')) };

const FREE = { provider: 'free', model: 'extractive' };

const CASES: readonly [string, readonly AcceptedProvider[], PolicyModels | undefined][] = [
  ['no provider', [], undefined],
  [
    'none that allows it',
    [accepted('a', OLD, { ...ALL, allowedNamespaces: ['other'] })],
    undefined,
  ],
  ['one that allows nobody', [accepted('a', OLD, { ...ALL, allowedNamespaces: [] })], undefined],
  [
    'one that allows it by name',
    [accepted('a', OLD, { ...ALL, allowedNamespaces: ['other', 'team'] })],
    { standard: { provider: 'a', model: 'large' }, economy: { provider: 'a', model: 'small' } },
  ],
  [
    'one of one class',
    [accepted('a', OLD, { ...LARGE, allowedNamespaces: EVERYBODY })],
    { standard: { provider: 'a', model: 'big' }, economy: null },
  ],
  [
    'two of different age: the older for what it has',
    [
      accepted('a', NEW, { ...ALL, allowedNamespaces: EVERYBODY }),
      accepted('b', OLD, { ...LARGE, allowedNamespaces: EVERYBODY }),
    ],
    { standard: { provider: 'b', model: 'big' }, economy: { provider: 'a', model: 'small' } },
  ],
  [
    'an older one that does not allow it',
    [
      accepted('a', OLDEST, { ...LARGE, allowedNamespaces: ['other'] }),
      accepted('b', OLD, { ...ALL, allowedNamespaces: ['team'] }),
    ],
    { standard: { provider: 'b', model: 'large' }, economy: { provider: 'b', model: 'small' } },
  ],
  [
    'two made in one second: by uid',
    [
      accepted('b', OLD, { ...ALL, allowedNamespaces: EVERYBODY }),
      accepted('a', OLD, { ...LARGE, allowedNamespaces: EVERYBODY }),
    ],
    { standard: { provider: 'a', model: 'big' }, economy: { provider: 'b', model: 'small' } },
  ],
  [
    'the summarizer without a model',
    [accepted('plain', OLD, { extractive: {}, allowedNamespaces: EVERYBODY })],
    {
      standard: { provider: 'plain', model: 'extractive' },
      economy: { provider: 'plain', model: 'extractive' },
    },
  ],
  [
    'two models of one class: the first',
    [
      accepted('a', OLD, {
        openai: openai(of('one', 'standard'), of('two', 'standard', 'economy')),
        allowedNamespaces: EVERYBODY,
      }),
    ],
    { standard: { provider: 'a', model: 'one' }, economy: { provider: 'a', model: 'two' } },
  ],
];

describe('the models of a namespace', () => {
  test.each(CASES)('with %s', (_, providers, models) => {
    expect(chooseModels(providers, 'team')).toEqual(models);
  });

  test('do not depend on the order of the providers', () => {
    const providers = CASES.flatMap(([, each]) => each).map((each, index) => ({
      ...each,
      uid: `uid-${String(index)}`,
      name: `provider-${String(index)}`,
    }));
    const shuffled = fc.shuffledSubarray(providers, { minLength: providers.length });
    fc.assert(
      fc.property(shuffled, (other) => {
        expect(chooseModels(other, 'team')).toEqual(chooseModels(providers, 'team'));
      }),
    );
  });

  test.each<[string, readonly string[], PolicyModels | undefined]>([
    [
      'all of them',
      ['large', 'small', 'big'],
      { standard: { provider: 'a', model: 'large' }, economy: { provider: 'a', model: 'small' } },
    ],
    [
      'a younger one of them',
      ['big', 'small'],
      { standard: { provider: 'b', model: 'big' }, economy: { provider: 'a', model: 'small' } },
    ],
    ['none of them', ['other'], { standard: FREE, economy: FREE }],
  ])('of models that the platform allows: %s', (_, allowed, models) => {
    const providers = [
      accepted('a', OLDEST, { ...ALL, allowedNamespaces: EVERYBODY }),
      accepted('b', OLD, { ...LARGE, allowedNamespaces: EVERYBODY }),
      accepted('free', NEW, { extractive: {}, allowedNamespaces: EVERYBODY }),
    ];
    expect(chooseModels(providers, 'team', allowed)).toEqual(models);
  });
});
