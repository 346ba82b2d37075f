/** Two stores on one MongoDB that write to the same Markdown memory, one of them slowly. */
import { expect, it } from 'vitest';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { ANN, blockOf, DAILY, subjectIdOf } from './document-samples.ts';
import { expectNumbersWithoutGap, expectOneApplies, VERSIONS } from './document-writers.ts';
import { interrupting } from './mongodb-faults.ts';
import { mongodbFixture } from './mongodb-fixture.ts';

const ANNOUNCED = { subjectId: subjectIdOf(1) };

const { open } = mongodbFixture();

describeUnless(await missingForMongodb())('writers of one Markdown memory in MongoDB', () => {
  it('blocks of two stores are numbered without gaps', async () => {
    await using first = await open();
    await using second = await open();
    expect(await expectNumbersWithoutGap([first, second])).toBeGreaterThan(0);
  });

  it('one of two stores that write the same version succeeds', async () => {
    await using first = await open();
    await using second = await open();
    expect(await expectOneApplies([first, second])).toBe(VERSIONS);
  });

  it.each([
    [3, 'is appended after them'],
    [70, 'gives up with CONFLICT'],
  ])('an append that loses to %i others %s', async (others, end) => {
    const tenant = newTenant();
    await using faster = await open();
    const faults = interrupting('subjects.commit', others, async (n) => {
      await faster.documents.append(blockOf(tenant, n), ANNOUNCED);
    });
    await using slow = await open({ faults });
    const append = slow.documents.append(blockOf(tenant, 0), ANNOUNCED);
    if (end === 'is appended after them') {
      expect(await append).toMatchObject({ isNew: true, document: { version: others + 1 } });
    } else {
      await expect(append).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    const place = { tenant, subject: ANN, path: DAILY };
    const file = await faster.documents.list(place, { after: 0, limit: 2_000 });
    expect(file.map(({ version }) => version)).toEqual(file.map((_, n) => n + 1));
  });

  it('one of two concurrent appends with the same key writes a block', async () => {
    const tenant = newTenant();
    const block = blockOf(tenant, 1, { key: 'flush-1' });
    await using faster = await open();
    const faults = interrupting('subjects.commit', 1, async () => {
      await faster.documents.append(block, ANNOUNCED);
    });
    await using slow = await open({ faults });
    const document = { ...block, version: 1 };
    expect(await slow.documents.append(block, ANNOUNCED)).toEqual({ document, isNew: false });
    const place = { tenant, subject: ANN, path: DAILY };
    expect(await slow.documents.list(place, { after: 0, limit: 9 })).toEqual([document]);
  });

  it('a block that arrives while a dream is marked as done is announced again', async () => {
    const tenant = newTenant();
    await using dreaming = await open();
    await dreaming.documents.append(blockOf(tenant, 1), ANNOUNCED);
    const faults = interrupting('subjects.commit', 1, async () => {
      const subject = await dreaming.subjects.get(tenant, ANN);
      if (subject === null) throw new Error('The first block was announced.');
      const done = { ...subject, hasNew: false, version: subject.version + 1 };
      expect(await dreaming.subjects.put(done)).toBe(true);
    });
    await using slow = await open({ faults });
    await slow.documents.append(blockOf(tenant, 2), ANNOUNCED);
    expect(await slow.subjects.get(tenant, ANN)).toMatchObject({ hasNew: true, version: 3 });
  });

  it('a subject that two writers announce at once has one id', async () => {
    const tenant = newTenant();
    await using faster = await open();
    const faults = interrupting('subjects.commit', 1, async () => {
      await faster.documents.append(blockOf(tenant, 1), ANNOUNCED);
    });
    await using slow = await open({ faults });
    await slow.documents.append(blockOf(tenant, 2), { subjectId: subjectIdOf(2) });
    expect(await slow.subjects.get(tenant, ANN)).toMatchObject({ ...ANNOUNCED, version: 2 });
    expect(await slow.subjects.byId(tenant, subjectIdOf(2))).toBeNull();
  });
});
