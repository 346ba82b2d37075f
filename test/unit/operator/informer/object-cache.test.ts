/** The cache of one kind: which events count, which come too late, and what it hands out. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { TenantViews } from '#operator/cluster/resource-lister.ts';
import {
  createObjectCache,
  compareVersions,
  SharedValues,
} from '#operator/informer/object-cache.ts';
import { ownerOf } from '../../../conformance/samples.ts';
import { noteOf } from './object-server.ts';

const PLACE = { namespace: 'a', name: 'note' };
const note = (version: string, text = version) => noteOf({ name: 'note', version, text });

describe('versions', () => {
  test.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['340282366920938463463374607431768211455', '340282366920938463463374607431768211454', 1],
    ['01', '1', null],
    ['', '1', null],
    ['abc', '1', null],
    ['-1', '1', null],
    [undefined, '1', null],
  ] as const)('%s compared to %s', (a, b, order) => {
    const found = compareVersions(a, b);
    expect(found === null ? null : Math.sign(found)).toBe(order);
  });

  test('are ordered as numbers of any length', () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 128n - 1n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = a === b ? 0 : a < b ? -1 : 1;
        expect(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN)).toBe(order);
      }),
    );
  });
});

describe('the events of one object', () => {
  interface Row {
    readonly name: string;
    readonly events: readonly (readonly ['put' | 'remove', string])[];
    /** The version held in the end. */
    readonly held: string | null;
    /** How many of the events told something new. */
    readonly told: number;
  }
  const ROWS: readonly Row[] = [
    { name: 'two in order', events: [put('6'), put('7')], held: '7', told: 2 },
    { name: 'the same one twice', events: [put('6'), put('6')], held: '6', told: 1 },
    { name: 'an older one that comes late', events: [put('7'), put('6')], held: '7', told: 1 },
    { name: 'version ten after nine', events: [put('9'), put('10')], held: '10', told: 2 },
    { name: 'a deletion', events: [put('6'), remove('7')], held: null, told: 2 },
    { name: 'a deletion twice', events: [put('6'), remove('7'), remove('7')], held: null, told: 2 },
    {
      name: 'a change that comes after the deletion',
      events: [put('6'), remove('8'), put('7')],
      held: null,
      told: 2,
    },
    {
      name: 'a deletion that comes before its object',
      events: [remove('7'), put('6')],
      held: null,
      told: 0,
    },
    {
      name: 'a deletion that comes after the next object of the same name',
      events: [put('6'), put('9'), remove('8')],
      held: '9',
      told: 2,
    },
    {
      name: 'the next object of the same name',
      events: [put('6'), remove('7'), put('8')],
      held: '8',
      told: 3,
    },
    { name: 'events older than the list', events: [put('4'), remove('5')], held: null, told: 0 },
    {
      name: 'versions without an order, of which the last counts',
      events: [put('b'), put('a')],
      held: 'a',
      told: 2,
    },
  ];
  test.each(ROWS)('$name', ({ events, held, told }) => {
    const cache = createObjectCache();
    cache.replace([], '5');
    const changes = events.map(([act, version]) => cache[act](note(version)));
    expect(cache.get(PLACE)?.metadata.resourceVersion ?? null).toBe(held);
    expect(changes.filter((change) => change !== null)).toHaveLength(told);
  });

  test('a list replaces everything and reports each changed object', () => {
    const cache = createObjectCache();
    cache.replace(
      [noteOf({ name: 'kept', version: '1' }), noteOf({ name: 'gone', version: '2' })],
      '3',
    );
    cache.put(noteOf({ name: 'changed', version: '4' }));
    const changes = cache.replace(
      [
        noteOf({ name: 'kept', version: '1' }),
        noteOf({ name: 'changed', version: '6' }),
        noteOf({ name: 'new', version: '7' }),
      ],
      '7',
    );
    const told = changes.map((change) => [
      (change.new ?? change.old)?.metadata.name,
      change.old?.metadata.resourceVersion ?? null,
      change.new?.metadata.resourceVersion ?? null,
    ]);
    expect(told).toEqual([
      ['gone', '2', null],
      ['changed', '4', '6'],
      ['new', null, '7'],
    ]);
  });

  test('an older state is accepted from a server that was reset', () => {
    const cache = createObjectCache();
    cache.replace([note('90')], '100');
    cache.replace([note('40')], '50');
    expect(cache.get(PLACE)?.metadata.resourceVersion).toBe('40');
    cache.put(note('60'));
    expect(cache.get(PLACE)?.metadata.resourceVersion).toBe('60');
  });

  test('an object with the same name and another uid is reported with both', () => {
    const cache = createObjectCache();
    cache.replace([noteOf({ name: 'note', uid: 'one', version: '1' })], '1');
    const changes = cache.replace([noteOf({ name: 'note', uid: 'two', version: '3' })], '3');
    expect(changes.map((change) => [change.old?.metadata.uid, change.new?.metadata.uid])).toEqual([
      ['one', 'two'],
    ]);
  });
});

describe('the contents of the cache', () => {
  test('are read-only at every depth', () => {
    const cache = createObjectCache();
    const given = { ...note('1'), spec: { list: [{ deep: { deeper: 'text' } }] } };
    cache.put(given);
    const held = cache.get(PLACE) as KubernetesObject & typeof given;
    expect(() => {
      const [first] = held.spec.list;
      if (first !== undefined) first.deep.deeper = 'changed';
    }).toThrow(TypeError);
    expect(() => held.spec.list.push({ deep: { deeper: 'more' } })).toThrow(TypeError);
    expect(() => Object.assign(held.metadata, { name: 'other' })).toThrow(TypeError);
  });

  test('leave out what only the server and kubectl read', () => {
    const cache = createObjectCache();
    const copy = 'kubectl.kubernetes.io/last-applied-configuration';
    const metadata = {
      ...note('1').metadata,
      annotations: { mine: 'kept', [copy]: '{"spec":{}}' },
      managedFields: [{ manager: 'kubectl' }],
    };
    cache.put({ ...note('1'), metadata });
    expect(cache.get(PLACE)?.metadata).toEqual({
      ...note('1').metadata,
      annotations: { mine: 'kept' },
    });
  });

  test('follow every change in an index', () => {
    const words = (object: KubernetesObject) =>
      (object['spec'] as { text: string }).text.split(' ');
    const cache = createObjectCache({ words });
    const names = (value: string) =>
      cache
        .indexed('words', value)
        .map(({ metadata }) => metadata.name)
        .toSorted();
    cache.replace(
      [
        noteOf({ name: 'a', version: '1', text: 'red green' }),
        noteOf({ name: 'b', version: '2', text: 'red' }),
      ],
      '2',
    );
    expect([names('red'), names('green'), names('blue')]).toEqual([['a', 'b'], ['a'], []]);
    cache.put(noteOf({ name: 'a', version: '3', text: 'blue' }));
    expect([names('red'), names('green'), names('blue')]).toEqual([['b'], [], ['a']]);
    cache.remove(noteOf({ name: 'b', version: '4' }));
    expect(names('red')).toEqual([]);
    expect(cache.indexed('unknown', 'red')).toEqual([]);
  });

  test('do not change if an index function throws', () => {
    const cache = createObjectCache({
      picky: ({ metadata }) => {
        if (metadata.name === 'bad') throw new Error('not this one');
        return ['all'];
      },
    });
    cache.put(noteOf({ name: 'good', version: '1' }));
    expect(() => cache.put(noteOf({ name: 'bad', version: '2' }))).toThrow('not this one');
    expect([cache.size(), cache.indexed('picky', 'all').length]).toEqual([1, 1]);
  });
});

function put(version: string) {
  return ['put', version] as const;
}

function remove(version: string) {
  return ['remove', version] as const;
}

describe('shared values', () => {
  test('equal values become one object, and others stay as they are', () => {
    const shared = new SharedValues();
    const first = shared.of({ depths: ['sentence'] });
    expect(shared.of({ depths: ['sentence'] })).toBe(first);
    expect(shared.of({ depths: ['paragraph'] })).toEqual({ depths: ['paragraph'] });
    expect([shared.of(null), shared.of('a'), shared.of(7)]).toEqual([null, 'a', 7]);
  });

  test('the least recently used value is dropped first', () => {
    const shared = new SharedValues(2);
    const [a, b] = [shared.of({ a: 1 }), shared.of({ b: 1 })];
    expect(shared.of({ a: 1 })).toBe(a);
    shared.of({ c: 1 });
    expect(shared.of({ a: 1 })).toBe(a);
    expect(shared.of({ b: 1 })).not.toBe(b);
  });
});

test('the views of two tenants share their equal settings', () => {
  const views = new TenantViews();
  const budget = { ...defaultPolicy('b').budget, limitTokens: 5 };
  for (const [key, more] of [
    ['a', {}],
    ['b', { budget }],
  ] as const) {
    const policy = { ...defaultPolicy(key), ...more };
    const moment = { generation: 1, hash: 'h', appliedAt: 0, epoch: 0, releasedAt: null };
    const record = { ...moment, tenant: key, owner: ownerOf(key), policy };
    views.put(key, { uid: key, tenant: key, record, facts: null, limits: null });
    expect(views.get(key)?.record).toEqual(record);
  }
  const [a, b] = ['a', 'b'].map((key) => views.get(key)?.record?.policy);
  expect(a?.layers).toBe(b?.layers);
  expect(a?.budget).not.toEqual(b?.budget);
});
