/** What a restored database must prove over any driver: it serves nothing that was erased. */
import { writeFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import type { ErasureTarget } from '#core/records/erasure.ts';
import { VarveError } from '#core/errors.ts';
import { withErasureLedger } from '#memory/erasure-ledger.ts';
import { ledgerInFolder } from '#providers/node/erasure-ledger-folder.ts';

import {
  fillBystander,
  fillCanaries,
  MARK,
  SESSION,
  TENANT,
  USER,
  type Harness,
} from './erasure-harness.ts';
import type { Installation } from './erasure-proof.ts';

/** An installation whose database can be put back as it was; its ledger stays as it is. */
export interface Restorable extends Installation {
  /** Both while no process has it open. */
  backUp(): Promise<void>;
  restore(): Promise<void>;
  readonly ledger: string;
}

const TARGETS: readonly [string, ErasureTarget, gone: string][] = [
  ['a session', { kind: 'Session', id: SESSION }, 'turn'],
  ['a turn', { kind: 'Turn', sessionId: SESSION, id: `${MARK}turn-0` }, 'town'],
  ['a person', { kind: 'User', id: USER }, 'user'],
  ['everything', { kind: 'Tenant' }, ''],
];

async function erase({ library }: Harness, target: ErasureTarget): Promise<void> {
  const asked = { tenant: TENANT, confirm: TENANT };
  if (target.kind === 'Tenant') await library.tenant.erase(asked);
  else await library.memory.erase({ tenant: TENANT, target });
}

export function restoreSuite(install: () => Promise<Restorable>): void {
  const backedUp = async (use: (installation: Restorable) => Promise<void>): Promise<void> => {
    const installation = await install();
    try {
      {
        await using harness = await installation.open();
        await fillBystander(harness);
        await fillCanaries(harness);
      }
      await installation.backUp();
      await use(installation);
    } finally {
      await installation.remove();
    }
  };

  it.each(TARGETS)('that had erased %s erases it again before it opens', (_, target, gone) =>
    backedUp(async (installation) => {
      {
        await using harness = await installation.open();
        await erase(harness, target);
      }
      await installation.restore();
      expect(await installation.traces(`${MARK}${gone}`)).not.toEqual([]);
      // A second restore of the same backup, too.
      for (let restores = 0; restores < 2; restores += 1) {
        await using harness = await installation.open();
        expect(await installation.traces(`${MARK}${gone}`)).toEqual([]);
        const { receipts, pending } = await harness.library.erasure.list({ tenant: TENANT });
        expect(receipts).toMatchObject([{ by: 'restore' }]);
        expect(pending).toEqual([]);
        await harness[Symbol.asyncDispose]();
        await installation.restore();
      }
    }),
  );

  it('does not erase a returning user again, however often it is opened', () =>
    backedUp(async (installation) => {
      const target = { kind: 'User', id: USER } as const;
      {
        await using harness = await installation.open();
        await erase(harness, target);
      }
      await installation.restore();
      for (let opened = 0; opened < 3; opened += 1) {
        await using harness = await installation.open();
        const { library } = harness;
        const of = { tenant: TENANT, identifiers: { userId: USER } };
        const { memories } = await library.memory.list(of);
        expect(memories.length).toBe(opened);
        const content = `Number ${String(opened)} came back.`;
        await library.memory.add({ ...of, layer: 'user', content });
      }
    }));

  it('resumes a repeated erasure that a crash interrupted', () =>
    backedUp(async (installation) => {
      {
        await using harness = await installation.open();
        await erase(harness, { kind: 'Session', id: SESSION });
        await erase(harness, { kind: 'User', id: USER });
      }
      await installation.restore();
      {
        await using harness = await installation.open({
          erasureLedger: `${installation.ledger}-no`,
        });
        const { store, platform } = harness.parts;
        const dead = new VarveError('TIMEOUT', 'The process is gone.');
        const rewriteFiles = () => Promise.reject(dead);
        const ledger = ledgerInFolder(installation.ledger);
        const dying = withErasureLedger({ store: { ...store, rewriteFiles }, platform }, ledger);
        await expect(dying).rejects.toBe(dead);
      }
      await using harness = await installation.open();
      expect(await installation.traces(USER)).toEqual([]);
      const { pending } = await harness.library.erasure.list({ tenant: TENANT });
      expect(pending).toEqual([]);
    }));

  it('refuses the ledger of another store, and an erasure that cannot be written to its ledger', () =>
    backedUp(async (installation) => {
      const ledger = `${installation.ledger}-other`;
      const entry = { number: 1, store: 'other', tenant: TENANT, id: 'x' };
      await ledgerInFolder(ledger).write({ ...entry, of: { kind: 'Tenant', fingerprint: null } });
      const refused = installation.open({ erasureLedger: ledger });
      await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
      await using harness = await installation.open({ erasureLedger: `${ledger}-file` });
      await writeFile(`${ledger}-file`, '');
      const lost = erase(harness, { kind: 'User', id: USER });
      await expect(lost).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
      const { pending, receipts } = await harness.library.erasure.list({ tenant: TENANT });
      expect(pending).toHaveLength(1);
      expect(receipts).toEqual([]);
    }));
}
