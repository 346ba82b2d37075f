/**
 * Activity: writes the blocks of a flush to the daily files of the session's owner, one for each
 * day on which something was said (TIER-01, TIER-02).
 *
 * Flow: read what people and assistants said → take the facts of the model that read it, or else
 * quotes, grounded like those of any summary → write lines that cite their turns, and the memories
 * kept from the same words, so that deleting a source also removes the line from every answer.
 * Guarantees: a block has the flush as its key in the file of its day, so a repetition finds it.
 */
import { attributedFacts, withListNumber } from '#core/memory-files/fact-lines.ts';
import { isRelative } from '#core/extraction/statement.ts';
import { saidFacts } from '#core/extraction/model-statements.ts';
import type { ExtractionResult } from '#core/records/extracted-statement.ts';
import type { FlushInput, KeptCounts } from '#core/flush/flush-contract.ts';
import { inOrderOfSpeech } from '#core/flush/order-of-speech.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { answeredItems } from '#core/prompt/parse-answer.ts';
import { LINE_SOURCES_MAX, type Document, type DocumentLine } from '#core/records/document.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import { DEPTH_TOKENS_MAX, type Fact } from '#core/records/summary.ts';
import type { Turn } from '#core/records/turn.ts';
import { judgeFacts } from '#core/refresh/judge-summary-facts.ts';
import { hasSourceDate, withCountedFrom } from '#core/sources/source.ts';
import { subjectKey, type Subject } from '#core/subject.ts';
import { announcesCode } from '#core/text/code-fence.ts';
import { dayTextOf } from '#core/text/day.ts';
import { oneLine } from '#core/text/lines.ts';
import { LONG_TURN_SHARE_MAX, withFewQuotes } from '#core/text/quoted-line.ts';
import { zoneOfSubject } from '#core/memory-files/subject-time-zone.ts';
import { citationOf } from '#core/memory-files/turn-citation.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import { deleteMemoriesOfTurns, memoriesOfTurns } from '#memory/memories-of-session.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { unlessErased } from '../write-unless-erased.ts';
import { confirmedDoubts } from '../verify-doubts.ts';
import {
  answeredFacts,
  answeredStatements,
  hasSpeaker,
  READ_ITEM,
} from '../extraction/model-extraction.ts';
import {
  readDeletedTurnIds,
  type FlushPorts,
  readTurnsOfFlush,
  readWaitingSession,
  saidInTurns,
  type WaitingSession,
} from './session-to-flush.ts';

/** Writes the blocks and returns them by day; none if they belong in no file, or say nothing. */
export async function writeFlush(
  given: FlushPorts,
  input: FlushInput,
  call: ActivityCall,
): Promise<readonly Document[]> {
  const ports = await unlessErased(given, input.tenant);
  const session = await readWaitingSession(ports, input);
  const subject = session === null ? null : subjectOf(session);
  if (session === null || subject === null) return [];
  const { store, platform, calendar } = ports;
  const { tenant, flush } = session;
  const { dreams = [] } = await policyInForce(store.policies, tenant);
  const zone = zoneOfSubject(dreams, subject);
  const dayOf: DayOf = ({ at }) => calendar.dayOf(at, zone);
  const turns = (await readTurnsOfFlush(ports, session)).filter(hasSpeaker);
  const turnsOf = Map.groupBy(turns, dayOf);
  const lines = await linesOf(ports, session, { turns, call, dayOf });
  const linesByDay = [...Map.groupBy(lines, dayOf)];
  const blocks: Document[] = [];
  for (const [day, lines] of linesByDay.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const at = Math.max(...[...(turnsOf.get(day) ?? []), ...lines].map((said) => said.at));
    const { document } = await store.documents.append(
      {
        tenant,
        subject: subjectKey(subject),
        path: dailyPath(day),
        id: platform.newId(),
        kind: 'Daily',
        heading: flush.heading,
        lines,
        author: 'flush',
        proposalId: null,
        key: `flush/${flush.id}`,
        at,
        dreamedAt: null,
      },
      { subjectId: platform.newId(), announcedAt: platform.clock() },
    );
    blocks.push(document);
  }
  return blocks;
}

type DayOf = (said: { readonly at: number }) => string;

/** The user, if there is one: a user's file is more private than an agent's. */
function subjectOf({ identifiers: { userId, agentId }, flush }: WaitingSession): Subject | null {
  const subject: Subject | null =
    userId === undefined
      ? agentId === undefined
        ? null
        : { kind: 'agent', id: agentId }
      : { kind: 'user', id: userId };
  if (subject === null || flush.layers === null) return subject;
  return flush.layers.includes(subject.kind) ? subject : null;
}

async function linesOf(
  ports: FlushPorts,
  session: WaitingSession,
  { turns, call, dayOf }: { turns: readonly Turn[]; call: ActivityCall; dayOf: DayOf },
): Promise<DocumentLine[]> {
  if (turns.length === 0) return [];
  const facts = inOrderOfSpeech(await factsOf(ports, session, { turns, call }), turns);
  const kept: { readonly id: string; readonly content: string }[] = [];
  const turnIds = turns.map(({ id }) => id);
  for await (const memory of memoriesOfTurns(ports, { session, turnIds })) {
    if (memory.isRepeat !== true) kept.push(memory);
  }
  const told = new Map(turns.map((turn) => [turn.id, turn]));
  return facts.flatMap(({ text, sources, quote, trust, at }): DocumentLine[] => {
    const [source = ''] = sources;
    const turn = told.get(source);
    const content = turn?.content;
    if (content !== undefined && announcesCode(quote ?? text, content)) return [];
    const cited = sources.map((id) => citationOf({ sessionId: session.sessionId, id }));
    const said = kept.filter((memory) => text.includes(memory.content)).map(({ id }) => id);
    const line = {
      id: ports.platform.newId(),
      heading: null,
      text: turn === undefined ? oneLine(text) : lineText(text, turn, dayOf),
      sources: [...cited, ...said].slice(0, LINE_SOURCES_MAX),
      trust,
      at,
    };
    return [line];
  });
}

/**
 * Returns a fact as a line, with the day from which "tomorrow" counts if the speaker's clock had
 * another day than the file, or than UTC, by which a dream counts.
 */
function lineText(text: string, turn: Turn, dayOf: DayOf): string {
  const line = oneLine(withListNumber(text, turn.content));
  if (turn.utcOffset === undefined || !isRelative(text) || hasSourceDate(text)) return line;
  const days = new Set([turn, { at: turn.at }].map((said) => dayTextOf(said)));
  return days.add(dayOf(turn)).size === 1 ? line : withCountedFrom(line, turn);
}

async function factsOf(
  ports: FlushPorts,
  session: WaitingSession,
  { turns, call }: { turns: readonly Turn[]; call: ActivityCall },
): Promise<readonly Fact[]> {
  const { models, tokens } = ports;
  const { batch, sources } = saidInTurns(session, turns);
  // A flush may be one pasted document with a few words around it, so limit the quotes.
  const quotedMax = DEPTH_TOKENS_MAX.detailed * LONG_TURN_SHARE_MAX;
  const told = (said: readonly Fact[]) =>
    withFewQuotes(said, quotedMax, (line) => tokens.count(line));
  const facts = await answeredFacts(ports, batch);
  if (facts !== null) {
    const answered = { facts: saidFacts(facts), kept: null, malformed: 0, isCut: false };
    const confirms = await confirmedDoubts(ports, batch);
    const held = judgeFacts(answered, { sources, shown: null, tokens, confirms }).facts;
    // A model that found no fact may be right; one whose facts all fail grounding is not believed.
    if (held.length > 0 || facts.length === 0)
      return told(attributedFacts(held, sources, confirms));
  }
  const item = {
    item: READ_ITEM,
    layer: 'session',
    depths: ['detailed'],
    task: 'Extract',
    tokensMax: DEPTH_TOKENS_MAX.detailed,
    audience: null,
    sources,
  } as const;
  const asked = { attemptId: session.flush.id, signal: call.signal };
  const { text } = await models.extractive.answer({ items: [item] }, asked);
  const answered = answeredItems(text).get(item.item);
  return told(judgeFacts(answered, { sources, shown: null, tokens }).facts);
}

/**
 * Activity: keeps the statements of a flush as memories. Returns what became of each statement;
 * empty if nothing waits anymore. A turn that is deleted meanwhile leaves no memory: the deletion
 * removes the memories that it finds after its turns are gone, and the flush removes later ones.
 */
export async function keepFlush(
  given: FlushPorts,
  input: FlushInput,
): Promise<readonly ExtractionResult[]> {
  const ports = await unlessErased(given, input.tenant);
  const session = await readWaitingSession(ports, input);
  if (session === null) return [];
  const { tenant, sessionId, flush } = session;
  const keeping = {
    tenant,
    identifiers: { ...session.identifiers, sessionId },
    by: session.owner,
    metadata: {},
    expiresAt: null,
    mayWrite: ({ layer }: { layer: string }) =>
      flush.layers === null || flush.layers.some((each) => each === layer),
  };
  const said = saidInTurns(session, await readTurnsOfFlush(ports, session));
  const { statements } = await answeredStatements(ports, said);
  const kept = await keepStatements(ports, keeping, statements);
  const turnIds = await readDeletedTurnIds(ports, session);
  if (turnIds.length > 0) await deleteMemoriesOfTurns(ports, { session, turnIds }, session.owner);
  return kept;
}

/** Counts what became of statements, without any of their text. */
export function countsOf(results: readonly ExtractionResult[]): KeptCounts {
  const count = (event: ExtractionResult['event']) =>
    results.filter((result) => result.event === event).length;
  return { added: count('ADD'), superseded: count('SUPERSEDE'), known: count('NOOP') };
}
