/** DeepDreams in their tenant's policy: what is compiled, and how changes are described. */
import { describe, expect, test } from 'vitest';
import { DREAMS_PER_TENANT_MAX, type DreamPolicy } from '#core/records/dream-policy.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { TenantPolicy } from '#core/records/policy.ts';
import { readResources } from '#crds/read-resources.ts';
import { PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import {
  desiredDreams,
  type SeenDream,
  compileResources,
} from '#operator/tenant/compile-policy.ts';
import { describeChanges, policyHash } from '#operator/tenant/policy-changes.ts';
import { DeepDream } from '#crds/deep-dream.ts';
import { readObject } from '#crds/read-object.ts';
import { deepDream, documents, file, problemsIn, tenant } from '../crds/policy-files.ts';
import { dreamObject, observation, planOf, recordOf, tenantObject } from './cluster/resources.ts';
import { digest } from './policy-store.ts';

const ACME = tenant('{}');
const NIGHTLY: DreamPolicy = {
  name: 'nightly',
  agents: ['*'],
  users: ['*'],
  cron: '30 3 * * *',
  timeZone: 'UTC',
  lookbackDays: 1,
  approval: 'Automatic',
  removedLinesPercentMax: 30,
  addedLinesMax: 100,
  modelClass: 'standard',
};

function compiled(...texts: readonly string[]): TenantPolicy {
  const [first] = compileResources(readResources([file('a.yaml', documents(...texts))]), 'folder');
  // Parsed, so that every test also shows that the workers could read the policy.
  return TenantPolicy.parse(first?.policy);
}

describe('compiled dreams', () => {
  test('have the defaults if only the schedule is set', () => {
    expect(compiled(ACME, deepDream('{}')).dreams).toEqual([NIGHTLY]);
  });

  test('have every field that is set', () => {
    const text = deepDream(
      [
        'subjects: { agents: [scout], users: [dana, eve] }',
        'cron: 0 4 * * MON-FRI',
        'timeZone: Europe/Berlin',
        'lookbackDays: 7',
        'approval: Required',
        'guards: { removedLinesPercentMax: 5, addedLinesMax: 6 }',
        'modelClass: economy',
      ].join('\n'),
    );
    expect(compiled(ACME, text).dreams).toEqual([
      {
        name: 'nightly',
        agents: ['scout'],
        users: ['dana', 'eve'],
        cron: '0 4 * * MON-FRI',
        timeZone: 'Europe/Berlin',
        lookbackDays: 7,
        approval: 'Required',
        removedLinesPercentMax: 5,
        addedLinesMax: 6,
        modelClass: 'economy',
      },
    ]);
  });

  test('are sorted by name, whatever the order of the files', () => {
    const dreams = ['c', 'a', 'b'].map((name) => deepDream('{}', name));
    const { dreams: listed = [] } = compiled(ACME, ...dreams);
    expect(listed.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(compiled(ACME, ...dreams.toReversed())).toEqual(compiled(ACME, ...dreams));
  });

  test('leave the policy and its hash unchanged if there are none', () => {
    expect(policyHash(digest, compiled(ACME))).toBe(policyHash(digest, defaultPolicy('acme')));
  });

  test('do not include those of another tenant or namespace', () => {
    const [other, elsewhere] = [
      tenant('{}', 'beta'),
      tenant('tenantId: inbox').replace('name: acme', INBOX),
    ];
    const foreign = deepDream('{}').replace('name: nightly', 'name: nightly\n  namespace: inbox');
    expect(
      compiled(ACME, other, deepDream('{}').replace('{ name: acme }', '{ name: beta }')),
    ).toEqual(defaultPolicy('acme'));
    expect(compiled(ACME, elsewhere, foreign)).toEqual(defaultPolicy('acme'));
  });

  test('are refused if a tenant has more than allowed', () => {
    const many = Array.from({ length: DREAMS_PER_TENANT_MAX + 1 }, (_, at) =>
      deepDream('{}', `dream-${at}`),
    );
    expect(compiled(ACME, ...many.slice(1)).dreams).toHaveLength(DREAMS_PER_TENANT_MAX);
    const problems = problemsIn(documents(ACME, ...many));
    expect(problems).toMatchObject([{ path: 'metadata.name' }]);
    expect(problems[0]?.expected).toContain(`at most ${DREAMS_PER_TENANT_MAX} DeepDreams`);
  });
});

const INBOX = 'name: acme\n  namespace: inbox';

function seen(spec: object = {}, written: Parameters<typeof dreamObject>[1] = {}): SeenDream {
  const object = dreamObject(spec, written);
  return { object, reading: readObject(object, DeepDream) };
}

const PAUSED = { annotations: { [PAUSED_ANNOTATION]: 'true' } };
const LAST = [{ ...NIGHTLY, cron: '0 1 * * *' }];

describe('the dreams of a tenant in a cluster', () => {
  test.each<[string, readonly SeenDream[], readonly DreamPolicy[], readonly string[]]>([
    ['include a valid one', [seen()], LAST, ['nightly 30 3 * * *']],
    ['keep an invalid one as last applied', [seen({ cron: 'soon' })], LAST, ['nightly 0 1 * * *']],
    ['keep a paused one as last applied', [seen({}, PAUSED)], LAST, ['nightly 0 1 * * *']],
    ['omit an invalid one never applied', [seen({ cron: 'soon' })], [], []],
    ['omit a paused one never applied', [seen({}, PAUSED)], [], []],
    ['drop a deleted one', [], LAST, []],
    [
      'are judged one by one',
      [seen({}, { name: 'weekly' }), seen({ cron: 'soon' })],
      LAST,
      ['nightly 0 1 * * *', 'weekly 30 3 * * *'],
    ],
  ])('%s', (_, dreams, last, expected) => {
    const wanted = desiredDreams(dreams, last).map(({ name, cron }) => `${name} ${cron}`);
    expect(wanted.toSorted()).toEqual(expected);
  });

  test('are the oldest ones if there are too many', () => {
    const dreams = Array.from({ length: DREAMS_PER_TENANT_MAX + 2 }, (_, at) => {
      const createdAt = new Date(Date.UTC(2026, 0, 1) - at * 1_000).toISOString();
      return seen({}, { name: `dream-${at}`, createdAt });
    });
    const names = desiredDreams(dreams, []).map(({ name }) => name);
    expect(names).toHaveLength(DREAMS_PER_TENANT_MAX);
    expect(names).not.toContain('dream-0');
    expect(names).not.toContain('dream-1');
  });

  test('are planned, are kept while invalid, and are not inherited from another owner', () => {
    const dreams = [seen()];
    const record = recordOf(observation(tenantObject(), { dreams }));
    expect(record.policy.dreams).toEqual([NIGHTLY]);
    const broken = { dreams: [seen({ cron: 'soon' })], record };
    expect(planOf(observation(tenantObject(), broken))).toMatchObject({ kind: 'Keep' });
    const owner = { ...record.owner, uid: 'another' };
    const taken = { ...broken, record: { ...record, owner }, isOwnerGone: true };
    const plan = planOf(observation(tenantObject(), taken));
    expect(plan).toMatchObject({ kind: 'Apply' });
    expect(plan).not.toHaveProperty('policy.dreams');
  });
});

const having = (...dreams: readonly DreamPolicy[]): TenantPolicy => {
  return { ...defaultPolicy('acme'), dreams: [...dreams] };
};
const ofUsers = (...users: string[]): TenantPolicy => having({ ...NIGHTLY, users });

describe('the description of a change of dreams', () => {
  test.each<[string, TenantPolicy, TenantPolicy, string]>([
    ['for a new dream', having(), having(NIGHTLY), 'dreams.nightly none → 30 3 * * * UTC'],
    ['for a removed dream', having(NIGHTLY), having(), 'dreams.nightly 30 3 * * * UTC → none'],
    [
      'for another schedule',
      having(NIGHTLY),
      having({ ...NIGHTLY, cron: '0 4 * * *', lookbackDays: 2 }),
      'dreams.nightly.cron 30 3 * * * → 0 4 * * *; dreams.nightly.lookbackDays 1 → 2',
    ],
    ['for fewer users', ofUsers('*'), ofUsers('dana', 'eve'), 'dreams.nightly.users all → 2'],
    ['for other users', ofUsers('dana'), ofUsers('eve'), 'dreams.nightly.users 1 → others'],
    ['for no change', having(NIGHTLY), having(NIGHTLY), ''],
  ])('%s', (_, before, after, expected) => {
    expect(describeChanges(before, after)).toBe(expected);
  });

  test('names no subject', () => {
    const said = describeChanges(ofUsers('dana'), ofUsers('eve', 'mallory'));
    expect(said).not.toMatch(/dana|eve|mallory/u);
  });
});
