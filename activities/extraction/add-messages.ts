/**
 * Reads the messages of a call with a tenant's model, and keeps what lasts (`memory.addMessages`).
 *
 * Flow: claim each message → take a portion → have the model read it, or else rules → keep its
 * statements → note of each message what it became → delete the text of the answer.
 * Guarantees: a message with an id takes effect once, in whatever call it is sent. If a call fails
 * between answer and writes, the same call finishes it with the answer that was paid for.
 */
import { canonicalJson, contentHash } from '#core/hash.ts';
import { VarveError } from '#core/errors.ts';
import {
  messageSource,
  type Extracted,
  type Message,
} from '#core/extraction/extract-statements.ts';
import { policyToWriteBy } from '#core/policy/policy-in-force.ts';
import type { ClaimedKey } from '#core/ports/memory-provider.ts';
import type { Keeping, ReadMessages, SentMessage } from '#core/ports/message-extractor.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { extractWithChanges } from '#core/recall/outdated/change-sentences.ts';
import type { ExtractionResult, RulesReason } from '#core/records/extracted-statement.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { ReadAnswer } from '#core/records/write-answer.ts';
import type { Scope } from '#core/scope.ts';
import type { InQueue } from '#core/queue-per-name.ts';
import { isDeleted } from '#core/retention/compacted-turn.ts';
import { isLive } from '#core/sources/memory-lifecycle.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import { scopesOfSession } from '#memory/memories-of-session.ts';
import { unlessErased } from '../write-unless-erased.ts';
import {
  answeredFacts,
  answeredStatements,
  askModel,
  hasSpeaker,
  portionsOf,
  readerOf,
  type Found,
  type ModelExtraction,
  type ExtractionPorts,
} from './model-extraction.ts';

/** Maximum portions that a model reads, since the caller waits; rules read the rest. */
const PORTIONS_MAX = 5;
/** Time limit for the calls of models and verifiers, all together; rules read what is left. */
const READ_MS_MAX = 250_000;

/** A message of a call, which may have taken effect in an earlier one. */
interface SentOnce extends Message {
  readonly tokenCount: number;
  /** Whether its sender gave it an id. */
  readonly isNamed: boolean;
  /** Its idempotency key as given, and its claim; null for a message without a speaker. */
  readonly key: string | null;
  readonly claimed: ClaimedKey | null;
}

/** A message that has taken no effect yet, with its open claim. */
type Fresh = Pick<SentOnce, 'id' | 'isNamed'> & {
  readonly key: string;
  readonly operationId: string;
};

export interface AddMessagesPorts extends ExtractionPorts {
  readonly inQueue: InQueue;
}

interface Reader {
  readonly keeping: Keeping;
  readonly scopes: readonly Scope[];
  readonly policy: TenantPolicy;
  readonly model: SummaryModel;
  /** Ends calls of models after `READ_MS_MAX`. */
  readonly signal: AbortSignal;
}

/** As the port says (core/ports/message-extractor.ts). */
export async function addMessages(
  given: AddMessagesPorts,
  sent: readonly SentMessage[],
  keeping: Keeping,
): Promise<ReadMessages | RulesReason> {
  const ports = await unlessErased(given, keeping.tenant);
  const policy = await policyToWriteBy(ports.store.policies, keeping.tenant);
  const model = readerOf(policy, ports.models);
  if (model === null) return 'NoModel';
  if (model.isKeyElsewhere === true) return 'WorkersOnly';
  const scopes = (await scopesOfSession(ports.store, keeping)).filter(keeping.mayWrite);
  const signal = AbortSignal.timeout(READ_MS_MAX);
  const reader: Reader = { keeping, scopes, policy, model, signal };
  let end: RulesReason | null = null;
  let asked = 0;
  const read: ReadMessages[] = [];
  for (const portion of portionsOf(await claimEach(ports, sent, keeping), model)) {
    if (asked === PORTIONS_MAX) end ??= 'TooLong';
    if (freshOf(portion).length > 0) asked += 1;
    const { ended, ...kept } = await readPortion(ports, portion, { reader, end });
    if (ENDING.has(ended)) end = ended;
    read.push(kept);
  }
  const reasons = read.flatMap(({ reason }) => reason ?? []);
  return { results: read.flatMap(({ results }) => results), reason: reasons[0] ?? null };
}

/** For these reasons, a model would not read the next portion either. */
const ENDING: ReadonlySet<RulesReason | null> = new Set(['Unavailable', 'BudgetExhausted']);

async function claimEach(
  ports: ExtractionPorts,
  sent: readonly SentMessage[],
  { tenant, identifiers, by }: Keeping,
): Promise<readonly SentOnce[]> {
  const { provider, platform, tokens } = ports;
  const whole = platform.digest(canonicalJson(sent));
  const named = Map.groupBy(sent, (message) => message.id ?? message);
  const once = [...named.values()].flatMap(([first]) => first ?? []);
  const keys = once.map((message, place) => {
    if (!hasSpeaker(message)) return null;
    // Without an id, only the same call that failed before is recognized.
    const name = message.id === undefined ? [whole, place] : [message.id, message.content];
    return JSON.stringify(['memory.addMessages', canonicalJson(identifiers), ...name]);
  });
  const claims = keys.map(async (key) =>
    key === null ? null : provider.claimKey(tenant, { key, body: null }, { by }),
  );
  const claimed = await Promise.all(claims);
  const times = claimed.map((each) => begunAt(each) ?? platform.clock());
  return once.map(({ id, said, ...message }, place) => {
    const own = claimed[place] ?? null;
    const { operationId } = openClaim(own) ?? { operationId: platform.newId() };
    return {
      ...message,
      // No message is later than those after it, even if one of them was sent before.
      ...(said ?? { at: Math.min(...times.slice(place)) }),
      id: id ?? platform.digest(operationId),
      tokenCount: tokens.count(message.content),
      isNamed: id !== undefined,
      key: keys[place] ?? null,
      claimed: own,
    };
  });
}

/** Returns when a message was first sent: if its call failed and is repeated, it keeps its time. */
function begunAt(claimed: ClaimedKey | null): number | null {
  return claimed?.claim.kind === 'Unfinished' ? claimed.claim.startedAt : (claimed?.now ?? null);
}

/**
 * Claims the named messages of a portion again: another call may have read some of them meanwhile,
 * such as one with more of the last messages.
 */
async function claimAgain(
  { provider }: ExtractionPorts,
  portion: readonly SentOnce[],
  { tenant, by }: Keeping,
): Promise<readonly SentOnce[]> {
  const claims = portion.map(async (message): Promise<SentOnce> => {
    const { key, isNamed, claimed } = message;
    if (key === null || !isNamed || openClaim(claimed) === null) return message;
    return { ...message, claimed: await provider.claimKey(tenant, { key, body: null }, { by }) };
  });
  return Promise.all(claims);
}

/** Returns the claim of a message that has taken no effect yet; null for any other. */
function openClaim(claimed: ClaimedKey | null) {
  if (claimed === null || claimed.claim.kind === 'Answered') return null;
  return { key: claimed.key, operationId: claimed.claim.operationId };
}

function freshOf(portion: readonly SentOnce[]): readonly Fresh[] {
  return portion.flatMap(({ id, isNamed, claimed }) => {
    const claim = openClaim(claimed);
    return claim === null ? [] : [{ id, isNamed, ...claim }];
  });
}

/** Returns what a message became in an earlier call; null if it has taken no effect yet. */
function answerBefore({ claimed }: SentOnce): ReadAnswer | null {
  return claimed?.claim.kind === 'Answered' ? ReadAnswer.parse(claimed.claim.answer) : null;
}

/**
 * Reads a portion, and returns in `ended` why the model did not answer; null if it did.
 * @param end why rules are to read it without asking; null to ask
 */
async function readPortion(
  ports: AddMessagesPorts,
  portion: readonly SentOnce[],
  { reader, end }: { readonly reader: Reader; readonly end: RulesReason | null },
): Promise<ReadMessages & { readonly ended: RulesReason | null }> {
  const { keeping, scopes } = reader;
  const { tenant } = keeping;
  const { digest } = ports.platform;
  const claims = freshOf(portion).map(({ operationId }) => operationId);
  if (claims.length === 0) return { ...(await resultsAgain(ports, portion, keeping)), ended: null };
  const reading: ModelExtraction = {
    batch: { tenant, batchId: digest(JSON.stringify(claims)) },
    messages: portion,
    sources: portion.filter(hasSpeaker).map(({ tokenCount, ...message }) => ({
      ...messageSource(message),
      contentHash: contentHash(digest, message.content),
      tokens: tokenCount,
    })),
    scopes,
    isForDailyFile: false,
  };
  const unread = end ?? (await reasonOfRules(ports, reading, reader));
  const found: Found =
    unread === null
      ? await answeredStatements(ports, reading)
      : { statements: extractWithChanges(portion), reason: unread };
  // Two calls that share messages, such as the last ten each, may have been answered meanwhile.
  const { identifiers, by } = keeping;
  const kept = await ports.inQueue(canonicalJson([tenant, identifiers, by]), async () => {
    const left = await claimAgain(ports, portion, keeping);
    return keepFound(ports, left, { ...found, keeping });
  });
  await ports.store.answers.close(tenant, reading.batch.batchId);
  return { ...kept, ended: unread };
}

/** Keeps what was found in the messages that have taken no effect yet, and notes that they have. */
async function keepFound(
  ports: ExtractionPorts,
  portion: readonly SentOnce[],
  { keeping, statements, reason }: Found & { readonly keeping: Keeping },
): Promise<ReadMessages> {
  const { tenant } = keeping;
  const again = await resultsAgain(ports, portion, keeping);
  const fresh = freshOf(portion);
  const isFresh = new Set(fresh.map(({ id }) => id));
  const found = statements.filter(({ message }) => isFresh.has(message.id));
  const deleted = await deletedTurns(ports, found, keeping);
  const kept = found.filter(({ message }) => !deleted.has(message.id));
  const results = await keepStatements(ports, keeping, kept);
  const { idempotency } = ports.store;
  for (const { id, key, operationId, isNamed } of fresh) {
    if (isNamed) await idempotency.answer(tenant, key, answerOf(id, results, reason));
    else await idempotency.release(tenant, key, operationId);
  }
  return { results: [...again.results, ...results], reason: reason ?? again.reason };
}

/** Returns the ids of messages that are turns of the session, deleted while the model read them. */
async function deletedTurns(
  { store }: ExtractionPorts,
  found: readonly Extracted[],
  { tenant, identifiers: { sessionId } }: Keeping,
): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  if (sessionId === undefined) return deleted;
  for (const id of new Set(found.map(({ message }) => message.id))) {
    const turn = await store.turns.get({ tenant, sessionId }, id);
    if (turn !== null && isDeleted(turn)) deleted.add(id);
  }
  return deleted;
}

/** Codes of an endpoint that refuses the call, its key, or the model: the same call fails again. */
const REFUSALS: ReadonlySet<string> = new Set([
  'PROVIDER_REJECTED',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
]);

/** Has the model read a portion. Returns null if it did; otherwise why rules are to read it. */
async function reasonOfRules(
  ports: ExtractionPorts,
  reading: ModelExtraction,
  { policy, model, signal }: Reader,
): Promise<RulesReason | null> {
  const { tenant } = reading.batch;
  await requireNoOtherReader(ports, reading);
  try {
    const asked = await askModel(ports, reading, { model, policy, call: { signal } });
    return asked.kind === 'Answered' ? null : asked.reason;
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CONFLICT') throw error;
    const { code } = error;
    ports.platform.log.warn({ tenant, code }, 'no model read the messages; rules read them');
    if (REFUSALS.has(code)) return 'Refused';
    return code === 'CONTENT_TOO_LONG' ? 'TooLong' : 'Unavailable';
  }
}

/**
 * Refuses messages that another process may be having read: its answer would be paid for twice.
 * @throws VarveError CONFLICT
 */
async function requireNoOtherReader(
  { store, platform }: ExtractionPorts,
  { batch }: ModelExtraction,
): Promise<void> {
  const { tenant, batchId } = batch;
  if ((await answeredFacts({ store }, batch)) !== null) return;
  const [latest] = await store.accounts.entries(tenant, { batchId, limit: 1 });
  if (latest?.state !== 'Reserved') return;
  const retryAfterMs = latest.reservedAt + READ_MS_MAX - platform.clock();
  if (retryAfterMs <= 0) return;
  const message =
    'A model is reading these messages for another call, or that call has crashed. Send them ' +
    'again later: what was answered by then is not paid for again.';
  throw new VarveError('CONFLICT', message, { details: { retryAfterMs } });
}

function answerOf(
  source: string,
  results: readonly ExtractionResult[],
  reason: RulesReason | null,
): ReadAnswer {
  const kept = results.flatMap(({ id, kind, layer, source: of }) =>
    of === source && id !== null ? [{ id, kind, layer }] : [],
  );
  return { reason, kept };
}

/** What messages of earlier calls became; what was deleted since is left out. */
async function resultsAgain(
  { provider, platform }: ExtractionPorts,
  portion: readonly SentOnce[],
  { tenant, mayWrite }: Keeping,
): Promise<ReadMessages> {
  const results: ExtractionResult[] = [];
  const before = portion.map(answerBefore);
  for (const [place, answer] of before.entries()) {
    const source = portion[place]?.id ?? '';
    for (const { id, kind, layer } of answer?.kept ?? []) {
      const memory = await provider.get(tenant, id);
      if (memory === null || !mayWrite(memory)) continue;
      const reason = isLive(memory, platform.clock()) ? 'Known' : 'Outdated';
      const said = { id, text: memory.content, kind, layer, source };
      results.push({ event: 'NOOP', ...said, supersedes: [], reason });
    }
  }
  const reasons = before.flatMap((answer) => answer?.reason ?? []);
  return { results, reason: reasons[0] ?? null };
}
