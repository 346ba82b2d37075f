/** Changes of a record that others write too. */
import { expect, test } from 'vitest';
import { changeRecord } from '#core/change-record.ts';

const LIMITS = { triesMax: 3, message: 'Try again.', details: { tenant: 'acme' } };

/** A counter that another writer raises before each of the first `others` writes. */
function counter(others: number) {
  const record = { value: 0, version: 0 };
  let left = others;
  return {
    record,
    read: () => Promise.resolve({ ...record }),
    write: (changed: typeof record) => {
      if (left > 0) {
        left -= 1;
        record.version += 1;
      }
      if (changed.version !== record.version) return Promise.resolve(false);
      Object.assign(record, { ...changed, version: changed.version + 1 });
      return Promise.resolve(true);
    },
  };
}

const raised = (found: { value: number; version: number }) => ({
  ...found,
  value: found.value + 1,
});

test.each([0, 1, 2])('a change is applied once after %d other writers', async (others) => {
  const { record, read, write } = counter(others);
  expect(await changeRecord({ read, change: raised, write }, LIMITS)).toMatchObject({ value: 1 });
  expect(record).toEqual({ value: 1, version: others + 1 });
});

test('a change that loses every try fails with CONFLICT and writes nothing', async () => {
  const { record, read, write } = counter(3);
  await expect(changeRecord({ read, change: raised, write }, LIMITS)).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { tenant: 'acme' },
  });
  expect(record.value).toBe(0);
});

test('a change without a result writes nothing', async () => {
  const { record, read, write } = counter(0);
  expect(await changeRecord({ read, change: () => null, write }, LIMITS)).toBeNull();
  expect(record.version).toBe(0);
});
