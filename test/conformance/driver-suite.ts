/** The suite of the driver port: what every database does for the store. */
import { beforeAll, describe, expect, test } from 'vitest';

import {
  type Anchor,
  type Commit,
  type Driver,
  type LeastScan,
  type Scan,
  recordKind,
  type AnyKind,
} from '#store/storage-driver.ts';
import { shared } from '#test/shared-fixture.ts';
import { ConcurrentWrites } from '#store/retry-concurrent-writes.ts';

interface Shelf {
  readonly tenant: string;
  readonly name: string;
  readonly books: number;
  readonly dueAt: number | null;
}

interface Book {
  readonly tenant: string;
  readonly shelf: string;
  readonly number: number;
  readonly title: string;
  readonly readAt: number | null;
}

interface Note {
  readonly tenant: string;
  readonly id: string;
  readonly text: string;
}

const SHELVES = recordKind<Shelf>({
  name: 'testShelves',
  key: ['tenant', 'name'],
  columns: { dueAt: ({ dueAt }) => dueAt },
  indexes: {
    byDue: { columns: ['tenant', 'dueAt'], whereSet: 'dueAt' },
    byDueOfAll: { columns: ['dueAt', 'tenant'], whereSet: 'dueAt' },
  },
});
const BOOKS = recordKind<Book>({
  name: 'testBooks',
  key: ['tenant', 'shelf', 'number'],
  columns: { title: ({ title }) => title, readAt: ({ readAt }) => readAt },
  indexes: { byTitle: { columns: ['tenant', 'title'] } },
});
const NOTES = recordKind<Note>({ name: 'testNotes', key: ['tenant', 'id'] });
export const DRIVER_KINDS = [SHELVES, BOOKS, NOTES] as unknown as readonly AnyKind[];

export interface OpenedDriver extends AsyncDisposable {
  readonly driver: Driver;
}

let tenants = 0;
let ids = 0;
const newTenant = (): string => `shelves-${String((tenants += 1))}`;
const newId = (): string => `writer/commit-${String((ids += 1))}`;

export function driverSuite(open: () => Promise<OpenedDriver>): void {
  const opened = shared(open);
  const driverOf = (): Driver => opened().driver;
  commits(driverOf);
  scans(driverOf);
  erasures(driverOf);
  transactions(driverOf);
}

function shelf(tenant: string, name: string, dueAt: number | null = null): Shelf {
  return { tenant, name, books: 0, dueAt };
}

function book(tenant: string, number: number, title = `Book ${String(number)}`): Book {
  return { tenant, shelf: 'a', number, title, readAt: null };
}

function commitOf(
  record: Shelf,
  anchor: Anchor<Shelf>,
  rest: Partial<Pick<Commit<Shelf>, 'id' | 'record' | 'writes' | 'inserts'>> = {},
): Commit<Shelf> {
  const key = [record.tenant, record.name];
  const named = { kind: SHELVES, key, writer: 'writer', id: newId() };
  return { ...named, anchor, record, writes: [], inserts: [], ...rest };
}

function putBook(record: Book): Commit<Shelf>['writes'][number] {
  const key = [record.tenant, record.shelf, record.number];
  return { kind: BOOKS, key, record };
}

const NOTHING: Anchor<Shelf> = { record: null, revision: 0, commits: [] };

function commits(driverOf: () => Driver): void {
  describe('a commit', () => {
    test('writes the anchor and its records', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const record = { ...shelf(tenant, 'a'), books: 1 };
      const writes = [putBook(book(tenant, 1))];
      const after = await driver.commit(commitOf(record, NOTHING, { writes }));
      expect(after).toMatchObject({ record, revision: 1 });
      expect(await driver.anchor(SHELVES, [tenant, 'a'])).toMatchObject({ record, revision: 1 });
      expect(await driver.get(SHELVES, [tenant, 'a'])).toEqual(record);
      expect(await driver.get(BOOKS, [tenant, 'a', 1])).toEqual(book(tenant, 1));
    });

    test('writes nothing if the anchor has another revision', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const first = await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING));
      const late = { writes: [putBook(book(tenant, 1))] };
      expect(await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING, late))).toBeNull();
      expect(await driver.get(BOOKS, [tenant, 'a', 1])).toBeNull();
      const second = commitOf({ ...shelf(tenant, 'a'), books: 2 }, first ?? NOTHING);
      expect(await driver.commit(second)).toMatchObject({ revision: 2 });
      expect(await driver.commit({ ...second, id: newId() })).toBeNull();
    });

    test('raises the revision of an anchor without a record of its own', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const rest = { record: null, writes: [putBook(book(tenant, 1))] };
      expect(await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING, rest))).not.toBeNull();
      expect(await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING, rest))).toBeNull();
      const anchor = await driver.anchor(SHELVES, [tenant, 'a']);
      expect(anchor).toMatchObject({ record: null, revision: 1 });
      const all = { where: [['tenant', '=', tenant]], limit: 9 } as const;
      expect(await driver.scan(SHELVES, all)).toEqual([]);
      expect(await driver.count(SHELVES, all.where)).toBe(0);
    });

    test('deletes records, which can be written again', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const writes = [putBook(book(tenant, 1)), putBook(book(tenant, 2))];
      const first = await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING, { writes }));
      const gone = { kind: BOOKS as unknown as AnyKind, key: [tenant, 'a', 1], record: null };
      const second = await driver.commit(
        commitOf(shelf(tenant, 'a'), first ?? NOTHING, { writes: [gone] }),
      );
      expect(await driver.get(BOOKS, [tenant, 'a', 1])).toBeNull();
      const left = { where: [['tenant', '=', tenant]], limit: 9 } as const;
      expect(await driver.scan(BOOKS, left)).toEqual([book(tenant, 2)]);
      await driver.commit(
        commitOf(shelf(tenant, 'a'), second ?? NOTHING, { writes: [putBook(book(tenant, 1))] }),
      );
      expect(
        await driver.getMany(BOOKS, [
          [tenant, 'a', 1],
          [tenant, 'a', 3],
        ]),
      ).toEqual([book(tenant, 1), null]);
    });

    test('deletes its anchor, which can be written again', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const first = await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING));
      const last = commitOf(shelf(tenant, 'a'), first ?? NOTHING, { record: null });
      expect(await driver.commit(last)).not.toBeNull();
      const gone = await driver.anchor(SHELVES, [tenant, 'a']);
      expect(gone.record).toBeNull();
      expect(await driver.commit(commitOf(shelf(tenant, 'a'), gone))).not.toBeNull();
      expect(await driver.get(SHELVES, [tenant, 'a'])).toEqual(shelf(tenant, 'a'));
    });

    test('inserts a record without an anchor once', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const note = { tenant, id: 'n', text: 'first' };
      const kind = NOTES as unknown as AnyKind;
      const insert = (text: string) => ({ kind, key: [tenant, 'n'], record: { ...note, text } });
      const first = await driver.commit(
        commitOf(shelf(tenant, 'a'), NOTHING, { inserts: [insert('first')] }),
      );
      await driver.commit(
        commitOf(shelf(tenant, 'a'), first ?? NOTHING, { inserts: [insert('second')] }),
      );
      expect(await driver.get(NOTES, [tenant, 'n'])).toEqual(note);
      expect(await driver.insert(NOTES, { ...note, text: 'third' })).toBe(false);
      expect(await driver.insert(NOTES, { ...note, id: 'm' })).toBe(true);
      expect(await driver.get(NOTES, [tenant, 'n'])).toEqual(note);
    });

    test('overwrites a record that was inserted without a commit', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const record = shelf(tenant, 'a');
      await driver.insert(SHELVES, record);
      const anchor = await driver.anchor(SHELVES, [tenant, 'a']);
      expect(anchor).toMatchObject({ record, revision: 1 });
      const after = await driver.commit(commitOf({ ...record, books: 1 }, anchor));
      expect(after).toMatchObject({ revision: 2 });
      expect(
        await driver.commit(commitOf({ ...record, books: 2 }, after ?? NOTHING)),
      ).not.toBeNull();
    });

    test('keeps every text unchanged', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const title = 'a.b $c "d" \u0000 \u2028 語 😀 \ud800';
      const writes = [putBook(book(tenant, 1, title))];
      await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING, { writes }));
      expect(await driver.get(BOOKS, [tenant, 'a', 1])).toEqual(book(tenant, 1, title));
    });
  });
}

function scans(driverOf: () => Driver): void {
  describe('a scan', () => {
    let tenant = '';
    beforeAll(async () => {
      tenant = newTenant();
      const titles = ['m', 'c', 'c', 'z', 'a'];
      const writes = titles.map((title, at) =>
        putBook({ ...book(tenant, at + 1, title), readAt: at % 2 === 0 ? null : at * 10 }),
      );
      await driverOf().commit(commitOf(shelf(tenant, 'a'), NOTHING, { writes }));
    });
    const byTitle = ['title', 'number'];
    const table: readonly (readonly [name: string, scan: Partial<Scan>, numbers: number[]])[] = [
      ['rows in key order', {}, [1, 2, 3, 4, 5]],
      ['in reverse order', { descending: true }, [5, 4, 3, 2, 1]],
      ['up to the limit', { limit: 2 }, [1, 2]],
      ['nothing with a limit of zero', { limit: 0 }, []],
      ['rows ordered by a column', { order: byTitle }, [5, 2, 3, 1, 4]],
      ['the rows after a position', { order: byTitle, after: ['c', 2] }, [3, 1, 4]],
      ['the rows before a position', { order: byTitle, after: ['c', 3], descending: true }, [2, 5]],
      ['the rows after a key', { order: ['number'], after: [3] }, [4, 5]],
      ['one value', { where: [['title', '=', 'c']] }, [2, 3]],
      ['values from a list', { where: [['title', 'in', ['a', 'z']]] }, [4, 5]],
      ['values not in a list', { where: [['title', 'not in', ['a', 'z', 'c']]] }, [1]],
      ['values below a bound', { where: [['number', '<', 3]] }, [1, 2]],
      ['values from a bound on', { where: [['number', '>=', 3]] }, [3, 4, 5]],
      [
        'values between two bounds',
        {
          where: [
            ['title', '>', 'a'],
            ['title', '<=', 'm'],
          ],
        },
        [1, 2, 3],
      ],
      ['no null values below a bound', { where: [['readAt', '<=', 10]] }, [2]],
      [
        'null values and values below a bound',
        { where: [['readAt', 'null or <=', 10]] },
        [1, 2, 3, 5],
      ],
      ['null values', { where: [['readAt', '=', null]] }, [1, 3, 5]],
    ];
    test.each(table)('finds %s', async (_name, scan, numbers) => {
      const where = [['tenant', '=', tenant], ...(scan.where ?? [])] as Scan['where'];
      const found = await driverOf().scan(BOOKS, { limit: 9, ...scan, where });
      expect(found.map(({ number }) => number)).toEqual(numbers);
      if (scan.limit !== undefined || scan.after !== undefined) return;
      expect(await driverOf().count(BOOKS, where)).toBe(numbers.length);
    });

    test('stops counting at the given maximum', async () => {
      expect(await driverOf().count(BOOKS, [['tenant', '=', tenant]], 3)).toBe(3);
    });

    test('finds the same records within the operation that wrote them', async () => {
      const writes = new ConcurrentWrites({ driver: driverOf(), newId, random: () => 0 });
      const own = newTenant();
      for (const [name, scan, numbers] of table) {
        const found = await writes.run(SHELVES, [own, name], async (transaction) => {
          for (const [at, title] of ['m', 'c', 'c', 'z', 'a'].entries()) {
            const readAt = at % 2 === 0 ? null : at * 10;
            transaction.put(BOOKS, { ...book(own, at + 1, title), shelf: name, readAt });
          }
          const where = [
            ['tenant', '=', own],
            ['shelf', '=', name],
            ...(scan.where ?? []),
          ] as Scan['where'];
          return transaction.scan(BOOKS, { limit: 9, ...scan, where });
        });
        expect([name, found.map(({ number }) => number)]).toEqual([name, numbers]);
      }
    });

    test('finds groups by their least value and by name', async () => {
      const driver = driverOf();
      const names = [newTenant(), newTenant(), newTenant()].toSorted();
      const dues = [300, 100, 200];
      for (const [at, name] of names.entries()) {
        await driver.commit(commitOf(shelf(name, 'a', dues[at] ?? 0), NOTHING));
        await driver.commit(commitOf(shelf(name, 'b', 900), NOTHING));
        await driver.commit(commitOf(shelf(name, 'c'), NOTHING));
      }
      const [x = '', y = '', z = ''] = names;
      const where = [['tenant', 'in', names]] as const;
      const asked = { by: 'tenant', where, column: 'dueAt', limit: 9 };
      const rows = async (rest: Pick<LeastScan, 'order'> & Partial<LeastScan>) =>
        (await driver.least(SHELVES, { ...asked, ...rest })).map(({ group, least }) => [
          group,
          least,
        ]);
      const [first, second, third] = [
        [y, 100],
        [z, 200],
        [x, 300],
      ];
      expect(await rows({ order: 'value' })).toEqual([first, second, third]);
      expect(await rows({ order: 'value', from: 200 })).toEqual([second, third]);
      expect(await rows({ order: 'value', skip: 1, limit: 1 })).toEqual([second]);
      expect(await rows({ order: 'group', after: x })).toEqual([first, second]);
    });
  });
}

function erasures(driverOf: () => Driver): void {
  describe('an erasure', () => {
    test('deletes at most the given number of matching records, in key order', async () => {
      const driver = driverOf();
      const tenant = newTenant();
      const writes = [1, 2, 3].map((number) => putBook(book(tenant, number)));
      await driver.commit(commitOf(shelf(tenant, 'a'), NOTHING, { writes }));
      const where = [['tenant', '=', tenant]] as const;
      const kind = BOOKS as unknown as AnyKind;
      expect(await driver.erase(kind, where, 2)).toBe(2);
      const left = await driver.scan(BOOKS, { where, limit: 9 });
      expect(left.map(({ number }) => number)).toEqual([3]);
      expect(await driver.erase(kind, where, 2)).toBe(1);
      expect(await driver.erase(kind, where, 2)).toBe(0);
      expect(await driver.erase(SHELVES as unknown as AnyKind, where, 2)).toBe(1);
      expect(await driver.anchor(SHELVES, [tenant, 'a'])).toMatchObject({ revision: 0 });
    });
  });
}

function transactions(driverOf: () => Driver): void {
  describe('operations on one anchor', () => {
    const openWrites = () =>
      new ConcurrentWrites({ driver: driverOf(), newId, random: Math.random });

    async function addBook(writes: ConcurrentWrites, tenant: string, number: number) {
      return writes.run(SHELVES, [tenant, 'a'], async (transaction) => {
        const before = transaction.record ?? shelf(tenant, 'a');
        if ((await transaction.get(BOOKS, [tenant, 'a', number])) !== null) return 'there';
        transaction.put(BOOKS, book(tenant, number));
        transaction.set({ ...before, books: before.books + 1 });
        return 'added';
      });
    }

    test('count every write once, in one process and in several', async () => {
      const tenant = newTenant();
      const processes = [openWrites(), openWrites(), openWrites(), openWrites()];
      const numbers = Array.from({ length: 120 }, (_, at) => at % 100);
      const answers = await Promise.all(
        numbers.map((number, at) => addBook(processes[at % 4] ?? openWrites(), tenant, number)),
      );
      expect(answers.filter((answer) => answer === 'added')).toHaveLength(100);
      expect(await driverOf().get(SHELVES, [tenant, 'a'])).toMatchObject({ books: 100 });
      expect(await driverOf().count(BOOKS, [['tenant', '=', tenant]])).toBe(100);
    });

    test('see the writes of earlier operations, and none of failed ones', async () => {
      const tenant = newTenant();
      const writes = openWrites();
      const failing = writes.run(SHELVES, [tenant, 'a'], (transaction) => {
        transaction.put(BOOKS, book(tenant, 7));
        transaction.set({ ...shelf(tenant, 'a'), books: 99 });
        throw new RangeError('no room');
      });
      const [failed, added, again] = await Promise.allSettled([
        failing,
        addBook(writes, tenant, 7),
        addBook(writes, tenant, 7),
      ]);
      expect(failed.status).toBe('rejected');
      expect([added, again]).toMatchObject([{ value: 'added' }, { value: 'there' }]);
      expect(await driverOf().get(SHELVES, [tenant, 'a'])).toMatchObject({ books: 1 });
    });
  });
}
