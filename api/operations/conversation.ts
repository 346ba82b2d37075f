/**
 * Operations on the turns of sessions: append turns, remove the text of old ones, and have a model
 * of the tenant write about messages that a program holds.
 */
import * as schemas from '../schemas/conversation.ts';
import { appendTurns, listConversations } from '../conversations.ts';
import { operation } from './operation.ts';
import { endOfSession } from '#core/sessions/session-end.ts';
import { flushNow } from '#core/flush/pending-flush.ts';
import { policyInForce, sessionSilenceOf, policyToWriteBy } from '#core/policy/policy-in-force.ts';
import { authorize, authorizedSession, authorizeTenant } from '../principal.ts';
import { chunked, pagesOf } from '#core/chunks-and-pages.ts';
import { partIds, saidIn, PARTS_MAX } from '#core/sessions/turn-parts.ts';
import { deletedSession, nextVersion } from '#core/sessions/session-changes.ts';
import { deleteMemoriesOfTurns } from '#memory/memories-of-session.ts';
import { requestRefreshIfDue } from '#memory/request-refresh.ts';
import { writeRules } from '../find-memory.ts';
import { VarveError } from '#core/errors.ts';
import type { FlushInput } from '#core/ports/flush-runs.ts';
import { DELETED_PER_CALL_MAX } from '#core/ports/turn-records.ts';
import type { Turn } from '#core/records/turn.ts';
import type { ApiPorts } from '../api-ports.ts';

const COUNTS = {
  sessions: 3,
  turns: 120,
  quotes: 14,
  bytesFreed: 18_432,
  unsummarized: 0,
  waiting: 0,
  answers: 2,
};

const NO_COMMAND = 'Programs hold conversations; the CLI imports and asks.';

export const conversation = {
  append: operation({
    name: 'conversation.append',
    kind: 'mutation',
    summary: 'Appends turns to a session.',
    input: schemas.AppendTurns,
    output: schemas.AppendedTurns,
    example: {
      input: {
        tenant: 'acme',
        sessionId: 'call-7',
        identifiers: { userId: 'dana' },
        turns: [{ id: 'turn-1', role: 'user', content: 'The launch moves to December 1.' }],
      },
      output: { appended: 1, ids: ['turn-1'] },
    },
    role: 'write',
    beginsSession: true,
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: ['import', 'demo'],
    run: appendTurns,
  }),
  messages: operation({
    name: 'conversation.messages',
    kind: 'query',
    summary: 'Returns the turns of a session in their order, page by page.',
    input: schemas.ReadConversation,
    output: schemas.ShownMessages,
    example: {
      input: { tenant: 'acme', sessionId: 'call-7' },
      output: {
        messages: [
          {
            id: 'turn-1',
            role: 'user',
            speaker: null,
            content: 'The launch moves to December 1.',
            toolCalls: [],
            toolCallId: null,
            at: 1_764_000_000_000,
            sequence: 1,
          },
        ],
        nextAfter: null,
        nextBefore: null,
      },
    },
    role: 'read',
    commands: ['export'],
    async run(ports, principal, { tenant, sessionId, after = 0, before, limit }) {
      authorize(principal, { tenant, identifiers: { sessionId } });
      await authorizedSession(ports, principal, { tenant, sessionId });
      const { turns } = ports.store;
      const [newest] = before === undefined ? [] : await turns.latest({ tenant, sessionId }, 1);
      const end = Math.min(before ?? 0, (newest?.sequence ?? 0) + 1);
      // Sequences have no gaps, so a page backwards is a page forwards from its own start.
      const from = before === undefined ? after : Math.max(0, end - 1 - limit);
      const most = before === undefined ? limit : end - 1 - from;
      const page =
        most === 0 ? [] : await turns.page({ tenant, sessionId }, { after: from, limit: most });
      const messages = page
        .filter(({ compactedAt }) => compactedAt === null)
        .map((turn) => ({
          id: turn.id,
          role: turn.role,
          speaker: turn.speaker,
          content: saidIn(turn),
          toolCalls: turn.toolCalls,
          toolCallId: turn.toolCallId,
          at: turn.at,
          ...(turn.utcOffset === undefined ? {} : { utcOffset: turn.utcOffset }),
          sequence: turn.sequence,
        }));
      if (before !== undefined) {
        return { messages, nextAfter: null, nextBefore: from > 0 ? from + 1 : null };
      }
      const nextAfter = page.length < limit ? null : (page.at(-1)?.sequence ?? null);
      return { messages, nextAfter, nextBefore: null };
    },
  }),
  list: operation({
    name: 'conversation.list',
    kind: 'query',
    summary: 'Lists the sessions that the identifiers open, the newest first, page by page.',
    input: schemas.ListConversations,
    output: schemas.ShownConversations,
    example: {
      input: { tenant: 'acme', identifiers: { userId: 'dana' } },
      output: {
        sessions: [
          {
            sessionId: 'call-7',
            identifiers: { userId: 'dana' },
            firstAt: 1_764_000_000_000,
            lastAt: 1_764_000_000_000,
            endedAt: null,
            tags: [],
          },
        ],
        nextCursor: null,
      },
    },
    role: 'read',
    commands: ['export'],
    run: listConversations,
  }),
  end: operation({
    name: 'conversation.end',
    kind: 'mutation',
    summary:
      'Ends a session and flushes it, as `conversation.flush` does; if workflows ' +
      'run, in a durable run. A later turn opens the session again. Varve ' +
      'flushes a session automatically after 30 minutes of silence, or after ' +
      '`sessions.endAfterSilence` of the policy.',
    input: schemas.EndConversation,
    output: schemas.EndedConversation,
    example: { input: { tenant: 'acme', sessionId: 'call-7' }, output: { ended: true } },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: { none: NO_COMMAND },
    async run(ports, principal, { tenant, sessionId }) {
      authorize(principal, { tenant, identifiers: { sessionId } });
      const known = await authorizedSession(ports, principal, { tenant, sessionId });
      const { clock, newId } = ports.platform;
      const endedAt = clock();
      const announcement = { id: newId(), now: endedAt, layers: principal.layers };
      const flushed: { id: string | null } = { id: null };
      await ports.store.sessions.change(tenant, sessionId, (before) => {
        if (before === null) return null;
        const { flush: waiting, version } = before;
        const flush = waiting === null ? null : flushNow(waiting, announcement, 'Session');
        flushed.id = flush?.id ?? null;
        return { ...before, endedAt: before.endedAt ?? endedAt, flush, version: version + 1 };
      });
      if (flushed.id !== null) await flushEnded(ports, { tenant, flushId: flushed.id });
      return { ended: known !== null };
    },
  }),
  flush: operation({
    name: 'conversation.flush',
    kind: 'mutation',
    summary:
      'Processes the turns since the last flush: keeps their lasting statements ' +
      'in the layers that the identifiers of the session open, and appends lines ' +
      'to the daily file of the day on which they were said. Each turn takes ' +
      'effect once, however often you call this.',
    input: schemas.FlushConversation,
    output: schemas.FlushedConversation,
    example: {
      input: { tenant: 'acme', sessionId: 'call-7' },
      output: {
        state: 'Done',
        turns: 12,
        results: [],
        daily: '- The launch moves to December 1.\n',
      },
    },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: { none: NO_COMMAND },
    /**
     * Runs in this process, or in a workflow run if a worker's model reads the turns. A repeated
     * call finishes a failed one; turns that took effect change nothing.
     */
    async run(ports, principal, { tenant, sessionId }) {
      authorize(principal, { tenant, identifiers: { sessionId } });
      const session = await authorizedSession(ports, principal, { tenant, sessionId });
      // A session without an owner waits: a later append may name its owner.
      if (session === null || session.opener === '') return NOTHING;
      const page = { after: session.flushedTo, limit: 1 };
      const waiting = await ports.store.turns.page({ tenant, sessionId }, page);
      if (waiting.length === 0) return NOTHING;
      const { clock, newId } = ports.platform;
      const policy = await policyInForce(ports.store.policies, tenant);
      const silenceMs = sessionSilenceOf(policy);
      const announcement = { id: newId(), now: clock(), layers: principal.layers };
      const flushed: { id: string | null } = { id: null };
      await ports.store.sessions.change(tenant, sessionId, (before) => {
        if (before === null) return null;
        const isOver = endOfSession(before, { now: announcement.now, silenceMs }) !== null;
        const heading = isOver ? 'Session' : 'Trimmed Context';
        const flush = flushNow(before.flush, announcement, heading);
        flushed.id = flush.id;
        return { ...before, flush, version: before.version + 1 };
      });
      if (flushed.id === null) return NOTHING;
      const input = { tenant, flushId: flushed.id };
      const { runs } = ports.flushes;
      if (policy.extraction !== undefined && runs !== null) {
        // Workers call models, and a call takes long. The tick also finds pending turns.
        await runs.start(input);
        return { ...NOTHING, state: 'Started' as const };
      }
      const { turns, results, daily } = await ports.flushes.here(input);
      return { state: 'Done' as const, turns, results: [...results], daily };
    },
  }),
  delete: operation({
    name: 'conversation.delete',
    kind: 'mutation',
    summary:
      'Deletes turns or a whole session. They leave every context and summary at ' +
      'once, with the memories that were extracted from them. A reply that ' +
      'repeats the words of a turn is a separate turn, and stays unless you name it too.',
    input: schemas.DeleteConversation,
    output: schemas.DeletedTurns,
    example: {
      input: { tenant: 'acme', sessionId: 'call-7', turnIds: ['turn-1'] },
      output: { deleted: ['turn-1'] },
    },
    role: 'write',
    errors: ['CONFLICT'],
    commands: ['demo'],
    async run(ports, principal, { tenant, sessionId, turnIds }) {
      authorize(principal, { tenant, identifiers: { sessionId } });
      const known = await authorizedSession(ports, principal, { tenant, sessionId });
      const { store, platform } = ports;
      const policy = await policyToWriteBy(store.policies, tenant);
      const session = { tenant, sessionId };
      const ids = turnIds?.flatMap(partIds) ?? (await idsOf(ports, session));
      const deleted: string[] = [];
      for (const some of chunked(ids, DELETED_AT_ONCE)) {
        const rules = writeRules(policy, 'session', platform.clock());
        const forget = async () => {
          if (known === null) return;
          await deleteMemoriesOfTurns(ports, { session: known, turnIds: some }, principal.name);
        };
        // Delete the memories made of the turns first, so that the next call can finish a failed
        // one, and then those that a flush made meanwhile: it adds none of turns that are gone.
        await forget();
        const outcome = await store.turns.delete(session, some, rules);
        await forget();
        deleted.push(...outcome.deleted);
        // Raise the version before answering, so that no context uses what was read before.
        const change = turnIds === undefined ? deletedSession : nextVersion;
        await store.sessions.change(tenant, sessionId, change);
        await requestRefreshIfDue(ports, outcome.scope);
      }
      return { deleted };
    },
  }),
  summarize: operation({
    name: 'conversation.summarize',
    kind: 'mutation',
    summary:
      'Asks the model that summarizes the sessions of the tenant to write about ' +
      'messages, such as a running summary, within the budget. Varve stores only ' +
      'the entry of the ledger, with the purpose `conversation`; a repeated call costs again.',
    input: schemas.SummarizeConversation,
    output: schemas.SummarizedConversation,
    example: {
      input: {
        tenant: 'acme',
        messages: [
          { role: 'user', content: 'I move to Bern on May 4.' },
          { role: 'assistant', content: 'Good luck!' },
        ],
      },
      output: {
        text: 'The user moves to Bern on May 4.',
        model: 'a-model',
        inputTokens: 312,
        outputTokens: 11,
        microDollars: 54,
      },
    },
    role: 'write',
    cost: 'modelCalls',
    errors: [
      'NOT_FOUND',
      'BUDGET_EXHAUSTED',
      'CONTENT_TOO_LONG',
      'PROVIDER_REJECTED',
      'MODEL_OUTPUT_INVALID',
    ],
    commands: { none: 'It is for programs that talk; the CLI holds no conversation.' },
    async run({ conversationTexts }, principal, { tenant, messages, instruction, maxTokens }) {
      authorizeTenant(principal, tenant);
      const { text, model, usage, cost } = await conversationTexts.write(tenant, {
        messages: messages.map(({ role, speaker = null, content }) => ({
          role,
          speaker,
          text: content,
        })),
        instruction,
        tokensMax: maxTokens,
      });
      return { text, model, ...usage, microDollars: cost.microDollars };
    },
  }),
};

/** Also part of the group `memory`. */
export const memoryCompaction = {
  compact: operation({
    name: 'memory.compact',
    kind: 'mutation',
    summary:
      'Deletes the text of turns that are older than their retention time, once a summary ' +
      'covers them and a flush made memories of them, except sentences that summaries cite. ' +
      'Without Temporal, the call does this at once.',
    input: schemas.CompactMemory,
    output: schemas.CompactionShown,
    example: {
      input: { tenant: 'acme', dryRun: true },
      output: { state: 'Preview', counts: COUNTS },
    },
    role: 'operate',
    commands: ['compact'],
    async run({ compactions, store }, _, { tenant, dryRun }) {
      if (dryRun) return { state: 'Preview' as const, counts: await compactions.preview(tenant) };
      // Refuse a tenant that is no longer declared: nothing may be removed from it.
      await policyToWriteBy(store.policies, tenant);
      const answer = await compactions.run(tenant);
      return { state: answer.kind, counts: answer.kind === 'Done' ? answer.totals : null };
    },
  }),
  compactionStatus: operation({
    name: 'memory.compactionStatus',
    kind: 'query',
    summary: 'Returns how the last durable compaction of a tenant ended.',
    input: schemas.CompactionStatus,
    output: schemas.CompactionStatusAnswer,
    example: { input: { tenant: 'acme' }, output: { state: 'Done', counts: COUNTS } },
    role: 'operate',
    commands: ['compact'],
    async run({ compactions }, _, { tenant }) {
      const run = await compactions.last(tenant);
      if (run === null) return { state: 'Never' as const, counts: null };
      return { state: run.state, counts: run.state === 'Done' ? run.totals : null };
    },
  }),
};

const NOTHING: schemas.FlushedConversation = { state: 'Done', turns: 0, results: [], daily: null };

/** All parts of a turn go in one call of the store: they are deleted together or not at all. */
const DELETED_AT_ONCE = DELETED_PER_CALL_MAX - (DELETED_PER_CALL_MAX % PARTS_MAX);

/** The session has ended even if the flush fails: its record keeps what is pending. */
async function flushEnded({ flushes, platform }: ApiPorts, input: FlushInput): Promise<void> {
  try {
    await (flushes.runs === null ? flushes.here(input) : flushes.runs.start(input));
  } catch (error) {
    const code = error instanceof VarveError ? error.code : 'CORRUPT';
    platform.log.warn({ tenant: input.tenant, code }, 'session ended but is not flushed yet');
  }
}

async function idsOf(
  { store: { turns } }: ApiPorts,
  session: { tenant: string; sessionId: string },
): Promise<readonly string[]> {
  const limit = DELETED_PER_CALL_MAX;
  const read = (last: Turn | undefined) =>
    turns.page(session, { after: last?.sequence ?? 0, limit });
  return (await Array.fromAsync(pagesOf(limit, read))).flat().map(({ id }) => id);
}
