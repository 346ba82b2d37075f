/** The function of the operation that searches memories, turns and lines of memory files. */
import type { Identifiers } from '#core/identifiers.ts';
import type { Scope } from '#core/scope.ts';
import { accessibleScopes, resolveScope } from '#core/resolve-scope.ts';
import { byPrecedence as layersByPrecedence, type Layer } from '#core/layer.ts';
import { strongestOf, type Ending } from '#core/extraction/compare-with-known.ts';
import {
  replacedByMemories,
  replacedByUser,
  type Replaced,
} from '#core/recall/outdated/replacements.ts';
import { endedOf, hitMarks } from '#core/context/outdated-mark.ts';
import { endedByPassages, turnKey, type PastPassage } from '#core/context/past-turns.ts';
import {
  comparedFirst,
  newerFirst,
  outdatedMemories,
  type ComparedMemory,
  type NewerIds,
  comparedMemory,
  endingOfMemory,
} from '#core/recall/outdated/outdated-memories.ts';
import { asksForTasks } from '#core/extraction/open-tasks.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { recallHits, type RecallHit } from '#core/recall/recall-hits.ts';
import { turnsOfMemories, withMemoriesForTurns } from '#core/recall/turns-of-memories.ts';
import { excerptOf } from '#core/search/excerpt.ts';
import type { SearchHit } from '#core/search/search-result.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import { isUpcoming } from '#core/sources/source.ts';
import { localTime } from '#core/said-at.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { recallPassages, type Recalled } from './recall-past-turns.ts';
import { queryVector } from './relevant-layers.ts';
import type { ApiPorts } from './api-ports.ts';
import { turnKeyOf } from './related-memories.ts';
import {
  authorizedScope,
  openScopes,
  authorize,
  isBound,
  mayUseLayer,
  type Principal,
} from './principal.ts';
import { shownMemory } from './find-memory.ts';
import { countSessionMemories, storedElsewhere } from './subjects-with-data.ts';
import type {
  ListMemories,
  NothingFound,
  SearchAnswer,
  SearchMemories,
  ShownHit,
} from './schemas/search.ts';

/** Hits below the threshold, best score first. */
type NearestMisses = SearchAnswer['nearestMisses'];

/** Maximum hits below the threshold to name. */
const NEAREST_MISSES_MAX = 3;

/**
 * Searches memories, turns and lines of memory files.
 * @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER, FILTER_TOO_BROAD
 */
export async function searchMemories(
  ports: ApiPorts,
  principal: Principal,
  asked: SearchMemories,
): Promise<SearchAnswer> {
  const { tenant, identifiers, limit, order } = asked;
  authorize(principal, { tenant, identifiers });
  const [answered, said] = await Promise.all([
    memoriesFor(ports, principal, asked),
    recalledFor(ports, principal, asked),
  ]);
  const { hits: memories, beyond, misses, replacements, ...report } = answered;
  const unshown = [...beyond, ...misses, ...replacements];
  const termsOf = (text: string) => recallTerms(ports.analyzer, text);
  // Without a hit, there is nothing to replace.
  const isEmpty = memories.length + said.hits.length === 0;
  const found = isEmpty ? [] : [...replacements, ...memories, ...beyond, ...misses];
  const now = asked.at ?? { at: ports.platform.clock() };
  const read = found.map(({ memory }) => comparedMemory(memory, ports.analyzer, now));
  const first = comparedFirst(read);
  const toCome = found.filter(({ memory: { validFrom: at, utcOffset } }) =>
    isUpcoming({ at, utcOffset }, now),
  );
  const left = new Set(
    [...memories.slice(COMPARED_MAX), ...toCome].map(({ memory: { id } }) => id),
  );
  const compared = first.filter(({ id }) => !left.has(id));
  const standing = outdatedMemories(compared);
  const { newerElsewhere } = standing;
  const turnsEnding = turnsEndingMemories(first, said, termsOf);
  const memoriesEnding = memoriesEndingPassages(compared, said);
  const standIns = standInsFor(found, read, { said, termsOf });
  const shownSaid = (hit: RecallHit) =>
    recallHit(hit, { ...said, ended: memoriesEnding.get(hit.passage)?.ended });
  const shown = (hit: SearchHit) => {
    const { id } = hit.memory;
    const turn = standIns.turns.get(id);
    const byMemories = endingOfMemory(hit.memory, standing);
    const ended = strongestOf([byMemories, turnsEnding.get(id)?.ended ?? 'None']);
    const more = { asked, ended, differing: differing(id, newerElsewhere) };
    const own = memoryHit(ports, hit, more);
    if (turn === undefined) return own;
    const { ended: all, by = [] } = memoriesEnding.get(turn.passage) ?? {};
    const byOthers = by.some((other) => other !== id) ? all : 'None';
    return inPlaceOf(recallHit(turn, { ...said, ended: byOthers }), own);
  };
  const ofPassages = new Map(
    [...memoriesEnding].map(([passage, { by }]) => [keyOfPassage(passage, said), by]),
  );
  const ofMemories = new Map([...turnsEnding].map(([id, { by }]) => [id, by]));
  const outdated = withMemoriesForTurns(
    [ofMemories, said.outdated, ofPassages].reduce(bothOf, standing.outdated),
    standIns.idOfTurn,
  );
  const followed = withMemoriesForTurns(said.followed, standIns.idOfTurn);
  const beside = bothOf(
    newerElsewhere,
    [...followed].filter(([id]) => !outdated.has(id)),
  );
  const newer = new Set([...outdated.values(), ...beside.values()].flat());
  const isAlone = ({ passage }: RecallHit) => !standIns.idOfTurn.has(turnKey(passage));
  const raised = unshown.filter(({ memory }) =>
    said.hits.some((hit) => hit === standIns.turns.get(memory.id)),
  );
  const isOfTasks = asksForTasks(asked.query);
  // Among open tasks, what is done comes last.
  const lastIfDone = ({ outdated: isOver }: ShownHit) => (isOfTasks && isOver ? 1 : 0);
  const all = [
    ...[...memories, ...raised].map(shown),
    ...said.hits.filter(isAlone).map(shownSaid),
  ].toSorted((a, b) => lastIfDone(a) - lastIfDone(b) || b.score - a.score);
  const best = all.slice(0, limit);
  const byLayer = (a: ShownHit, b: ShownHit) => lastIfDone(a) - lastIfDone(b) || byPrecedence(a, b);
  const ordered = order === 'precedence' ? best.toSorted(byLayer) : best;
  // What replaces a hit is put in from beyond the limit, and from below the threshold.
  const others = [
    ...all.slice(limit),
    ...unshown.filter((hit) => newer.has(hit.memory.id) && !raised.includes(hit)).map(shown),
    ...said.others(newer).filter(isAlone).map(shownSaid),
  ];
  const hits = newerFirst(ordered, others, { outdated, beside, keyOf }).slice(0, limit);
  const present = new Set(hits.map(({ id }) => id));
  const nearestMisses: NearestMisses = [
    ...misses.map(({ memory: { id }, score }) => ({ id, score })),
    ...said.misses,
  ]
    .filter(({ id }) => !present.has(id))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, NEAREST_MISSES_MAX);
  const answer = {
    ...report,
    skippedLayers: await skippedLayers(ports, principal, asked),
    hits: withPresentConflicts(hits),
    nearestMisses,
  };
  if (hits.length > 0) return { ...answer, nothingFound: null };
  const nothingFound = await whyNothing(ports, principal, { asked, answer, said });
  return { ...answer, nothingFound };
}

type TermsOf = (text: string) => readonly string[];

/** Memories that stand for their turns, and which turns those are. */
interface StandIns {
  /** By the id of the memory. */
  readonly turns: ReadonlyMap<string, RecallHit>;
  /** By the key of the turn: the id of the memory. */
  readonly idOfTurn: ReadonlyMap<string, string>;
}

function standInsFor(
  found: readonly SearchHit[],
  memories: readonly ComparedMemory[],
  { said, termsOf }: { readonly said: Said; readonly termsOf: TermsOf },
): StandIns {
  const made = new Map(found.flatMap(({ memory }) => turnKeyOf(memory)));
  if (made.size === 0) return { turns: new Map(), idOfTurn: new Map() };
  const hits = [...said.hits, ...said.others(new Set(made.values()))];
  const turns = turnsOfMemories({ memories, turns: made }, hits, termsOf);
  const idOfTurn = new Map([...turns].map(([id, { passage }]) => [turnKey(passage), id]));
  return { turns, idOfTurn };
}

/** A memory that stands for its turn has the better score of both. */
function inPlaceOf(turn: ShownHit, memory: ShownHit): ShownHit {
  const score = Math.max(memory.score, turn.score);
  return { ...memory, score, ...hitMarks(strongestOf([memory, turn].map(endedOf))) };
}

/** Identifies a hit: the ids of turns are those of their session. */
function keyOf({ id, turn }: ShownHit): string {
  return turn === null ? id : turnKey({ sessionId: turn.sessionId, turnId: id });
}

/** How much of a text others end, and their names. */
type EndedBy = Replaced<string>;

/** Returns the keys of the turns that end something that a memory says, by the memory's id. */
function turnsEndingMemories(
  memories: readonly ComparedMemory[],
  past: Said,
  termsOf: TermsOf,
): ReadonlyMap<string, EndedBy> {
  const replacedBy = replacedByUser(
    past.said.filter(({ mayReplace }) => mayReplace),
    termsOf,
  );
  return new Map(
    memories.flatMap(({ id, layer, content, at }) => {
      const { ended, by } = replacedBy(layer, content, at);
      const keys = by.map(({ passage }) => keyOfPassage(passage, past));
      return ended === 'None' ? [] : [[id, { ended, by: keys }] as const];
    }),
  );
}

/** Returns the ids of the memories that end something that a passage says. */
function memoriesEndingPassages(
  memories: readonly ComparedMemory[],
  { said }: Said,
): ReadonlyMap<PastPassage, EndedBy> {
  const replacedBy = replacedByMemories(memories);
  return new Map(
    said.flatMap((each) => {
      const { ended, by } = replacedBy(each);
      const ids = by.map(({ id }) => id);
      return ended === 'None' ? [] : [[each.passage, { ended, by: ids }] as const];
    }),
  );
}

/** Joins what two rules say. */
function bothOf(one: NewerIds, other: Iterable<[string, readonly string[]]>): NewerIds {
  const joined = new Map(one);
  for (const [id, keys] of other) joined.set(id, [...(joined.get(id) ?? []), ...keys]);
  return joined;
}

/** Maximum best hits to compare with each other: the time grows with the square of their number. */
const COMPARED_MAX = 20;

/** Removes conflicts with memories that are not in the answer. */
function withPresentConflicts(hits: readonly ShownHit[]): ShownHit[] {
  const present = new Set(hits.map(({ id }) => id));
  return hits.map((hit) => ({
    ...hit,
    conflictsWith: hit.conflictsWith.filter((id) => present.has(id)),
  }));
}

async function memoriesFor(ports: ApiPorts, principal: Principal, asked: SearchMemories) {
  const { tenant, query, identifiers, mode, limit, threshold, order, explain } = asked;
  // A bound caller gets only its own layers; null is for all open ones.
  const own = isBound(principal) ? await scopesOf(ports, principal, asked) : null;
  const layers = own === null ? (asked.layers ?? null) : own.map(({ layer }) => layer);
  const conditions = conditionsOf(asked);
  const request = {
    query,
    identifiers,
    mode,
    limit,
    threshold,
    order,
    explain,
    layers,
    conditions,
    ...(asked.at === undefined ? {} : { at: asked.at.at }),
  };
  const answer = await ports.provider.search(tenant, request, { by: principal.name });
  if (asked.sources.includes('memory')) return answer;
  const none = { hits: [], beyond: [], misses: [], replacements: [] };
  return { ...answer, ...none, duplicates: [], paths: [] };
}

interface Said extends Pick<Recalled, 'sessions' | 'lines' | 'said' | 'turnOf' | 'lineOf'> {
  readonly hits: readonly RecallHit[];
  /** By the key of a hit that is a turn or a line: the keys of what replaces it. */
  readonly outdated: NewerIds;
  /** The same for what likely follows it. */
  readonly followed: NewerIds;
  /** Returns those of these turns and lines that are no hits. */
  readonly others: (keys: ReadonlySet<string>) => readonly RecallHit[];
  readonly misses: NearestMisses;
}

const NOTHING_SAID: Said = {
  hits: [],
  others: () => [],
  outdated: new Map(),
  followed: new Map(),
  misses: [],
  sessions: 0,
  lines: 0,
  said: [],
  turnOf: () => undefined,
  lineOf: () => undefined,
};

/** Recalls turns and lines; nothing if there is a condition that only memories can meet. */
async function recalledFor(
  ports: ApiPorts,
  principal: Principal,
  asked: SearchMemories,
): Promise<Said> {
  const { tenant, identifiers, query, mode, threshold, limit, layers } = asked;
  const { tags, filter, kind } = asked;
  if (tags.length > 0 || filter !== undefined || kind !== undefined) return NOTHING_SAID;
  const isAsked = (layer: Layer): boolean => layers?.some((each) => each === layer) ?? true;
  const sources = {
    turns: asked.sources.includes('turn') && isAsked('session'),
    lines: asked.sources.includes('line') && (isAsked('user') || isAsked('agent')),
  };
  if (!sources.turns && !sources.lines) return NOTHING_SAID;
  const vector = mode === 'keyword' ? null : await queryVector(ports, principal, { tenant, query });
  const at = localTime(asked.at ?? { at: ports.platform.clock() });
  const past = await recallPassages(ports, principal, {
    tenant,
    identifiers,
    query,
    at,
    vector,
    sources,
  });
  const passages = past.passages.filter((passage) => {
    const line = past.lineOf(passage);
    return line === undefined || isAsked(line.subject.kind);
  });
  const calibration =
    vector === null ? null : await ports.store.embeddings.calibration(vector.generation);
  const isCompared = passages.some(({ cosine }) => cosine !== null);
  const { hits, others, followers, nearestMiss } = recallHits(passages, {
    calibration,
    threshold,
    limit,
    windows: past.windows,
    byVectors: mode !== 'keyword',
    byWords: mode !== 'semantic' || !isCompared,
  });
  const misses =
    nearestMiss === null ? [] : [{ id: nearestMiss.passage.turnId, score: nearestMiss.score }];
  return {
    ...past,
    misses,
    hits,
    outdated: replacementsOf(passages, past),
    followed: new Map(
      [...followers].map(([older, newer]) => [
        keyOfPassage(older, past),
        [keyOfPassage(newer, past)],
      ]),
    ),
    others: (keys) => others.filter(({ passage }) => keys.has(keyOfPassage(passage, past))),
  };
}

/** As `keyOf`, for what recall found. */
function keyOfPassage(passage: PastPassage, { lineOf }: Pick<Recalled, 'lineOf'>): string {
  return lineOf(passage) === undefined ? turnKey(passage) : passage.turnId;
}

/** Returns the keys of the passages that replace others, by the keys of those. */
function replacementsOf(
  passages: readonly PastPassage[],
  past: Pick<Recalled, 'lineOf'>,
): NewerIds {
  const keys = new Map(passages.map((passage) => [passage.place, keyOfPassage(passage, past)]));
  return new Map(
    passages
      .filter(({ outdatedBy }) => outdatedBy.length > 0)
      .map((passage) => [
        keyOfPassage(passage, past),
        passage.outdatedBy.flatMap((place) => keys.get(place) ?? []),
      ]),
  );
}

function memoryHit(
  { analyzer }: ApiPorts,
  { memory, score, conflictsWith, explanation }: SearchHit,
  {
    asked,
    ended,
    differing,
  }: { asked: SearchMemories; ended: Ending; differing: readonly string[] },
): ShownHit {
  const { query, includeVector } = asked;
  const { id, content, layer, validFrom: at, utcOffset } = memory;
  const text = excerptOf(content, query, analyzer) ?? content;
  const shown = shownMemory(memory, includeVector);
  return {
    source: 'memory',
    id,
    text,
    layer,
    at,
    ...(utcOffset === undefined ? {} : { utcOffset }),
    score,
    memory: shown,
    turn: null,
    line: null,
    ...hitMarks(ended),
    conflictsWith: [...new Set([...conflictsWith, ...differing])],
    explanation,
  };
}

/** Returns memories with another value, in both directions, if it is open which one holds. */
function differing(id: string, newer: NewerIds): readonly string[] {
  const older = [...newer].flatMap(([other, ids]) => (ids.includes(id) ? [other] : []));
  return [...(newer.get(id) ?? []), ...older];
}

const NO_MEMORY = { memory: null, conflictsWith: [], explanation: null };

function recallHit(
  { passage, score }: RecallHit,
  {
    turnOf,
    lineOf,
    ended = 'None',
  }: Pick<Recalled, 'turnOf' | 'lineOf'> & { readonly ended: Ending | undefined },
): ShownHit {
  const { turnId: id, sessionId, speaker, text, at, utcOffset, trust } = passage;
  const outdated = hitMarks(strongestOf([endedByPassages(passage), ended]));
  const when = utcOffset === undefined ? { at } : { at, utcOffset };
  const hit = { id, text, ...when, score, ...outdated, ...NO_MEMORY };
  const file = lineOf(passage);
  if (file !== undefined) {
    const { subject, path, line } = file;
    const { heading, sources } = line;
    const shown = { subject, path, heading, sources, trust };
    return { ...hit, source: 'line', layer: subject.kind, turn: null, line: shown };
  }
  const { role = 'user', content = text } = turnOf(passage) ?? {};
  const turn = { sessionId, speaker, role, content, trust };
  return { ...hit, source: 'turn', layer: 'session', turn, line: null };
}

/** Sorts the more specific layer first, then the better score. */
function byPrecedence(a: ShownHit, b: ShownHit): number {
  return layersByPrecedence(a, b) || b.score - a.score;
}

/** Says what an empty answer searched, and what would open more. */
async function whyNothing(
  ports: ApiPorts,
  principal: Principal,
  {
    asked,
    answer,
    said,
  }: {
    asked: SearchMemories;
    answer: Pick<SearchAnswer, 'nearestMisses'>;
    said: Said;
  },
): Promise<NothingFound> {
  const scopes = asked.sources.includes('memory') ? await scopesOf(ports, principal, asked) : [];
  const records = await Promise.all(scopes.map((scope) => ports.store.scopes.get(scope)));
  const held = await Promise.all(
    records.map(async (record) =>
      record.layer === 'session' && record.sourceCount > 0
        ? await countSessionMemories(ports, record)
        : record.sourceCount,
    ),
  );
  const holding = records.flatMap(({ layer, scopeId: id }, at) => {
    const memories = held[at] ?? 0;
    return memories === 0 ? [] : [{ layer, id, memories }];
  });
  return {
    scopes: holding,
    sessions: said.sessions,
    lines: said.lines,
    ...(await storedElsewhere(ports, principal, asked)),
    nearestScore: answer.nearestMisses[0]?.score ?? null,
  };
}

/** Returns the scopes of the named layers, or all that are open and the caller's. */
export async function scopesOf(
  { store }: ApiPorts,
  principal: Principal,
  asked: { tenant: string; identifiers: Identifiers; layers?: readonly string[] | undefined },
): Promise<readonly Scope[]> {
  const { tenant, identifiers, layers } = asked;
  const { hierarchy } = await policyInForce(store.policies, tenant);
  const caller = { identifiers, hierarchy };
  if (layers === undefined) return openScopes(principal, accessibleScopes(tenant, caller).scopes);
  const named = [...new Set(layers)].map((layer) => resolveScope(tenant, layer, caller));
  return named.map((scope) => authorizedScope(principal, scope));
}

/** Layers that lack only their identifier; none if the call names layers. */
async function skippedLayers(
  { store }: ApiPorts,
  principal: Principal,
  { tenant, identifiers, layers }: SearchMemories,
): Promise<readonly Layer[]> {
  if (layers !== undefined) return [];
  const { hierarchy } = await policyInForce(store.policies, tenant);
  const skipped = accessibleScopes(tenant, { identifiers, hierarchy }).skippedLayers;
  return skipped.filter((layer) => mayUseLayer(principal, layer));
}

export function conditionsOf({
  tags,
  filter,
  kind,
  latestOnly,
}: Pick<ListMemories, 'tags' | 'filter' | 'kind' | 'latestOnly'>): Omit<MemoryConditions, 'now'> {
  return { tags, filter: filter ?? null, kind: kind ?? null, latestOnly };
}
