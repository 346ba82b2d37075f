/** Whether the definitions take what those of the release before took, and how that is seen. */
import { expect, test } from 'vitest';
import {
  currentDefinitions,
  earlierDefinitions,
  type Definition,
} from '../../kubernetes/chart-earlier-definitions.ts';
import { tightenings } from './tightenings.ts';

/** What takes less than before, each with the reason why nobody can have relied on it. */
const ALLOWED: Readonly<Record<string, string>> = {};

const earlier = earlierDefinitions();

type Field = Record<string, unknown>;

/** The same definitions but for one place below the spec of one kind. */
function changed(kind: string, at: readonly string[], change: (field: Field) => void) {
  const copies = structuredClone(earlier);
  for (const definition of copies) {
    if (definition.spec.names.kind !== kind) continue;
    change(fieldAt(definition, at));
  }
  return tightenings(earlier, copies);
}

function fieldAt({ spec }: Definition, at: readonly string[]): Field {
  const schema = spec.versions[0]?.schema.openAPIV3Schema ?? {};
  return at.reduce<Field>((node, key) => node[key] as Field, schema);
}

const spec = (...names: readonly string[]) =>
  ['properties', 'spec', ...names.flatMap((name) => ['properties', name])] as const;
const set = (key: string, value: unknown) => (field: Field) => {
  field[key] = value;
};
const gone = (key: string) => (field: Field) => {
  Reflect.deleteProperty(field, key);
};
const rule = { rule: 'self.size() > 3', message: 'longer' };

test('K8S-05: nothing that there was is gone, and nothing takes less, without a reason', () => {
  const found = tightenings(earlier, currentDefinitions());
  expect(found.filter((finding) => ALLOWED[finding] === undefined)).toEqual([]);
  // A reason for what is no difference any more is to go.
  expect(Object.keys(ALLOWED).filter((finding) => !found.includes(finding))).toEqual([]);
});

test('K8S-05: the same definitions take the same', () => {
  expect(tightenings(earlier, structuredClone(earlier))).toEqual([]);
});

test.each<[string, string, readonly string[], (field: Field) => void, string]>([
  ['a lower maximum', 'MemoryTenant', spec('context', 'maxTokens'), set('maximum', 9), 'maximum 9'],
  ['a higher minimum', 'MemoryTenant', spec('context', 'maxTokens'), set('minimum', 2), 'minimum'],
  ['a shorter text', 'DeepDream', spec('cron'), set('maxLength', 127), 'maxLength 127, was 128'],
  ['a new least length', 'DeepDream', spec('cron'), set('minLength', 9), 'minLength 9, was none'],
  ['a shorter list', 'DeepDream', spec('subjects', 'users'), set('maxItems', 999), 'maxItems 999'],
  ['a value less', 'MemoryTenant', spec('reclaimPolicy'), set('enum', ['Erase']), 'enum'],
  ['values where any was', 'DeepDream', spec('timeZone'), set('enum', ['UTC']), 'enum'],
  [
    'a field more to give',
    'DeepDream',
    spec(),
    set('required', ['tenantRef', 'cron', 'guards']),
    'required',
  ],
  ['one where none was', 'MemoryTenant', spec('budget'), set('required', ['tokens']), 'required'],
  ['a rule', 'DeepDream', spec('cron'), set('x-kubernetes-validations', [rule]), 'x-kubernetes'],
  ['another default', 'MemoryTenant', spec('context', 'maxTokens'), set('default', 9), 'default'],
  ['another type', 'MemoryTenant', spec('context', 'maxTokens'), set('type', 'string'), 'type'],
  ['a pattern', 'DeepDream', spec('cron'), set('pattern', '^a'), 'pattern'],
  [
    'no item twice',
    'DeepDream',
    [...spec('subjects', 'users'), 'items'],
    set('format', 'uri'),
    'format',
  ],
  [
    'a field that is gone',
    'DeepDream',
    ['properties', 'spec', 'properties'],
    gone('cron'),
    'is gone',
  ],
])('K8S-05: %s is seen', (...row) => {
  const [, kind, at, change, words] = row;
  expect(changed(kind, at, change)).toEqual([expect.stringContaining(words)]);
});

test.each<[string, string, readonly string[], (field: Field) => void]>([
  ['a higher maximum', 'MemoryTenant', spec('context', 'maxTokens'), set('maximum', 2_000_000)],
  ['no maximum', 'MemoryTenant', spec('context', 'maxTokens'), gone('maximum')],
  ['a longer text', 'DeepDream', spec('cron'), set('maxLength', 129)],
  ['a value more', 'MemoryTenant', spec('reclaimPolicy'), set('enum', ['Erase', 'Retain', 'Keep'])],
  ['fewer rules', 'DeepDream', spec('cron'), gone('x-kubernetes-validations')],
  ['a field less to give', 'DeepDream', spec(), set('required', ['tenantRef'])],
  [
    'a field more',
    'DeepDream',
    ['properties', 'spec', 'properties'],
    set('more', { type: 'string' }),
  ],
  ['other words', 'DeepDream', spec('cron'), set('description', 'When.')],
])('K8S-05: %s takes no less', (...row) => {
  const [, kind, at, change] = row;
  expect(changed(kind, at, change)).toEqual([]);
});

test('K8S-05: a version that is not served any more is seen', () => {
  const copies = structuredClone(earlier);
  for (const version of copies[0]?.spec.versions ?? []) version.served = false;
  expect(tightenings(earlier, copies)).toEqual(['DeepDream v1alpha1: is not served any more']);
  expect(tightenings(earlier, copies.slice(1))).toHaveLength(1);
});
