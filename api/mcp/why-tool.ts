/** The tool that says where a memory or a summary comes from. */
import { z } from 'zod';
import { Trust } from '#core/records/memory.ts';
import { ShownMemory } from '../operations/answers.ts';
import { OPERATIONS } from '../operations/table.ts';
import { VarveError } from '#core/errors.ts';
import { boundScope, withinOf, type Binding, type Bound, type BoundScope } from './binding.ts';
import {
  identifiersField,
  isoTime,
  layerField,
  memoryLine,
  named,
  READS,
  tool,
  ToolMemory,
  toolMemory,
  type Tool,
  type ToolAnswer,
} from './tool.ts';

/** Sources that one answer shows in full; the ids of all are there. */
const SOURCES_SHOWN_MAX = 20;
const CHANGES_SHOWN_MAX = 20;
/** Sessions in which turns are looked for, the newest first, and turns of each. */
const SESSIONS_LOOKED_AT_MAX = 20;
const TURNS_LOOKED_AT_MAX = 1_000;

const Source = z.object({
  id: z.string(),
  kind: z.enum(['memory', 'turn', 'gone']).describe('Gone: deleted since, or not open here.'),
  text: z.string().nullable(),
  at: z.string().nullable(),
  from: z.string().nullable().describe('Who said or stored it.'),
});
type Source = z.output<typeof Source>;

const Fact = z.object({
  text: z.string(),
  sources: z.array(z.string()),
  quote: z.string().nullable().describe('The words of a source that it rests on.'),
  trust: Trust,
});

const Why = z.object({
  memory: ToolMemory.extend({
    origin: ShownMemory.shape.origin,
    state: ShownMemory.shape.state,
    supersededBy: z.string().nullable(),
    changes: z.array(
      z.object({ version: z.number(), at: z.string(), action: z.string(), by: z.string() }),
    ),
    citedBy: z
      .array(z.object({ summaryId: z.string(), layer: z.string(), fact: z.string() }))
      .describe('Facts of summaries that rest on it.'),
  })
    .nullable()
    .describe('Where a memory was asked for.'),
  summary: z
    .object({
      id: z.string(),
      layer: z.string(),
      scopeId: z.string(),
      model: z.string().describe('What made it.'),
      generatedAt: z.string(),
      stale: z.boolean(),
      facts: z.array(Fact),
    })
    .nullable()
    .describe('Where a summary was asked for.'),
  sources: z.array(Source).describe(`At most ${String(SOURCES_SHOWN_MAX)}, in full.`),
});
type Why = z.output<typeof Why>;
type Summary = NonNullable<Why['summary']>;

export function whyTool(binding: Binding): Tool {
  return tool({
    name: 'why',
    title: 'Explain where something comes from',
    description:
      'Says where a memory or a summary comes from: who stored it and when, what was changed, ' +
      'the facts of a summary, and the memories or turns each rests on, in their own words. Call ' +
      'it when the user asks why you believe something, or when two memories disagree. Give the ' +
      'id of a memory or a summary, or a layer for its summary.',
    hints: READS,
    input: z
      .strictObject({
        id: OPERATIONS.memory.get.input.shape.id
          .optional()
          .describe('Of a memory or a summary, as other tools answer it.'),
        layer: layerField(binding).optional().describe('For the summary of this layer.'),
        ...identifiersField(binding),
      })
      .refine(({ id, layer }) => (id === undefined) !== (layer === undefined), {
        path: ['id'],
        error: 'expected either id or layer',
      }),
    output: Why,
    run: async (bound, { id, layer, ...input }) => {
      const scope = boundScope(binding, named(input));
      const memory = id === undefined ? null : await memoryOf(bound, { ...scope, id });
      if (memory !== null) return whyMemory(bound, scope, memory);
      return whySummary(bound, scope, { id, layer });
    },
  });
}

async function memoryOf(bound: Bound, { tenant, id }: BoundScope & { id: string }) {
  const memory = await bound.calls.memory.get({ tenant, id });
  if (memory === null) return null;
  const isWithin = await withinOf(bound);
  return isWithin(memory) ? memory : null;
}

async function whyMemory(
  bound: Bound,
  scope: BoundScope,
  shown: ShownMemory,
): Promise<ToolAnswer<Why>> {
  const { id, origin, state, supersededBy } = shown;
  const [history, summaries, sources] = await Promise.all([
    bound.calls.memory.history({ tenant: scope.tenant, id, limit: CHANGES_SHOWN_MAX }),
    summariesOf(bound, scope),
    sourcesOf(bound, scope, origin.sources),
  ]);
  const citedBy = summaries.flatMap(({ id: summaryId, layer, facts }) =>
    facts
      .filter((fact) => fact.sources.includes(id))
      .map(({ text }) => ({ summaryId, layer, fact: text })),
  );
  const changes = history.changes.map(({ version, at, action, principal }) => ({
    version,
    at: isoTime(at),
    action,
    by: principal,
  }));
  const memory = { ...toolMemory(shown), origin, state, supersededBy, changes, citedBy };
  const lines = [
    memoryLine(memory),
    `It came in by ${origin.channel}, from ${origin.principal}; it is ${state}.`,
    ...(supersededBy === null ? [] : [`It was replaced by ${supersededBy}.`]),
    ...sourceLines(sources),
    ...citedBy.map(({ layer, fact }) => `The ${layer} summary says by it: ${fact}`),
    ...changes.map(({ at, action, by }) => `${at}: ${action} by ${by}`),
  ];
  return { text: lines.join('\n'), content: { memory, summary: null, sources: [...sources] } };
}

/** @throws VarveError NOT_FOUND where there is neither a memory nor a summary of that id */
async function whySummary(
  bound: Bound,
  scope: BoundScope,
  { id, layer }: { id: string | undefined; layer: string | undefined },
): Promise<ToolAnswer<Why>> {
  const summaries = await summariesOf(bound, scope);
  const summary = summaries.find((each) =>
    id === undefined ? each.layer === layer : each.id === id,
  );
  if (summary === undefined) {
    const what = id === undefined ? `no summary of that layer yet` : 'nothing of that id';
    const message = `There is ${what}. search_memory and get_context answer ids that are there.`;
    throw new VarveError('NOT_FOUND', message);
  }
  const ids = [...new Set(summary.facts.flatMap(({ sources }) => sources))];
  const sources = await sourcesOf(bound, scope, ids);
  const stale = summary.stale ? ' It is stale: newer memories exist.' : '';
  const lines = [
    `The ${summary.layer} summary, made by ${summary.model} at ${summary.generatedAt}.${stale}`,
    ...summary.facts.map((fact) => `- ${fact.text} [rests on ${fact.sources.join(', ')}]`),
    ...sourceLines(sources),
  ];
  return { text: lines.join('\n'), content: { memory: null, summary, sources: [...sources] } };
}

async function summariesOf({ calls }: Bound, scope: BoundScope): Promise<readonly Summary[]> {
  const { summaries } = await calls.summary.list(scope);
  return summaries.flatMap(({ summary }) => {
    if (summary === null) return [];
    const { id, layer, scopeId, model, generatedAt, freshness, facts } = summary;
    return [
      {
        id,
        layer,
        scopeId,
        model,
        generatedAt: isoTime(generatedAt),
        stale: freshness.stale,
        facts: facts.map(({ text, sources, quote, trust }) => ({ text, sources, quote, trust })),
      },
    ];
  });
}

/** Memories by their id; what is none is looked for among the turns of the newest sessions. */
async function sourcesOf(
  bound: Bound,
  scope: BoundScope,
  ids: readonly string[],
): Promise<readonly Source[]> {
  const shown = ids.slice(0, SOURCES_SHOWN_MAX);
  const { calls } = bound;
  const isWithin = await withinOf(bound);
  const memories = await Promise.all(
    shown.map(async (id) => calls.memory.get({ tenant: scope.tenant, id })),
  );
  const found = new Map<string, Source>();
  for (const memory of memories) {
    if (memory === null || !isWithin(memory)) continue;
    const { id, content, validFrom, origin } = memory;
    const from = origin.principal;
    found.set(id, { id, kind: 'memory', text: content, at: isoTime(validFrom), from });
  }
  const missing = new Set(shown.filter((id) => !found.has(id)));
  for (const turn of await turnsOf(bound, scope, missing)) found.set(turn.id, turn);
  const gone = { kind: 'gone' as const, text: null, at: null, from: null };
  return shown.map((id) => found.get(id) ?? { id, ...gone });
}

async function turnsOf(
  { calls }: Bound,
  { tenant, identifiers }: BoundScope,
  wanted: ReadonlySet<string>,
): Promise<readonly Source[]> {
  if (wanted.size === 0) return [];
  const limit = SESSIONS_LOOKED_AT_MAX;
  const { sessions } = await calls.conversation.list({ tenant, identifiers, limit });
  const found: Source[] = [];
  for (const { sessionId } of sessions) {
    if (found.length === wanted.size) break;
    const asked = { tenant, sessionId, limit: TURNS_LOOKED_AT_MAX };
    const { messages } = await calls.conversation.messages(asked);
    for (const { id, role, speaker, content, at } of messages) {
      if (!wanted.has(id)) continue;
      found.push({ id, kind: 'turn', text: content, at: isoTime(at), from: speaker ?? role });
    }
  }
  return found;
}

function sourceLines(sources: readonly Source[]): readonly string[] {
  return sources.map(({ id, kind, text, at, from }) =>
    text === null
      ? `Source ${id} is gone.`
      : `Source ${id}, a ${kind} of ${String(at).slice(0, 10)} from ${String(from)}: ${text}`,
  );
}
