/** The schemas of crds/ and a real API server judge each resource alike. */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import fc from 'fast-check';
import type { z } from 'zod';
import { DEFINITIONS } from '#crds/kinds-and-columns.ts';
import { MemoryTenantStatus } from '#crds/status.ts';
import { structuralSchema, type StructuralSchema } from '#crds/structural-schema.ts';
import { TIME_ZONES } from '#crds/cron-fields.ts';
import { refusedChange, type Resource } from '#crds/immutable-fields.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { EXAMPLES, resourceOf, type Kind } from './resource-examples.ts';
import { TRANSITIONS } from './resource-transitions.ts';
import { openResourceServer, type ResourceServer } from './resource-server.ts';
import { parse } from 'yaml';
import { API_VERSION } from '#crds/metadata.ts';

/** Each is one request; more of them, and another seed, are worth a night. */
const RANDOM_RESOURCES = 60;
const SEED = 6;

function schemaOf(kind: Kind): z.ZodType {
  const found = DEFINITIONS.find(({ type }) => type.kind === kind);
  if (found === undefined) throw new Error(`There is no kind ${kind}.`);
  return found.schema;
}

describeUnless(await missingForKubernetes())('resources on a real API server', () => {
  let cluster: TestKubernetes;
  let server: ResourceServer;
  let namespace: string;
  /** Where resources are kept; the others are only shown to the server. */
  let stored: string;
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    server = await openResourceServer(cluster);
    namespace = await cluster.createNamespace();
    stored = await cluster.createNamespace();
  });
  afterAll(async () => {
    server[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  });

  test.each(EXAMPLES.map((example) => [example.what, example] as const))(
    'folder and cluster agree on %s',
    async (_, example) => {
      const resource = resourceOf(example);
      const { isAccepted, message } = await server.create(namespace, resource);
      const isExpected = example.refusal === undefined;
      expect(message).toMatch(example.refusal ?? /^$/);
      expect(isAccepted).toBe(isExpected);
      expect(schemaOf(example.kind).safeParse(resource).success).toBe(isExpected);
    },
  );

  test.each(TRANSITIONS.map((transition, index) => [transition.what, transition, index] as const))(
    'folder and cluster agree on a change to %s',
    async (_, { kind, before, after, refusal, name }, index) => {
      const metadata = { name: name ?? `changed-${String(index)}` };
      const [old, changed] = [before, after].map((spec) =>
        resourceOf({ kind, what: '', spec, metadata }),
      ) as [object, object];
      const input = JSON.stringify(old);
      const made = await cluster.kubectl(
        ['create', '--filename=-', `--namespace=${stored}`, '--output=json'],
        { input },
      );
      expect(made.stderr).toBe('');
      const { metadata: kept } = JSON.parse(made.stdout) as { metadata: object };
      const verdict = await server.replace(stored, { ...changed, metadata: kept });
      expect(verdict.message).toMatch(refusal ?? /^$/);
      expect(verdict.isAccepted).toBe(refusal === undefined);
      const [oldRead, changedRead] = [old, changed].map((one) => schemaOf(kind).parse(one)) as [
        Resource,
        Resource,
      ];
      expect(refusedChange(oldRead, changedRead) === null).toBe(refusal === undefined);
    },
  );

  test.each(DEFINITIONS.map((definition) => [definition.type.kind, definition] as const))(
    'folder and cluster agree on random resources of kind %s',
    async (kind, { schema }) => {
      const resources = resourceArbitrary(kind, structuralSchema(schema.shape.spec));
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(resources, async (resource) => {
          const { isAccepted, message } = await server.create(namespace, resource);
          const isRead = schema.safeParse(resource).success;
          if (isRead) accepted += 1;
          expect({ isAccepted, message }).toMatchObject({ isAccepted: isRead });
        }),
        { numRuns: RANDOM_RESOURCES, seed: SEED },
      );
      // Neither all good nor all bad, or it would say little.
      expect(accepted).toBeGreaterThan(0);
      expect(accepted).toBeLessThan(RANDOM_RESOURCES);
    },
  );

  test('a cluster accepts every time zone that a folder accepts', async () => {
    const refused: string[] = [];
    for (const timeZone of TIME_ZONES) {
      const spec = { tenantRef: { name: 'acme' }, cron: '0 3 * * *', timeZone };
      const resource = resourceOf({ kind: 'DeepDream', what: '', spec });
      if (!(await server.create(namespace, resource)).isAccepted) refused.push(timeZone);
    }
    expect(refused).toEqual([]);
  });

  test('a cluster accepts the Kubernetes examples unchanged', async () => {
    const examples = path.resolve(import.meta.dirname, '../../examples/kubernetes');
    const flags = ['--dry-run=server', '--validate=strict', `--namespace=${namespace}`];
    const applied = await cluster.kubectl(['apply', `--filename=${examples}`, ...flags]);
    expect(applied).toMatchObject({ stderr: '', status: 0 });
  });

  test('kubectl get shows whether it works, since when, and what it costs', async () => {
    const resource = resourceOf({
      kind: 'MemoryTenant',
      what: '',
      spec: {},
      metadata: { name: 'shown' },
    });
    const scope = `--namespace=${stored}`;
    await cluster.kubectl(['create', '--filename=-', scope], { input: JSON.stringify(resource) });
    const status = MemoryTenantStatus.parse({
      observedGeneration: 1,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'BudgetExhausted',
          message: 'The budget of the month is used up.',
        },
      ],
      tenantId: 'shown',
      policy: { generation: 1, hash: 'a' },
      freshness: { fresh: 12, stale: 2, summary: '12/14' },
      budget: {
        period: '2026-01',
        usedTokens: 5,
        usedDollars: '3.20',
        summary: '$3.20 of $25.00',
      },
      nextRefreshTime: '2030-01-01T00:00:00Z',
      lastError: { code: 'BUDGET_EXHAUSTED', message: 'The budget of the month is used up.' },
    });
    const patch = `--patch=${JSON.stringify({ status })}`;
    const patched = ['patch', 'mt/shown', '--subresource=status', '--type=merge', patch, scope];
    expect(await cluster.kubectl(patched)).toMatchObject({ status: 0 });
    const { stdout } = await cluster.kubectl(['get', 'mt', 'shown', scope]);
    const [head = '', row = ''] = stdout.split('\n');
    expect(head.split(/ {2,}/u)).toEqual(
      ['NAME', 'TENANT', 'READY', 'SINCE', 'REASON', 'FRESH', 'BUDGET', 'LAST', 'NEXT'].concat(
        'LAST ERROR',
        'AGE',
      ),
    );
    const shown = ['False', 'BudgetExhausted', '12/14', '$3.20 of $25.00', '2030-01-01T00:00:00Z'];
    for (const text of [...shown, 'BUDGET_EXHAUSTED']) expect(row).toContain(text);
    const all = await cluster.kubectl(['get', 'varve', scope]);
    expect(all.stdout).toContain('memorytenant.memory.varve.dev/shown');
  });

  test('kubectl explain documents a field', async () => {
    const explained = await cluster.kubectl(['explain', 'lsp.spec.updateInterval']);
    expect(explained.stdout.replaceAll(/\s+/gu, ' ')).toContain(
      'How long after the last refresh a changed scope is due again. ' +
        'Expected: a duration of 1s to 366d, such as 30s, 5m, 1h30m or 7d. Example: 30m',
    );
  });

  test('a folder refuses a null field, and a cluster treats it as absent', async () => {
    const resource = resourceOf({ kind: 'MemoryTenant', what: '', spec: { budget: null } });
    expect(await server.create(namespace, resource)).toMatchObject({ isAccepted: true });
    expect(schemaOf('MemoryTenant').safeParse(resource).success).toBe(false);
  });
});

/** Of which most are right for some field and wrong for the others. */
const TEXTS = [
  ...['', '0', '5', '-1', '1.5', '25.00', '10000', '10000.1', '0.0000001', '999999999.999999'],
  ...['0s', '999ms', '1s', '5m', '1h30m', '90m', '7d', '366d', '367d', '1m1h', '5 min', '9999999d'],
  ...['acme', 'Acme', 'a.b', 'a..b', '-a', 'a/b', '*', 'extractive', 'ä', '😀', 'a b', 'a\nb'],
  ...['UTC', 'Asia/Tokyo', 'Asia/Tokio', 'utc', '0 3 * * *', '*/5 1-2 1 JAN SUN', '5-1 * * * *'],
  ...[
    'http://a',
    'https://a.b:1/c',
    'https://a@b',
    'http://1.2.3.4',
    'http://1.2.3',
    'http://[::1]',
  ],
];
const LIST_MAX = 3;
const NOW_AND_THEN = 12;

/** A resource of a kind, good or bad, by the schema of its spec. */
function resourceArbitrary(kind: string, spec: StructuralSchema): fc.Arbitrary<object> {
  const metadata = { name: 'acme' };
  return valueOf(spec).map((value) => ({ apiVersion: API_VERSION, kind, metadata, spec: value }));
}

function valueOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const right = rightValueOf(schema);
  const wrong = fc.oneof(fc.constantFrom(...TEXTS), fc.integer(), fc.boolean(), fc.constant([]));
  return fc.oneof({ weight: NOW_AND_THEN * 4, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

function rightValueOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { type, items, properties = {} } = schema;
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return integerOf(schema);
  if (type === 'array') {
    return fc.array(valueOf(items as StructuralSchema), { maxLength: LIST_MAX });
  }
  if (type === 'object') return objectOf(schema, properties as Record<string, StructuralSchema>);
  const texts = fc.constantFrom(...TEXTS);
  const example = exampleOf(schema);
  if (example === null) return texts;
  return fc.oneof({ weight: 8, arbitrary: fc.constant(example) }, { weight: 1, arbitrary: texts });
}

function integerOf(schema: StructuralSchema): fc.Arbitrary<number> {
  const [min, max] = [Number(schema['minimum']), Number(schema['maximum'])];
  const edges = fc.constantFrom(min - 1, min, max, max + 1);
  const inside = fc.integer({ min, max: Math.min(max, min + 10_000) });
  return fc.oneof({ weight: 9, arbitrary: inside }, { weight: 1, arbitrary: edges });
}

function objectOf(
  schema: StructuralSchema,
  properties: Readonly<Record<string, StructuralSchema>>,
): fc.Arbitrary<object> {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries(properties).map(([name, field]) => {
    const absent = required.includes(name) ? 1 : NOW_AND_THEN;
    const present = fc.tuple(fc.constant(name), valueOf(field));
    return fc.oneof(
      { weight: NOW_AND_THEN * 2, arbitrary: present },
      { weight: absent, arbitrary: fc.constant(null) },
    );
  });
  const unknown = fc.oneof(
    { weight: NOW_AND_THEN * 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(['unknownField', 1] as const) },
  );
  return fc
    .tuple(fc.tuple(...fields), unknown)
    .map(([known, other]) =>
      Object.fromEntries([...known, other].filter((field) => field !== null)),
    );
}

/** The example that the documentation of a field shows. */
function exampleOf({ description }: StructuralSchema): string | null {
  const [, example] = / Example: (.*)$/u.exec(String(description)) ?? [];
  const value: unknown = example === undefined ? null : parse(example);
  return typeof value === 'string' ? value : null;
}
