/** Operations on dreams and on their proposals. */
import * as schemas from '../schemas/dream.ts';
import type { z } from 'zod';
import { operation } from './operation.ts';
import { VarveError } from '#core/errors.ts';
import { isModelsWord } from '#core/dreams/dream-diary.ts';
import { linesOfProposal } from '#core/erasure/dependent-records.ts';
import { policyInForce, policyToWriteBy } from '#core/policy/policy-in-force.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import type { DreamRound } from '#core/records/dream-schedule.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { subjectKey, subjectOfKey } from '#core/subject.ts';
import { validLines } from '#memory/current-file-lines.ts';
import type { ApiPorts } from '../api-ports.ts';
import {
  authorize,
  authorizeSubject,
  authorizeTenant,
  decisionOf,
  isBound,
  lineReader,
  mayNameSubject,
  type Principal,
} from '../principal.ts';
import { subjectPlace, noteOutdated } from '../note-subject-changes.ts';

const OF = { tenant: 'acme', subject: { kind: 'user' as const, id: 'ann' } };
const ID = '019aa5c2-7c1e-7b52-9f0e-0000000000d1';
const HEAD: z.output<typeof schemas.DreamHead> = {
  id: ID,
  subject: OF.subject,
  schedule: 'nightly',
  state: 'Waiting',
  findings: ['ApprovalRequired'],
  at: 1_795_273_200_000,
  baseVersion: 1,
  readLines: 4,
  decision: null,
};
const PROPOSED: schemas.DreamAnswer = {
  ...HEAD,
  model: 'extractive',
  day: '2026-11-21',
  difference: {
    added: [{ heading: null, text: 'Bob cooks.', sources: ['block-1'] }],
    removed: [],
    replaced: [],
    archived: [],
    dropped: [{ text: 'Ann is rich.', reason: 'NotInSources' }],
  },
  kept: 1,
  leftBlocks: 0,
  diary: ['Bob cooks now.'],
};
const DECISION = { at: 1_795_276_800_000, principal: 'local', reason: 'It is right.' };

export const dream = {
  run: operation({
    name: 'dream.run',
    kind: 'mutation',
    summary:
      'Starts a dream of one subject; `dream.status` and `dream.get` show its ' +
      'result. Without Temporal, the dream has ended when this call returns.',
    input: schemas.RunDream,
    output: schemas.DreamStart,
    example: { input: OF, output: { dreamId: ID, state: 'Started' } },
    role: 'write',
    cost: 'modelCalls',
    commands: ['dream run'],
    /** `deep_dream(lookback_days = N)`: reads MEMORY.md and the last daily files. */
    async run(ports, principal, { tenant, subject, lookbackDays }) {
      authorizeSubject(principal, tenant, subject);
      const { store, platform, dreamRuns } = ports;
      await policyToWriteBy(store.policies, tenant);
      const record = await store.subjects.get(tenant, subjectKey(subject));
      if (record === null) return { dreamId: null, state: 'NothingNew' as const };
      const dreamId = platform.newId();
      const { subjectId } = record;
      const bound = isBound(principal) ? { isBound: true as const } : {};
      const asked = { tenant, subjectId, dreamId, round: null, lookbackDays: lookbackDays ?? null };
      const state = await ordered(() => dreamRuns.start({ ...asked, ...bound }), NEWS_KEPT);
      return { dreamId: state === 'Started' ? dreamId : null, state };
    },
  }),
  status: operation({
    name: 'dream.status',
    kind: 'query',
    summary:
      'Returns how the last dream of a subject ended, and whether there is ' +
      'something new for the next one.',
    input: schemas.DreamStatus,
    output: schemas.DreamStatusAnswer,
    example: {
      input: OF,
      output: {
        hasNew: false,
        last: { at: 1_795_273_200_000, dreamId: ID, outcome: 'Waiting' },
        proposal: 'Waiting',
        subject: OF.subject,
        subjectId: ID,
      },
    },
    role: 'read',
    commands: ['dream run', 'dream status'],
    /** Only a caller that may read the whole tenant may ask by the id alone. */
    async run({ store }, principal, { tenant, subject, subjectId = '' }) {
      if (subject === undefined) authorizeTenant(principal, tenant);
      else authorizeSubject(principal, tenant, subject);
      const record = await (subject === undefined
        ? store.subjects.byId(tenant, subjectId)
        : store.subjects.get(tenant, subjectKey(subject)));
      const { hasNew = false, last = null } = record ?? {};
      const proposal = last === null ? null : await store.proposals.get(tenant, last.dreamId);
      return {
        hasNew,
        last,
        proposal: proposal?.state ?? null,
        subject: subject ?? (record === null ? null : subjectOfKey(record.subject)),
        subjectId: record?.subjectId ?? null,
      };
    },
  }),
  get: operation({
    name: 'dream.get',
    kind: 'query',
    summary: 'Returns what one dream proposed, or null if it made no proposal or has not ended.',
    input: schemas.GetDream,
    output: schemas.DreamAnswer.nullable(),
    example: { input: { tenant: 'acme', id: ID }, output: PROPOSED },
    role: 'read',
    commands: ['dream show', 'dream run', 'dream status', 'export'],
    async run(ports, principal, { tenant, id }) {
      const proposal = await findProposal(ports, principal, { tenant, id });
      return proposal === null ? null : describeDream(ports, principal, proposal);
    },
  }),
  list: operation({
    name: 'dream.list',
    kind: 'query',
    summary: 'Lists what dreams proposed, the newest first.',
    input: schemas.ListDreams,
    output: schemas.DreamsAnswer,
    example: {
      input: { tenant: 'acme', state: 'Waiting' },
      output: {
        dreams: [{ ...HEAD, added: 1, removed: 0, archived: 0, dropped: 1 }],
        nextBefore: null,
      },
    },
    role: 'read',
    commands: ['dream list', 'export'],
    /** A principal bound to identifiers names its own subject. */
    async run({ store }, principal, { tenant, subject, state, before, limit }) {
      if (subject === undefined) authorizeTenant(principal, tenant);
      else authorizeSubject(principal, tenant, subject);
      const proposals = await store.proposals.list(tenant, {
        // One more than requested shows whether there are older ones.
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
        ...(subject === undefined ? {} : { subject: subjectPlace({ tenant, subject }).subject }),
        ...(state === undefined ? {} : { state }),
      });
      const dreams = proposals.slice(0, limit).map(dreamBrief);
      return { dreams, nextBefore: proposals.length > limit ? (dreams.at(-1)?.id ?? null) : null };
    },
  }),
  approve: operation({
    name: 'dream.approve',
    kind: 'mutation',
    summary: 'Approves a proposal, which is then applied.',
    input: schemas.ApproveDream,
    output: schemas.DreamAnswer,
    example: {
      input: { tenant: 'acme', id: ID, reason: 'It is right.' },
      output: { ...PROPOSED, state: 'Applied', decision: DECISION },
    },
    role: 'operate',
    errors: ['NOT_FOUND', 'CONFLICT'],
    commands: ['dream approve'],
    /** If no server is reachable, the approval is kept; the tick or a repeated call applies it. */
    async run(ports, principal, { tenant, id, reason }) {
      await policyToWriteBy(ports.store.policies, tenant);
      const found = await requireProposal(ports, tenant, id);
      if (found.state === 'Applied') return describeDream(ports, principal, found);
      const approved =
        found.state === 'Approved' ? found : await approve(ports, found, { principal, reason });
      await ordered(() => ports.dreamRuns.apply({ tenant, proposalId: id }), KEPT);
      // If nothing runs elsewhere, it is applied by now.
      return describeDream(
        ports,
        principal,
        (await ports.store.proposals.get(tenant, id)) ?? approved,
      );
    },
  }),
  reject: operation({
    name: 'dream.reject',
    kind: 'mutation',
    summary: 'Rejects a proposal: MEMORY.md stays unchanged.',
    input: schemas.RejectDream,
    output: schemas.DreamAnswer,
    example: {
      input: { tenant: 'acme', id: ID, reason: 'Bob does not cook.' },
      output: {
        ...PROPOSED,
        state: 'Rejected',
        decision: { ...DECISION, reason: 'Bob does not cook.' },
      },
    },
    role: 'operate',
    errors: ['NOT_FOUND', 'CONFLICT'],
    commands: ['dream reject'],
    /** What the dream read counts as unread: the dream after the next block reads it again. */
    async run(ports, principal, { tenant, id, reason }) {
      await policyToWriteBy(ports.store.policies, tenant);
      const found = await requireProposal(ports, tenant, id);
      if (found.state === 'Rejected') return describeDream(ports, principal, found);
      if (found.state !== 'Waiting') throw decided(found);
      const decision = decisionOf(principal, { at: ports.platform.clock(), reason });
      return describeDream(
        ports,
        principal,
        await decide(ports, found, { state: 'Rejected', decision }),
      );
    },
  }),
  schedules: operation({
    name: 'dream.schedules',
    kind: 'query',
    summary: 'Returns when each DeepDream of a tenant runs next, and how its last run ended.',
    input: schemas.ListSchedules,
    output: schemas.SchedulesAnswer,
    example: {
      input: { tenant: 'acme' },
      output: {
        schedules: [
          {
            name: 'nightly',
            cron: '0 3 * * *',
            timeZone: 'Europe/Vienna',
            nextAt: 1_795_312_800_000,
            last: {
              at: 1_795_226_400_000,
              started: 2,
              outcomes: { Dreamed: 1, Waiting: 1 },
              endedAt: 1_795_226_460_000,
            },
          },
        ],
      },
    },
    role: 'operate',
    commands: ['dream schedules'],
    async run({ store }, _, { tenant }) {
      const { dreams = [] } = await policyInForce(store.policies, tenant);
      const records = new Map(
        (await store.dreamSchedules.list(tenant)).map((each) => [each.name, each]),
      );
      const schedules = dreams.map(({ name, cron, timeZone }) => {
        const { nextAt = null, last = null } = records.get(name) ?? {};
        return { name, cron, timeZone, nextAt, last: last === null ? null : shownRound(last) };
      });
      return { schedules };
    },
  }),
};

const NEWS_KEPT = 'What is new is kept for a later dream.';

function shownRound({ at, started, outcomes, endedAt }: DreamRound): schemas.ShownRound {
  return { at, started, outcomes, endedAt };
}

/** Returns null both for an unknown id and for another's proposal, so that they look the same. */
async function findProposal(
  { store }: ApiPorts,
  principal: Principal,
  { tenant, id }: { tenant: string; id: string },
): Promise<Proposal | null> {
  authorize(principal, { tenant });
  const proposal = await store.proposals.get(tenant, id);
  const subject = proposal === null ? null : subjectOfKey(proposal.subject);
  return subject !== null && mayNameSubject(principal, subject) ? proposal : null;
}

/** Describes a dream as it may be read now, without lines that no longer hold. */
async function describeDream(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  principal: Principal,
  proposal: Proposal,
): Promise<schemas.DreamAnswer> {
  const { tenant, subject, baseVersion: version } = proposal;
  const place = { tenant, subject, path: MEMORY_PATH, version };
  const base = version === 0 ? null : await ports.store.documents.get(place);
  const all = [...linesOfProposal(proposal), ...(base?.lines ?? [])];
  const holds = await validLines(ports, lineReader(ports.store, principal, tenant), all);
  const isWhole = all.every(holds);
  return dreamAnswer(proposal, base, {
    isWhole,
    isShown: (line) => holds(line) && (isWhole || !isModelsWord(line)),
  });
}

interface Shown {
  readonly isShown: (line: DocumentLine) => boolean;
  /** False if something that the dream read is gone: an unproven line may be about that. */
  readonly isWhole: boolean;
}

function dreamBrief(proposal: Proposal): schemas.DreamBrief {
  const { added, removed, archived, dropped } = proposal;
  return {
    ...head(proposal),
    added: added.length,
    removed: removed.length,
    archived: archived.length,
    dropped: dropped.length,
  };
}

/** @param base the version of MEMORY.md that the dream started from; null if there was none */
function dreamAnswer(
  proposal: Proposal,
  base: Pick<Document, 'lines'> | null,
  { isShown, isWhole }: Shown,
): schemas.DreamAnswer {
  const { lines, archived, dropped, day, model, diary, leftBlocks } = proposal;
  const added = new Set(proposal.added);
  const removed = new Set(proposal.removed);
  const proposed = lines.filter(({ id }) => added.has(id));
  const standing = new Set([...lines, ...archived].map(({ id }) => id));
  const shownLines = (some: readonly DocumentLine[]) =>
    some.filter(isShown).map(({ heading, text, sources }) => ({ heading, text, sources }));
  const gone = (base?.lines ?? []).filter(({ id }) => !standing.has(id));
  return {
    ...head(proposal),
    model,
    day,
    difference: {
      added: shownLines(proposed),
      removed: shownLines(gone.filter(({ id }) => removed.has(id))),
      replaced: shownLines(gone.filter(({ id }) => !removed.has(id))),
      archived: shownLines(archived),
      dropped: isWhole ? dropped : [],
    },
    kept: lines.length - proposed.length,
    leftBlocks,
    diary: diary.filter(isShown).map(({ text }) => text),
  };
}

function head(proposal: Proposal) {
  const { id, subject, dream: schedule, state, findings, at, baseVersion } = proposal;
  const { readLines, decision } = proposal;
  return {
    id,
    subject: subjectOfKey(subject),
    schedule,
    state,
    findings,
    at,
    baseVersion,
    readLines,
    decision,
  };
}

/**
 * Gives an order to another process, with an error that says what becomes of it.
 * @param kept a sentence that says what becomes of the order if it fails
 * @throws VarveError PROVIDER_ERROR or TIMEOUT if no process could be asked, and what it refuses
 */
async function ordered<T>(order: () => Promise<T>, kept: string): Promise<T> {
  try {
    return await order();
  } catch (error) {
    if (!(error instanceof VarveError) || !error.retryable) throw error;
    const { code, message, details } = error;
    throw new VarveError(code, `${message} ${kept}`, { details, cause: error });
  }
}

const KEPT = 'The approval is kept and takes effect once workflows run again.';

const OUTDATED =
  'MEMORY.md has changed since this was proposed, or something that it rests on was deleted, so ' +
  'the proposal is outdated. Run a dream again: varve dream run, or dream.run.';

async function approve(
  ports: ApiPorts,
  proposal: Proposal,
  { principal, reason }: { principal: Principal; reason: string },
): Promise<Proposal> {
  if (proposal.state !== 'Waiting') throw decided(proposal);
  const { tenant, subject, baseVersion } = proposal;
  const latest = await ports.store.documents.latest({ tenant, subject, path: MEMORY_PATH });
  if ((latest?.version ?? 0) !== baseVersion) {
    await noteOutdated(ports, { tenant, subject }, proposal);
    await decide(ports, proposal, { state: 'Outdated' });
    throw new VarveError('CONFLICT', OUTDATED, { details: { state: 'Outdated' }, isSettled: true });
  }
  const decision = decisionOf(principal, { at: ports.platform.clock(), reason });
  return decide(ports, proposal, { state: 'Approved', decision });
}

async function decide(
  { store, platform }: ApiPorts,
  proposal: Proposal,
  change: Pick<Proposal, 'state'> & Partial<Pick<Proposal, 'decision'>>,
): Promise<Proposal> {
  const next = { ...proposal, ...change, version: proposal.version + 1 };
  if (await store.proposals.put(next)) {
    const event = { tenant: next.tenant, id: platform.newId(), at: platform.clock() };
    const attributes = { dreamId: next.id, state: next.state };
    await store.events.append({ ...event, type: 'memory_proposal_decided', attributes });
    return next;
  }
  throw new VarveError(
    'CONFLICT',
    'Another person decided on this proposal at the same time. Read it again with dream.get.',
  );
}

async function requireProposal({ store }: ApiPorts, tenant: string, id: string): Promise<Proposal> {
  const proposal = await store.proposals.get(tenant, id);
  if (proposal !== null) return proposal;
  const message = `There is no dream ${JSON.stringify(id)} with a proposal; see dream.list.`;
  throw new VarveError('NOT_FOUND', message);
}

function decided({ state }: Proposal): VarveError {
  const message = state === 'Outdated' ? OUTDATED : `It is ${state.toLowerCase()} already.`;
  return new VarveError('CONFLICT', message, { details: { state }, isSettled: true });
}
