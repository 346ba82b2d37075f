/** What an erasure must prove over any database: the canary is gone, and other data stays. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { libraryOf } from '#api/library.ts';
import type { PartsSettings } from '#cli/store-and-model-settings.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { ErasureRuns } from '#core/ports/erasure-runs.ts';
import type { Store } from '#core/ports/store.ts';
import { VarveError } from '#core/errors.ts';
import { resumeErasures } from '#memory/erase.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { brokenAt, fingerprintOf, firstHash } from '#core/erasure/erasure-receipt.ts';
import type { ErasureTarget } from '#core/records/erasure.ts';

import {
  fillBystander,
  fillCanaries,
  MARK,
  SESSION,
  TENANT,
  USER,
  WORDS,
  type Canaries,
  type Kept,
  type Harness,
} from './erasure-harness.ts';

import { memoryOf, NOW, rulesAt } from './samples.ts';

/** One installation, and the bytes that it keeps. */
export interface Installation {
  open(settings?: PartsSettings): Promise<Harness>;
  /** Where the text is kept, and how. */
  traces(mark?: string): Promise<readonly string[]>;
  remove(): Promise<void>;
}

const { digest } = createPlatform();
type Target = Exclude<ErasureTarget, { kind: 'Tenant' }>;

type Use = (the: Filled) => Promise<void>;
type Run = (use: Use) => Promise<void>;

type Install = () => Promise<Installation>;

export function erasureProof(install: Install): void {
  const filled: Run = async (use) => {
    const installation = await install();
    try {
      await using harness = await installation.open();
      const kept = await fillBystander(harness);
      const canaries = await fillCanaries(harness);
      await use({ harness, installation, kept, canaries });
    } finally {
      await installation.remove();
    }
  };

  partSuite(filled);
  lateSuite(filled);
  ledgerSuite(filled);
  restoreSuite(install);
}

function partSuite(filled: Run): void {
  it('of a memory leaves none of its words, and nothing derived from it', () =>
    filled(async ({ harness, installation, canaries, kept }) => {
      for (const word of ['first', 'second', 'meta', 'field', 'tag', 'daily']) {
        expect(await installation.traces(`${MARK}${word}`)).not.toEqual([]);
      }
      const erase = (id: string) => eraseOf(harness, { kind: 'Memory', id });
      expect(await erase(canaries.memory)).toMatchObject({ state: 'Done' });
      for (const word of ['first', 'meta', 'field', 'tag', 'daily']) {
        expect(await installation.traces(`${MARK}${word}`)).toEqual([]);
      }
      // Somebody else may write there at any time: it is whole, and of what is left.
      await expectWhole(harness, kept);
      expect(await erase(canaries.shared)).toMatchObject({ state: 'Done' });
      expect(await installation.traces(`${MARK}ware`)).toEqual([]);
      expect(await erase(canaries.shared)).toMatchObject({ state: 'Nothing', receipt: null });
    }));

  it('of a session leaves no turn, and no memory extracted from one', () =>
    filled(async ({ harness, installation, kept }) => {
      for (const word of IN_SESSION) {
        expect(await installation.traces(`${MARK}${word}`)).not.toEqual([]);
      }
      const done = await eraseOf(harness, { kind: 'Session', id: SESSION });
      expect(done).toMatchObject({ state: 'Done' });
      for (const word of IN_SESSION) {
        expect(await installation.traces(`${MARK}${word}`)).toEqual([]);
      }
      await expectWhole(harness, kept);
    }));

  it('of a turn leaves none of its words, even if it was deleted, and the session stays', () =>
    filled(async ({ harness, installation, kept }) => {
      const { library } = harness;
      const turnOf = (id: string) => ({ kind: 'Turn', sessionId: SESSION, id }) as const;
      for (const [id, word] of IN_TURNS) {
        const target = turnOf(`${MARK}${id}`);
        expect([id, await installation.traces(target.id)]).not.toEqual([id, []]);
        expect([word, await installation.traces(`${MARK}${word}`)]).not.toEqual([word, []]);
        const preview = await eraseOf(harness, target, true);
        const done = await eraseOf(harness, target);
        expect(done).toMatchObject({ state: 'Done', erased: preview.erased });
        expect([id, await installation.traces(target.id)]).toEqual([id, []]);
        expect([word, await installation.traces(`${MARK}${word}`)]).toEqual([word, []]);
        expect(await eraseOf(harness, target)).toMatchObject({ state: 'Nothing' });
      }
      for (const other of [turnOf('turn-1'), { ...turnOf('turn-1'), sessionId: 'none' }]) {
        expect(await eraseOf(harness, other)).toMatchObject({ state: 'Nothing', receipt: null });
      }
      await library.refresh({ tenant: TENANT });
      const session = { tenant: TENANT, sessionId: SESSION };
      const { messages } = await library.conversation.messages(session);
      expect(messages[0]).toMatchObject({ id: `${MARK}turn-2`, sequence: 3 });
      const identifiers = { sessionId: SESSION };
      const { summaries } = await library.summary.list({ tenant: TENANT, identifiers });
      expect(JSON.stringify(summaries)).toContain(`${MARK}sql`);
      await expectWhole(harness, kept);
      // Later turns follow the places of the erased ones.
      const turns = [{ id: `${MARK}turn-0`, role: 'user' as const, content: 'It rains.' }];
      expect(await library.conversation.append({ ...session, turns })).toMatchObject({
        appended: 1,
      });
    }));

  it('of a person leaves no trace of them, and others unchanged', () =>
    filled(async ({ harness, installation, canaries, kept }) => {
      for (const word of WORDS) {
        expect([word, await installation.traces(`${MARK}${word}`)]).not.toEqual([word, []]);
      }
      await eraseOf(harness, { kind: 'Memory', id: canaries.shared });
      const preview = await eraseOf(harness, { kind: 'User', id: USER }, true);
      const done = await eraseOf(harness, { kind: 'User', id: USER });
      expect(done.erased).toEqual(preview.erased);
      expect(await installation.traces()).toEqual([]);
      await expectWhole(harness, kept);
      const { library } = harness;
      await library.refresh({ tenant: TENANT });
      const { summaries } = await library.summary.list({
        tenant: TENANT,
        identifiers: { projectId: 'shop' },
      });
      expect(JSON.stringify(summaries)).toContain('nine');
      expect(await installation.traces()).toEqual([]);
    }));
}

/** What is written while an erasure is at work. */
function lateSuite(filled: Run): void {
  it('of a session leaves nothing that a concurrent run commits', () =>
    filled(async ({ harness, installation }) => {
      const { store } = harness.parts;
      const scope = { tenant: TENANT, layer: 'session', scopeId: SESSION } as const;
      const summary = await store.summaries.get(scope, '');
      if (summary === null) throw new Error('The session has a summary.');
      const segment = {
        ...scope,
        segmentId: digest('late'),
        level: 0,
        sourceHash: summary.sourceHash,
        recipeHash: summary.recipeHash,
        facts: summary.facts,
      };
      const lateCommit = async (record: ScopeRecord, id: string): Promise<boolean> => {
        await store.segments.put([segment]);
        return store.summaries.commit({
          summary: { ...summary, id },
          scope: { ...record, version: record.version + 1 },
          outcome: 'Generated',
          event: { tenant: TENANT, id, at: 1, type: 'memory_summary_created', attributes: {} },
        });
      };
      const work = { isErasing: true };
      const erasing = eraseOf(harness, { kind: 'Session', id: SESSION }).finally(() => {
        work.isErasing = false;
      });
      let last = await store.scopes.get(scope);
      let commits = 0;
      for (let n = 0; work.isErasing; n += 1) {
        if (await lateCommit(last, `late-${String(n)}`)) commits += 1;
        const now = await store.scopes.get(scope);
        if (now.version > 0) last = now;
        await nextTurn();
      }
      await erasing;
      expect(commits).toBeGreaterThan(0);
      expect(await lateCommit(last, 'too late')).toBe(false);
      for (const word of IN_SESSION) {
        expect([word, await installation.traces(`${MARK}${word}`)]).toEqual([word, []]);
      }
    }));

  it('of a person finds memories that a flush adds for others meanwhile', () =>
    filled(async ({ harness, installation }) => {
      const { store } = harness.parts;
      const late = {
        ...memoryOf(TENANT, 1),
        ...{ layer: 'project' as const, scopeId: 'late', content: `${MARK}late` },
        origin: { channel: 'extraction' as const, principal: 'flush', sources: [] },
        metadata: { session: SESSION },
      };
      const rules = () => rulesAt(NOW);
      let passes = 0;
      const foundFirst = async (): Promise<boolean> => {
        passes += 1;
        if (passes === 1) await store.memories.add(late, rules());
        return true;
      };
      const target = { kind: 'User', id: USER } as const;
      for (let found = 1; found > 0;) {
        const pass = await store.erasures.remove(TENANT, target, { rules, foundFirst });
        found = Object.keys(pass.found).length;
      }
      expect(passes).toBeGreaterThan(1);
      expect(await store.memories.get(TENANT, late.id)).toBeNull();
      await store.rewriteFiles();
      expect(await installation.traces(`${MARK}late`)).toEqual([]);
    }));
}

function ledgerSuite(filled: Run): void {
  it('has chained receipts that prove what was erased without revealing it', () =>
    filled(async ({ harness: { library, parts }, canaries }) => {
      const target = { kind: 'Memory', id: canaries.memory } as const;
      const { receipt } = await library.memory.erase({ tenant: TENANT, target });
      if (receipt === null) throw new Error('There was a memory.');
      const fingerprint = fingerprintOf(digest, receipt.id, target);
      expect(receipt.of).toEqual({ kind: 'Memory', fingerprint });
      const [memories] = receipt.erased;
      expect(memories).toMatchObject({ kind: 'Memory', fingerprints: [fingerprint] });
      await library.memory.erase({ tenant: TENANT, target: { kind: 'User', id: USER } });
      const list = await library.erasure.list({ tenant: TENANT });
      expect(list).toMatchObject({ brokenAt: null, pending: [], nextAfter: null });
      expect(list.receipts.map(({ sequence }) => sequence)).toEqual([1, 2]);
      const page = await library.erasure.list({ tenant: TENANT, after: 1 });
      expect(page).toMatchObject({ brokenAt: null, receipts: [{ sequence: 2 }] });
      expect(JSON.stringify(list)).not.toContain(MARK);
      const kept = await parts.store.erasures.receipts(TENANT, { after: 0, limit: 9 });
      const first = { sequence: 0, hash: firstHash(digest) };
      const later = kept.map((each) => ({ ...each, erasedAt: each.erasedAt + 1 }));
      expect(brokenAt(digest, later, first)).toBe(1);
      expect(brokenAt(digest, kept.slice(1), first)).toBe(1);
    }));

  it.each([
    ['before all of it is gone', 'the same call'],
    ['before all of it is gone', 'the tick'],
    ['before the files are rewritten', 'the same call'],
    ['before the files are rewritten', 'the tick'],
  ])('that crashed %s is completed by %s, and its receipt counts everything', (when, who) =>
    filled(async ({ harness, installation }) => {
      const { library, ports } = harness;
      const target = { kind: 'User', id: USER } as const;
      const preview = await eraseOf(harness, target, true);
      const store = when.startsWith('before all') ? dyingAtOnce(ports) : dyingLate(ports);
      const dying = libraryOf({ ...ports, store }, LOCAL_OPERATOR);
      const cut = dying.memory.erase({ tenant: TENANT, target });
      await expect(cut).rejects.toMatchObject({ code: 'TIMEOUT' });
      const { pending, receipts } = await library.erasure.list({ tenant: TENANT });
      expect(pending).toMatchObject([{ of: { kind: 'User' } }]);
      expect(receipts).toEqual([]);
      const later = ports.platform.clock() + HOUR_MS;
      if (who === 'the tick') expect(await resumeErasures(ports, later)).toBe(1);
      else expect(await eraseOf(harness, target)).toMatchObject({ state: 'Done' });
      const { pending: left, receipts: ended } = await library.erasure.list({ tenant: TENANT });
      expect(left).toEqual([]);
      const counts = ended[0]?.erased.map(({ kind, count }) => ({ kind, count }));
      expect(counts).toEqual(preview.erased);
      expect(await resumeErasures(ports, later)).toBe(0);
      expect(await installation.traces(SESSION)).toEqual([]);
    }),
  );

  it.each([
    ['the workflows cannot be reached', () => Promise.reject(DEAD)],
    ['no worker takes the run', () => Promise.resolve(false)],
  ])('runs in the process that asked for it if %s', (_, settled) =>
    filled(async ({ harness: { ports, library }, installation }) => {
      const started: string[] = [];
      const erasures: ErasureRuns = {
        start: ({ requestId }) => {
          started.push(requestId);
          return Promise.resolve('Started');
        },
        settled,
      };
      const refreshTrigger = { ...ports.refreshTrigger, erasures };
      const asking = libraryOf({ ...ports, refreshTrigger }, LOCAL_OPERATOR);
      const target = { kind: 'Session', id: SESSION } as const;
      const { receipt } = await asking.memory.erase({ tenant: TENANT, target });
      expect(started).toEqual([receipt?.id]);
      expect(await installation.traces(SESSION)).toEqual([]);
      expect((await library.erasure.list({ tenant: TENANT })).pending).toEqual([]);
    }),
  );

  it('of a tenant leaves its receipts, and no trace of its content', () =>
    filled(async ({ harness, installation }) => {
      const { library, parts } = harness;
      await eraseOf(harness, { kind: 'Session', id: SESSION });
      const wrong = library.tenant.erase({ tenant: TENANT, confirm: 'other' });
      await expect(wrong).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      const { receipt } = await library.tenant.erase({ tenant: TENANT, confirm: TENANT });
      expect(receipt).toMatchObject({ sequence: 2, of: { kind: 'Tenant', fingerprint: null } });
      expect(await installation.traces()).toEqual([]);
      expect(await installation.traces('tulips')).toEqual([]);
      expect(await parts.store.apiKeys.list(TENANT)).toEqual([]);
      const list = await library.erasure.list({ tenant: TENANT });
      expect(list).toMatchObject({ brokenAt: null, receipts: [{}, {}] });
    }));
}

function restoreSuite(install: Install): void {
  it('is repeated after a restore, by receipts that name no one', async () => {
    const lost = await install();
    const restored = await install();
    try {
      await using before = await lost.open();
      const canaries = await fillCanaries(before);
      await eraseOf(before, { kind: 'Memory', id: canaries.shared });
      const ids = { tenant: TENANT };
      await eraseOf(before, { kind: 'User', id: USER });
      const { receipts } = await before.library.erasure.list(ids);
      await using after = await restored.open();
      const kept = await fillBystander(after);
      await fillCanaries(after);
      const asked = { ...ids, receipts: [...receipts] };
      const outcomes = ['Absent', 'Present'];
      const preview = await after.library.erasure.reapply({ ...asked, dryRun: true });
      expect(preview.outcomes.map(({ outcome }) => outcome)).toEqual(outcomes);
      const done = await after.library.erasure.reapply(asked);
      expect(done.outcomes.map(({ outcome }) => outcome)).toEqual(['Absent', 'Erased']);
      expect(await restored.traces(USER)).toEqual([]);
      await expectWhole(after, kept);
      // A later person with that name is another person.
      await fillCanaries(after);
      const again = await after.library.erasure.reapply(asked);
      expect(again.outcomes.map(({ outcome }) => outcome)).toEqual(['Absent', 'Known']);
      expect(await restored.traces(USER)).not.toEqual([]);
      const forged = asked.receipts.map((receipt) => ({ ...receipt, erasedAt: 1 }));
      const refused = after.library.erasure.reapply({ ...asked, receipts: forged });
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    } finally {
      await lost.remove();
      await restored.remove();
    }
  });
}

const HOUR_MS = 3_600_000;
const DEAD = new VarveError('TIMEOUT', 'The process is gone.');

/** Once the first pass was taken. */
function dyingAtOnce({ store }: ApiPorts): Store {
  const remove: Store['erasures']['remove'] = async (...pass) => {
    await store.erasures.remove(...pass);
    throw DEAD;
  };
  return { ...store, erasures: { ...store.erasures, remove } };
}

function dyingLate({ store }: ApiPorts): Store {
  return { ...store, rewriteFiles: () => Promise.reject(DEAD) };
}

interface Filled {
  readonly harness: Harness;
  readonly installation: Installation;
  readonly kept: Kept;
  readonly canaries: Canaries;
}

/** Turns, and what is said in each alone. */
const IN_TURNS = [
  ['turn-0', 'town'],
  ['turn-1', 'tea'],
] as const;
/** What is said in the session alone. */
const IN_SESSION = ['town', 'tea', 'sql', 'speaker', 'turn', 'label', 'caller'];

function eraseOf({ library }: Harness, target: Target, dryRun = false) {
  return library.memory.erase({ tenant: TENANT, target, dryRun });
}

async function expectWhole({ library, parts }: Harness, { memory, shared }: Kept): Promise<void> {
  const id = { tenant: TENANT, id: memory };
  expect(await library.memory.get(id)).toMatchObject({ content: 'Bob likes tulips.' });
  expect(await library.memory.get({ ...id, id: shared })).not.toBeNull();
  const { messages } = await library.conversation.messages({ tenant: TENANT, sessionId: 'bobs' });
  expect(messages).toMatchObject([{ id: 'turn-1', content: 'I live in Berlin.' }]);
  const subject = { kind: 'agent', id: 'helper' } as const;
  const daily = await library.daily.get({ tenant: TENANT, subject });
  expect(daily?.text).toContain('The helper answers in English.');
  expect(await parts.store.health()).toMatchObject({ ok: true, findings: [] });
}
