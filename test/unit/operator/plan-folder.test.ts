import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#core/hash.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import type { Metadata } from '#crds/metadata.ts';
import { readResources, type Resources } from '#crds/read-resources.ts';
import { planFolder, type Action } from '#operator/folder/plan-folder.ts';
import {
  removedAfterRead,
  removedWithout,
  type RemovedResources,
} from '#operator/folder/removed-resources.ts';
import { compileResources } from '#operator/tenant/compile-policy.ts';
import { policyHash } from '#operator/tenant/policy-changes.ts';
import { documents, file, layerPolicy, tenant } from '../crds/policy-files.ts';
import { digest, NOW } from './policy-store.ts';

const CLUSTER = 'folder';
const MOMENT = {
  cluster: CLUSTER,
  releaseNamespace: 'default',
  now: NOW,
  digest,
  enforcedHash: () => null,
};

function desired(...texts: readonly string[]): Resources {
  return readResources([file('tenant.yaml', documents(...texts))]);
}

function stored(text: string, owner: Partial<PolicyRecord['owner']> = {}): PolicyRecord {
  const [first] = compileResources(desired(text), CLUSTER);
  if (first === undefined) throw new Error('The text declares no tenant.');
  const { policy } = first;
  return {
    tenant: policy.tenant,
    owner: { ...first.owner, ...owner },
    generation: 1,
    hash: policyHash(digest, policy),
    policy,
    appliedAt: NOW,
    epoch: 0,
    releasedAt: null,
  };
}

function plan(resources: Resources, policies: readonly PolicyRecord[]): readonly Action[] {
  const nothing = {
    removed: new Map(),
    removedProviders: new Map(),
    providers: [],
    mayErase: true,
  };
  return planFolder({ resources, policies, ...nothing }, MOMENT).tenants;
}

/** What is planned for the resource, without what was seen of it. */
function planOf(action: Action | undefined): object {
  return action?.kind === 'Declared' ? { ...action.plan, seen: action.tenant } : { ...action };
}

const ACME = tenant('{}');

describe('the plan', () => {
  test('applies a tenant that the store does not know as new', () => {
    const [action] = plan(desired(ACME), []);
    const owner = { cluster: 'folder', namespace: 'default', name: 'acme' };
    const wanted = { kind: 'Apply', tenant: 'acme', reason: 'New', expectedGeneration: null };
    expect(planOf(action)).toMatchObject({ ...wanted, owner });
  });

  test('keeps an equal policy, however its YAML is written', () => {
    const same = tenant('refresh: { urgentDebounce: 15000ms, batchWindow: 300s }');
    const [action] = plan(desired(same), [stored(ACME)]);
    expect(planOf(action)).toMatchObject({ kind: 'Keep', tenant: 'acme' });
  });

  test.each([
    ['budget: { dollars: "25.50" }', 'budget.dollars none → 25.50'],
    ['budget: { tokens: 5 }', 'budget.tokens none → 5'],
    ['refresh: { urgentDebounce: 1s }', 'refresh.urgentDebounce 15s → 1s'],
    ['retention: { transcriptDays: 7 }', 'retention.transcriptDays 30 → 7'],
    ['retention: { auditDays: 365 }', 'retention.auditDays none → 365'],
    ['sessions: { endAfterSilence: 2h }', 'sessions.endAfterSilence none → 2h'],
    ['extraction: { by: Model }', 'extraction.modelClass none → economy'],
    ['extraction: { layers: { Lesson: user } }', 'extraction.layers.Lesson none → user'],
    ['grounding: { verify: economy }', 'grounding.verify none → economy'],
    [
      'hierarchy: { projects: [{ id: checkout, team: payments }] }',
      'hierarchy.teamOfProject.checkout none → payments',
    ],
  ])('after "%s" gives the reason %s', (spec, change) => {
    const [action] = plan(desired(tenant(spec)), [stored(ACME)]);
    expect(planOf(action)).toMatchObject({ kind: 'Apply', reason: `Changed: ${change}` });
  });

  test('names a changed layer policy by layer and field', () => {
    const changed = layerPolicy('layer: team\nupdateOnChanges: 3\ndepths: [sentence]');
    const [action] = plan(desired(ACME, changed), [stored(ACME)]);
    expect(planOf(action)).toMatchObject({
      reason:
        'Changed: layers.team.depths [sentence, paragraph, detailed] → [sentence]; ' +
        'layers.team.updateOnChanges 5 → 3',
    });
  });

  test('POLICY-20: truncates a long list of changes and counts the rest', () => {
    const projects = Array.from({ length: 50 }, (_, at) => `{ id: p${at}, team: t }`).join(', ');
    const many = tenant(`hierarchy: { projects: [${projects}] }`);
    const [action] = plan(desired(many), [stored(ACME)]);
    expect(planOf(action)).toMatchObject({
      reason: expect.stringMatching(/; and 40 more$/) as string,
    });
  });

  test.each([
    ['another cluster', { cluster: 'production' }],
    ['another resource of the folder', { name: 'other', uid: 'folder/default/other' }],
  ])('refuses a tenant owned by %s', (_, owner) => {
    const [action] = plan(desired(tenant('budget: { tokens: 5 }')), [stored(ACME, owner)]);
    expect(planOf(action)).toMatchObject({ kind: 'Claimed', owner });
  });

  test.each([
    [{ namespace: 'default', name: 'other' }, 'Apply'],
    [{ namespace: 'team-b' }, 'Claimed'],
    [{ cluster: 'production' }, 'Claimed'],
  ])('for a tenant that %j released is %s', (owner, kind) => {
    const record = { ...stored(ACME, { ...owner, uid: 'another' }), releasedAt: NOW };
    expect(planOf(plan(desired(ACME), [record])[0])).toMatchObject({ kind });
  });

  test('POLICY-21: lists a tenant no longer declared as an orphan, but not those of others', () => {
    const beta = tenant('{}', 'beta');
    const foreign = stored(tenant('{}', 'gamma'), { cluster: 'production' });
    const actions = plan(desired(ACME), [stored(ACME), stored(beta), foreign]);
    expect(actions.map(({ kind, tenant: id }) => [kind, id])).toEqual([
      ['Declared', 'acme'],
      ['Orphan', 'beta'],
    ]);
  });

  test('POLICY-22: relies on a hash that ignores the order of fields, but not of list items', () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe(
      canonicalJson({ a: { c: 'x', d: null }, b: [2, 1] }),
    );
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});

interface Named {
  readonly metadata: Metadata;
}

const NAMES = ['a', 'b', 'c', 'd'];
const folder = fc.subarray(NAMES);
const named = (names: readonly string[]): readonly Named[] =>
  names.map((name) => ({ metadata: { name } }));

describe('the resources removed from a folder', () => {
  test('are exactly those seen before and missing now, since first missed', () => {
    fc.assert(
      fc.property(fc.array(folder, { minLength: 1, maxLength: 12 }), (looks) => {
        let removed: RemovedResources<Named> = new Map();
        const missedAt = new Map<string, number>();
        let [before, seen]: [readonly string[], ReadonlySet<string>] = [[], new Set()];
        for (const [at, now] of looks.entries()) {
          removed = removedAfterRead(removed, { before: named(before), now: named(now) }, at);
          for (const name of now) missedAt.delete(name);
          for (const name of NAMES) {
            const isMissed = seen.has(name) && !now.includes(name) && !missedAt.has(name);
            if (isMissed) missedAt.set(name, at);
          }
          [before, seen] = [now, seen.union(new Set(now))];
          const found = [...removed].map(([key, { removedAt }]) => [key, removedAt] as const);
          const expected = [...missedAt].map(([name, time]) => [`default/${name}`, time] as const);
          expect(new Map(found)).toEqual(new Map(expected));
        }
      }),
    );
  });

  test('do not include a released tenant again', () => {
    const [a, b] = [named(['a', 'b']), named(['b'])];
    const removed = removedAfterRead(new Map(), { before: a, now: b }, 1);
    const rest = removedWithout(removed, ['default/a']);
    expect([removed.size, rest.size]).toEqual([1, 0]);
    expect(removedAfterRead(rest, { before: b, now: b }, 2).size).toBe(0);
  });
});
