/** Memory files as callers see them, over a store in one file, at times that a test sets. */
import type { Library } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import type { ApplyDreamInput, DreamInput } from '#core/dreams/dream-contract.ts';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import {
  coreOf,
  proposalOf as proposalSample,
  subjectOf,
} from '#test/conformance/document-samples.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { shared } from '#test/shared-fixture.ts';
import { checkedLibraryOf } from '#test/unit/library/checked-library.ts';

export const ANN = { kind: 'user', id: 'ann' } as const;
export const BOB = { kind: 'user', id: 'bob' } as const;
/** A Saturday, 14:30 in UTC. */
export const NOON = Date.parse('2026-11-21T14:30:00Z');

/** The requests for dreams, and whether any process runs dreams. */
export interface AskedRuns {
  readonly started: DreamInput[];
  readonly applied: ApplyDreamInput[];
  answer: 'Started' | 'Running' | 'Away';
}

/** What callers have of the Markdown tiers, in the library and over HTTP. */
export type Tiers = Pick<Library, 'daily' | 'document' | 'dream' | 'event'>;

export interface TiersFixture extends AsyncDisposable {
  readonly ports: ApiPorts;
  readonly runs: AskedRuns;
  readonly clock: { now: number };
  tiers(principal?: Principal): Tiers;
  declare(tenant: string, dreams: readonly DreamPolicy[]): Promise<void>;
  release(tenant: string): Promise<void>;
}

export async function openTiers(): Promise<TiersFixture> {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const clock = { now: NOON };
  const runs: AskedRuns = { started: [], applied: [], answer: 'Started' };
  const ports = apiPortsOf(
    { ...parts, platform: { ...parts.platform, clock: () => clock.now } },
    { ...NO_REFRESH_TRIGGER, dreams: runsOf(runs) },
    null,
  );
  const { policies } = ports.store;
  const open = held.move();
  return {
    ports,
    runs,
    clock,
    tiers: (principal = LOCAL_OPERATOR) => checkedLibraryOf(ports, principal),
    declare: async (tenant, dreams) => {
      const policy = { ...defaultPolicy(tenant), dreams: [...dreams] };
      const hash = JSON.stringify(policy);
      await policies.put(ownerOf('test'), policy, { hash, now: clock.now });
    },
    release: async (tenant) => {
      await policies.put(ownerOf('test'), defaultPolicy(tenant), { hash: 'h', now: clock.now });
      await policies.release(tenant, ownerOf('test'), { now: clock.now });
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** One fixture for the tests of a file; each takes a tenant of its own. */
export function sharedTiers(): () => TiersFixture {
  const fixture = shared(openTiers);
  return () => {
    fixture().clock.now = NOON;
    return fixture();
  };
}

function runsOf(runs: AskedRuns): NonNullable<Parameters<typeof apiPortsOf>[1]['dreams']> {
  const answer = () => {
    if (runs.answer !== 'Away') return runs.answer;
    throw new VarveError('PROVIDER_ERROR', 'No Temporal server answers.');
  };
  return {
    start: async (input) => {
      runs.started.push(input);
      return answer();
    },
    apply: async (input) => {
      runs.applied.push(input);
      return answer();
    },
  };
}

export function lineOf(text: string, differing: Partial<DocumentLine> = {}): DocumentLine {
  return {
    id: `line-${text}`,
    heading: null,
    text,
    sources: [],
    trust: 'observed',
    at: NOON,
    ...differing,
  };
}

/** A version of MEMORY.md as a dream writes it. */
export function memoryFile(
  tenant: string,
  lines: readonly DocumentLine[],
  differing: Partial<Document> = {},
): Document {
  const made = { id: 'document', lines: [...lines], proposalId: 'dream-1', at: NOON };
  return coreOf(tenant, 1, { ...made, ...differing });
}

/** Of Ann: one line stays, one goes, one comes. */
export function proposalOf(tenant: string, differing: Partial<Proposal> = {}): Proposal {
  return proposalSample(tenant, 2, {
    id: 'dream-2',
    subjectId: 'subject-of-ann',
    findings: ['ApprovalRequired'],
    baseVersion: 1,
    lines: [lineOf('Ann grows tulips.'), lineOf('Bob cooks.', { sources: ['block-1'] })],
    removed: ['line-Ann likes tea.'],
    added: ['line-Bob cooks.'],
    archived: [],
    dropped: [{ text: 'Ann is rich.', reason: 'NotInSources' }],
    day: '2026-11-21',
    diary: [lineOf('Bob cooks now.')],
    contentHash: 'hash',
    blocks: [{ path: 'memory/2026-11-21.md', version: 1 }],
    gatheredAt: NOON,
    model: 'extractive',
    at: NOON,
    ...differing,
  });
}

export function subjectRecordOf(
  tenant: string,
  differing: Partial<SubjectRecord> = {},
): SubjectRecord {
  const made = { subjectId: 'subject-of-ann', announcedAt: NOON };
  return subjectOf(tenant, { ...made, ...differing });
}
