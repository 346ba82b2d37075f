/** Operations that erase data for good, and the receipts of what was erased. */
import type { z } from 'zod';
import { erasePart, eraseTenant, listErasures, reapplyErasures } from '../erasure.ts';
import {
  EraseMemory,
  EraseTenant,
  ErasedAnswer,
  ErasuresAnswer,
  ListErasures,
  Reapplied,
  Reapply,
  Receipt,
} from '../schemas/erasure.ts';
import { operation } from './operation.ts';

const RECEIPT: z.output<typeof Receipt> = {
  sequence: 1,
  id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
  of: { kind: 'User', fingerprint: 'd0c11fb996970c2a3c67f77deb4486e6' },
  by: 'key:privacy-desk',
  again: null,
  requestedAt: 1_795_273_200_000,
  erasedAt: 1_795_273_201_000,
  erased: [
    { kind: 'User', count: 1, fingerprints: ['d0c11fb996970c2a3c67f77deb4486e6'] },
    { kind: 'Call', count: 0, fingerprints: [] },
  ],
  files: { engine: 'sqlite', rewritten: true, remains: [] },
  previousHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  hash: 'dc72a21559c02bb4e6bb1e15fc3fa42d8d8aed32a5de9ad52a0015360d832bd9',
};
const COUNTS = RECEIPT.erased.map(({ kind, count }) => ({ kind, count }));

/** Also part of the group `memory`. */
export const memoryErasure = {
  erase: operation({
    name: 'memory.erase',
    kind: 'mutation',
    summary:
      'Erases a memory, a session or a person for good: originals, all that was made of them, ' +
      'their history, and what names them; then has the database rewrite its files. What ' +
      'others share is regenerated without it. A call that was cut short goes on when it is ' +
      'made again.',
    input: EraseMemory,
    output: ErasedAnswer,
    example: {
      input: { tenant: 'acme', target: { kind: 'User', id: 'dana' } },
      output: { state: 'Done', erased: COUNTS, receipt: RECEIPT },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['erase'],
    run: erasePart,
  }),
};

export const tenant = {
  erase: operation({
    name: 'tenant.erase',
    kind: 'mutation',
    summary:
      'Erases everything of a tenant for good, its keys and its audit too. Its policy stays, ' +
      'which its owner removes, and so do the receipts of erasures.',
    input: EraseTenant,
    output: ErasedAnswer,
    example: {
      input: { tenant: 'acme', confirm: 'acme' },
      output: { state: 'Done', erased: COUNTS, receipt: RECEIPT },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['erase'],
    run: eraseTenant,
  }),
};

export const erasure = {
  list: operation({
    name: 'erasure.list',
    kind: 'query',
    summary: 'Receipts of what was erased, and whether their chain of hashes is whole.',
    input: ListErasures,
    output: ErasuresAnswer,
    example: {
      input: { tenant: 'acme' },
      output: { receipts: [RECEIPT], brokenAt: null, pending: [], nextAfter: null },
    },
    role: 'admin',
    cost: 'none',
    errors: [],
    commands: ['erasures'],
    run: listErasures,
  }),
  reapply: operation({
    name: 'erasure.reapply',
    kind: 'mutation',
    summary:
      'Erases again what a restored backup has brought back, by receipts that were kept outside ' +
      'of it. They hold no names: every name of the tenant is tried against them. Call it before ' +
      'any caller writes; a second call does nothing.',
    input: Reapply,
    output: Reapplied,
    example: {
      input: { tenant: 'acme', receipts: [RECEIPT] },
      output: { outcomes: [{ id: RECEIPT.id, outcome: 'Erased' }] },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['erase'],
    run: reapplyErasures,
  }),
};
