/** Erasures of parts of a tenant, and the ledger of what was erased. */
import { linesOfProposal } from '#core/erasure/dependent-records.ts';
import { firstHash, isNothing, sealReceipt } from '#core/erasure/erasure-receipt.ts';
import { VarveError } from '#core/errors.ts';
import type { ErasureRecords, PartTarget } from '#core/ports/erasure-records.ts';
import { type ErasureLedger, PENDING_ERASURES_MAX } from '#core/records/erasure.ts';
import { citedTurn } from '#core/memory-files/turn-citation.ts';
import { isErased } from '#core/retention/compacted-turn.ts';
import { turnOfPart } from '#core/sessions/turn-parts.ts';
import { subjectOfKey } from '#core/subject.ts';
import { findErased, provenanceIn } from './erasure/find-erased.ts';
import { removeFound, type RemoveParts } from './erasure/remove-erased.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { equal, type Driver } from './storage-driver.ts';
import { scanAll } from './erasure/scan.ts';

const HEAD = ['head'];

export function erasureRecords(parts: RemoveParts): ErasureRecords {
  const { driver, writes, digest } = parts;
  const opened = (record: ErasureLedger | null, tenant: string): ErasureLedger =>
    record ?? { tenant, receipts: 0, hash: firstHash(digest), pending: [] };
  return {
    find: async (tenant, target) => (await findErased(driver, tenant, target)).ids,
    async remove(tenant, target, { rules, foundFirst }) {
      const found = await findErased(driver, tenant, target);
      if (isNothing(found.ids)) return { found: {}, scopes: [] };
      if (!(await foundFirst(found.ids))) return { found: {}, scopes: [] };
      return { found: found.ids, scopes: await removeFound(parts, tenant, found, rules) };
    },
    candidates: (tenant, kind) => candidatesOf(driver, tenant, kind),
    ledger: async (tenant) => opened(await driver.get(kinds.ERASURES, [tenant]), tenant),
    unfinished: ({ before, limit }) =>
      driver.scan(kinds.ERASURES, {
        where: [['openSince', '<=', before]],
        order: ['openSince', 'tenant'],
        limit,
      }),
    note: (tenant, pending) =>
      writes.run(kinds.ERASURES, [tenant], ({ record, set }) => {
        const ledger = opened(record, tenant);
        if (ledger.pending.length >= PENDING_ERASURES_MAX) throw tooMany();
        set({ ...ledger, pending: [...ledger.pending, pending] });
      }),
    advance: (tenant, id, change) =>
      writes.run(kinds.ERASURES, [tenant], ({ record, set }) => {
        if (record?.pending.some((each) => each.id === id) !== true) return false;
        const pending = record.pending.map((each) => (each.id === id ? change(each) : each));
        set({ ...record, pending });
        return true;
      }),
    finish: (tenant, id, ending) =>
      writes.run(kinds.ERASURES, [tenant], ({ record, set, put }) => {
        const ledger = opened(record, tenant);
        const done = ledger.pending.find((each) => each.id === id);
        if (done === undefined) return null;
        const receipt = sealReceipt(ledger, done, { digest, ...ending });
        const pending = ledger.pending.filter((each) => each.id !== id);
        put(kinds.ERASURE_RECEIPTS, receipt);
        set({ tenant, receipts: receipt.sequence, hash: receipt.hash, pending });
        return receipt;
      }),
    receipts: (tenant, { after, limit }) =>
      driver.scan(kinds.ERASURE_RECEIPTS, {
        where: [...equal({ tenant }), ['sequence', '>', after]],
        limit,
      }),
    head: () => driver.get(kinds.ERASURE_HEADS, HEAD),
    moveHead: (move) =>
      writes.run(kinds.ERASURE_HEADS, HEAD, ({ record, set }) => {
        const head = move(record);
        set(head);
        return head;
      }),
  };
}

function tooMany(): VarveError {
  return new VarveError(
    'CONFLICT',
    `${String(PENDING_ERASURES_MAX)} erasures of this tenant are not done. Run one of them again ` +
      'until it has its receipt.',
    { details: { pendingMax: PENDING_ERASURES_MAX } },
  );
}

// Lists whom and what the records of a tenant name: the possible targets of an erasure.

/** Yields each target at least once. */
async function* candidatesOf(
  driver: Driver,
  tenant: string,
  kind: PartTarget['kind'],
): AsyncGenerator<PartTarget> {
  if (kind !== 'Turn') {
    for await (const id of namesOf(driver, tenant, kind)) yield { kind, id };
    return;
  }
  for await (const turn of scanAll(driver, kinds.TURNS, tenant)) {
    if (!isErased(turn)) yield { kind, sessionId: turn.sessionId, id: turn.id };
  }
  // What was made from a turn names it, also where the turn itself was never stored.
  for await (const { metadata } of scanAll(driver, kinds.MEMORIES, tenant)) yield* turnIn(metadata);
  for await (const { before } of scanAll(driver, kinds.MEMORY_CHANGES, tenant))
    yield* turnIn(before['metadata']);
  for await (const { lines } of scanAll(driver, kinds.DOCUMENTS, tenant))
    yield* turnsCitedIn(lines);
  for await (const proposal of scanAll(driver, kinds.PROPOSALS, tenant))
    yield* turnsCitedIn(linesOfProposal(proposal));
}

function* turnIn(metadata: unknown): Generator<PartTarget> {
  const { session, turn } = provenanceIn(metadata);
  if (session !== null && turn !== null)
    yield { kind: 'Turn', sessionId: session, id: turnOfPart(turn) };
}

function* turnsCitedIn(
  lines: readonly { readonly sources: readonly string[] }[],
): Generator<PartTarget> {
  for (const source of lines.flatMap(({ sources }) => sources)) {
    const cited = citedTurn(source);
    if (cited !== null)
      yield { kind: 'Turn', sessionId: cited.sessionId, id: turnOfPart(cited.id) };
  }
}

async function* namesOf(
  driver: Driver,
  tenant: string,
  kind: Exclude<PartTarget['kind'], 'Turn'>,
): AsyncGenerator<string> {
  switch (kind) {
    case 'Memory':
      for await (const { id } of scanAll(driver, kinds.MEMORIES, tenant)) yield id;
      for await (const { memoryId } of scanAll(driver, kinds.MEMORY_CHANGES, tenant))
        yield memoryId;
      return;
    case 'Session':
      for await (const { scopeId } of scopesOf(driver, tenant, 'session')) yield scopeId;
      for await (const { sessionId } of scanAll(driver, kinds.SESSIONS, tenant)) yield sessionId;
      return;
    default:
      for await (const { scopeId } of scopesOf(driver, tenant, 'user')) yield scopeId;
      yield* usersNamed(driver, tenant);
  }
}

function scopesOf(
  driver: Driver,
  tenant: string,
  layer: 'session' | 'user',
): AsyncGenerator<kinds.StoredScope> {
  return scanAll(driver, kinds.SCOPES, tenant, equal({ layer }));
}

/** Yields users that are named by records other than those of their own layer. */
async function* usersNamed(driver: Driver, tenant: string): AsyncGenerator<string> {
  for await (const { subject } of scanAll(driver, kinds.SUBJECTS, tenant)) {
    const named = subjectOfKey(subject);
    if (named?.kind === 'user') yield named.id;
  }
  for await (const { identifiers } of scanAll(driver, kinds.SESSIONS, tenant)) {
    if (identifiers.userId !== undefined) yield identifiers.userId;
  }
  for await (const { bound } of scanAll(driver, kinds.API_KEYS, tenant)) {
    if (bound.userId !== undefined) yield bound.userId;
  }
}
