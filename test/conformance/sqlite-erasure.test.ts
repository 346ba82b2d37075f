import { describe, expect, it } from 'vitest';

import { temporaryFolder } from './sqlite-adapter.ts';
import { erasureProof } from './erasure-proof.ts';
import { fillCanaries, openWorld, TENANT, tracesIn, USER } from './erasure-world.ts';

describe('an erasure in SQLite', () => {
  erasureProof(async () => {
    const temporary = await temporaryFolder();
    return {
      open: () => openWorld(temporary.folder),
      traces: (mark?: string) => tracesIn(temporary.folder, mark),
      remove: async () => temporary[Symbol.asyncDispose](),
    };
  });

  it('is in the files also while another process has them open', async () => {
    await using temporary = await temporaryFolder();
    await using other = await openWorld(temporary.folder);
    await using world = await openWorld(temporary.folder);
    const { shared: id } = await fillCanaries(world);
    const identifiers = { userId: USER };
    await other.library.memory.search({ tenant: TENANT, identifiers, query: 'garden' });
    await world.library.memory.erase({ tenant: TENANT, target: { kind: 'Memory', id } });
    const target = { kind: 'User', id: USER } as const;
    await world.library.memory.erase({ tenant: TENANT, target });
    expect(await tracesIn(temporary.folder)).toEqual([]);
    const { hits } = await other.library.memory.search({
      tenant: TENANT,
      identifiers,
      query: 'garden in Bremen',
      threshold: 0,
    });
    expect(hits).toEqual([]);
  });
});
