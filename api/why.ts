/** Explains why Varve says something: leads from an id or from words to what they rest on. */
import { VarveError } from '#core/errors.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Review } from '#core/records/review.ts';
import { reviewIdOfTurn } from '#core/sources/propose-review.ts';
import type { Turn } from '#core/records/turn.ts';
import { copiedFrom } from '#core/text/find-copied-text.ts';
import { findMemory } from './find-memory.ts';
import { recallFileLines, type PastLine } from './recall-file-lines.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, isTenantAdmin, type Principal } from './principal.ts';
import type { SearchAnswer } from './schemas/search.ts';
import type { ListedSummaries } from './schemas/summary.ts';
import { SOURCES_SHOWN_MAX, type AskWhy, type Why, type WhySource } from './schemas/why.ts';
import { memoryHistory } from './list-memories.ts';
import { searchMemories } from './search.ts';
import { listSummaries } from './summaries.ts';
import {
  withScopeOpened,
  erasedAmong,
  sourcesOf,
  stateOf,
  turnCited,
  whySourceOfTurn,
  findReadableTurns,
  type Asking,
} from './why-sources.ts';

type Summary = NonNullable<ListedSummaries['summaries'][number]['summary']>;
type Changes = Awaited<ReturnType<typeof memoryHistory>>['changes'];

const CHANGES_SHOWN_MAX = 20;
/** Maximum hits of a search to compare words with. */
const HITS_COMPARED_MAX = 20;
const QUERY_UNITS_MAX = 1_000;
/** Maximum audit entries to look through, from when a thing was written. */
const AUDIT_LOOKED_AT_MAX = 1_000;

const NOTHING = {
  channel: null,
  supersededBy: null,
  made: null,
  review: null,
  facts: [],
  sources: [],
  sourcesLeftOut: 0,
  changes: [],
  citedBy: [],
} as const;

/** @throws VarveError NOT_FOUND if nothing open has that id or those words */
export async function traceWhy(
  ports: ApiPorts,
  principal: Principal,
  { tenant, ref, identifiers }: AskWhy,
): Promise<Why> {
  authorize(principal, { tenant, identifiers });
  const { lines } = await recallFileLines(ports, principal, {
    tenant,
    identifiers,
    older: Promise.resolve({ about: ref, isMissing: () => true }),
  });
  const asking: Asking = { ports, principal, tenant, identifiers, lines };
  const why = (await whyOfMemory(asking, ref)) ?? (await whyOfOthers(asking, ref));
  if (why !== null) return why;
  const [erased] = await erasedAmong(asking, [ref]);
  throw erased === undefined ? nothingMeant() : wasErased(erased);
}

/** The error has the same words for what does not exist and for what is another's. */
export function nothingMeant(): VarveError {
  const message =
    'Nothing that is open to you has that id or those words. It may not exist (a layer may have ' +
    'no summary yet), it may have been erased, or it may need other identifiers. Give an id that ' +
    'a search, a context or a summary returned, or at least eight characters of a text.';
  return new VarveError('NOT_FOUND', message);
}

function wasErased({ kind, at, by }: WhySource): VarveError {
  const day = new Date(at ?? 0).toISOString();
  const message = `That ${kind} was erased at ${day} by ${String(by)}; nothing more is known.`;
  return new VarveError('NOT_FOUND', message, { details: { erasedAt: at } });
}

async function whyOfMemory(asking: Asking, id: string): Promise<Why | null> {
  const { ports, principal, tenant } = asking;
  const memory = await findMemory(ports, principal, { tenant, id });
  const page = { tenant, id, beforeVersion: undefined, limit: CHANGES_SHOWN_MAX };
  const { changes } = await memoryHistory(ports, principal, page);
  if (memory !== null) return whyMemory(asking, memory, changes);
  const [last] = changes;
  if (last === undefined) return null;
  const { layer, scopeId, at, principal: by } = last;
  const first = changes.at(-1) ?? last;
  return {
    ...NOTHING,
    kind: 'memory',
    id,
    layer,
    scopeId,
    text: null,
    state: 'Deleted',
    at,
    by,
    changes: changes.map(shownChange),
    writes: await writesOf(asking, id, first.at),
  };
}

async function whyMemory(asking: Asking, memory: Memory, changes: Changes): Promise<Why> {
  const { id, layer, scopeId, content: text, validFrom: at, origin, supersededBy } = memory;
  const own = withScopeOpened(asking, memory);
  const session = memory.metadata['session'];
  const summaries = await summariesOf(own);
  return {
    ...NOTHING,
    kind: 'memory',
    id,
    layer,
    scopeId,
    text,
    state: stateOf(memory, asking.ports.platform.clock()),
    at,
    by: origin.principal,
    channel: origin.channel,
    supersededBy,
    ...(await restingOn(own, origin.sources, typeof session === 'string' ? session : null)),
    changes: changes.map(shownChange),
    citedBy: citedBy(summaries, id),
    writes: await writesOf(asking, id, memory.createdAt),
  };
}

/** Finds a summary, a line, a turn or words; null for none of them. */
async function whyOfOthers(asking: Asking, ref: string): Promise<Why | null> {
  const summaries = await summariesOf(asking);
  const summary = summaries.find(({ id, layer }) => id === ref || layer === ref);
  if (summary !== undefined) return whySummary(asking, summary, null);
  const line = asking.lines.find((each) => each.line.id === ref);
  if (line !== undefined) return whyLine(asking, line);
  const turn =
    (await turnCited(asking, ref)) ?? (await findReadableTurns(asking, new Set([ref])))[0];
  if (turn !== undefined) return whyTurn(asking, turn, summaries);
  return whyOfWords(asking, ref, summaries);
}

/** Finds a text by its words: a fact comes before a turn, and a turn before a line. */
async function whyOfWords(
  asking: Asking,
  words: string,
  summaries: readonly Summary[],
): Promise<Why | null> {
  const facts = summaries.flatMap(statementsOf).map((fact) => ({
    text: fact.text,
    why: async () => whySummary(asking, fact.summary, fact),
  }));
  const said = (await hitsOf(asking, words)).map(({ id, text, turn }) => ({
    text,
    why: async () => {
      if (turn === null) return whyOfMemory(asking, id);
      const [found] = await findReadableTurns(asking, new Set([id]), turn.sessionId);
      return found === undefined ? null : whyTurn(asking, found, summaries);
    },
  }));
  const lines = asking.lines.map((each) => ({
    text: each.line.text,
    why: async () => whyLine(asking, each),
  }));
  const meant = copiedFrom<{ text: string; why: () => Promise<Why | null> }>(words, [
    ...facts,
    ...said,
    ...lines,
  ]);
  return meant === null ? null : meant.why();
}

/** Returns the facts, and the sentences that combine several. */
function statementsOf(summary: Summary) {
  const sentences = Object.values(summary.depths).flatMap((depth) => depth?.sentences ?? []);
  const composed = sentences.map(({ text, sources, trust }) => {
    return { text, sources, trust, quote: null, summary };
  });
  return [...summary.facts.map((fact) => ({ ...fact, summary })), ...composed];
}

type Fact = Why['facts'][number];

/** @param meant the one fact that was asked about; null for the whole summary */
async function whySummary(asking: Asking, summary: Summary, meant: Fact | null): Promise<Why> {
  const { id, layer, scopeId, model, usage, priceMicroDollars, generatedAt, freshness } = summary;
  const asked = meant === null ? summary.facts : [meant];
  const facts = asked.map(({ text, sources, quote, trust }) => ({ text, sources, quote, trust }));
  const { inputTokens, outputTokens } = usage;
  return {
    ...NOTHING,
    kind: meant === null ? 'summary' : 'fact',
    id,
    layer,
    scopeId,
    text: meant?.text ?? facts.map(({ text }) => text).join(' '),
    state: freshness.stale ? 'Stale' : 'Current',
    at: generatedAt,
    by: model,
    made: { model, inputTokens, outputTokens, priceMicroDollars, at: generatedAt },
    facts,
    ...(await restingOn(
      withScopeOpened(asking, summary),
      facts.flatMap(({ sources }) => sources),
    )),
    writes: null,
  };
}

async function whyLine(asking: Asking, { line, subject, path }: PastLine): Promise<Why> {
  const place = { layer: subject.kind, scopeId: subject.id };
  return {
    ...NOTHING,
    kind: 'line',
    id: line.id,
    ...place,
    text: line.text,
    state: 'Current',
    at: line.at,
    by: path,
    ...(await restingOn(withScopeOpened(asking, place), line.sources)),
    writes: null,
  };
}

async function whyTurn(asking: Asking, turn: Turn, summaries: readonly Summary[]): Promise<Why> {
  const { text, at, by, state } = whySourceOfTurn(turn);
  const { store, platform } = asking.ports;
  const id = reviewIdOfTurn(platform.digest, turn);
  const review = turn.trust === 'untrusted' ? await store.reviews.get(asking.tenant, id) : null;
  return {
    ...NOTHING,
    kind: 'turn',
    id: turn.id,
    layer: 'session',
    scopeId: turn.sessionId,
    text,
    state: state ?? 'Current',
    review: review && shownReview(review),
    at,
    by,
    citedBy: citedBy(summaries, turn.id),
    writes: await writesOf(asking, turn.id, turn.at),
  };
}

function shownReview({ id, rule, state, decision }: Review): Why['review'] {
  return { id, rule, state, decision };
}

/** Returns what the ids name, then the sources of that, while there is room. */
async function restingOn(asking: Asking, ids: readonly string[], session: string | null = null) {
  const all = [...new Set(ids)];
  const first = await sourcesOf(asking, all.slice(0, SOURCES_SHOWN_MAX), session);
  const behind = new Set(first.flatMap(({ restsOn }) => restsOn));
  const further = [...behind].filter((id) => !all.includes(id));
  const room = SOURCES_SHOWN_MAX - first.length;
  const second = await sourcesOf(asking, further.slice(0, room), session);
  return { sources: [...first, ...second], sourcesLeftOut: all.length - first.length };
}

async function summariesOf(asking: Asking): Promise<readonly Summary[]> {
  const { ports, principal, tenant, identifiers } = asking;
  const { summaries } = await listSummaries(ports, principal, { tenant, identifiers });
  return summaries.flatMap(({ summary }) => (summary === null ? [] : [summary]));
}

function citedBy(summaries: readonly Summary[], id: string): Why['citedBy'] {
  return summaries.flatMap(({ id: summaryId, layer, scopeId, facts }) =>
    facts
      .filter(({ sources }) => sources.includes(id))
      .map(({ text }) => ({ summaryId, layer, scopeId, fact: text })),
  );
}

/** Searches memories and turns by words alone. */
async function hitsOf(asking: Asking, words: string): Promise<SearchAnswer['hits']> {
  const { ports, principal, tenant, identifiers } = asking;
  const { hits } = await searchMemories(ports, principal, {
    tenant,
    identifiers,
    query: words.slice(0, QUERY_UNITS_MAX).toWellFormed(),
    mode: 'keyword',
    sources: ['memory', 'turn'],
    order: 'relevance',
    limit: HITS_COMPARED_MAX,
    threshold: 0,
    tags: [],
    latestOnly: false,
    explain: false,
    includeVector: false,
  });
  return hits;
}

function shownChange({ version, at, action, principal: by }: Changes[number]) {
  return { version, at, action, by };
}

/** Returns null for a caller that may not read the audit of the tenant. */
async function writesOf(
  { ports, principal, tenant }: Asking,
  id: string,
  since: number,
): Promise<Why['writes']> {
  if (!isTenantAdmin(principal)) return null;
  const page = { order: 'oldest', after: null, since, limit: AUDIT_LOOKED_AT_MAX } as const;
  const entries = await ports.store.audit.list(tenant, page);
  return entries
    .filter(({ ids }) => Object.values(ids).some((named) => named.includes(id)))
    .map(({ at, principal: who, operation, outcome }) => {
      return { at, principal: who, operation, outcome };
    });
}
