/** Tools that read contexts and summaries. */
import { entryOf } from '#core/context/past-turns.ts';
import { Trust } from '#core/trust.ts';
import { OPERATIONS } from '../operations/table.ts';
import type { Why, WhySource } from '../schemas/why.ts';
import { unknownSource } from '../why-sources.ts';
import { nothingMeant } from '../why.ts';
import {
  homeLayer,
  type Binding,
  createBindingCheck,
  type Bound,
  type BoundScope,
} from './server-binding.ts';
import { LAYER_MEANING, layerField, READ_ONLY, tool, type Tool } from './tool.ts';
import { z } from 'zod';
import { isoTime } from '#core/said-at.ts';

const { input: Assemble } = OPERATIONS.context.assemble;
const { input: GetSummary } = OPERATIONS.summary.get;

export function contextTools(binding: Binding): readonly Tool[] {
  return [getContext(binding), getSummary(binding)];
}

function getContext(binding: Binding): Tool {
  return tool(binding, {
    name: 'get_context',
    title: 'Get the context for a question',
    description:
      'Assembles what is known for a question, inside a token limit: summaries ' +
      'of the open layers, memories that fit, and what was said in earlier ' +
      'conversations. Call it at the beginning of a conversation or a task, with ' +
      'the request in words as the question. Later words replace a line that ends with ' +
      '“(earlier)”, and may replace one that ends with “(earlier? see …)”. Returns the text and, ' +
      'for each part, why it is in or out and the ids of its sources, which you can pass to why.',
    hints: READ_ONLY,
    input: z.strictObject({
      query: Assemble.shape.query,
      maxTokens: Assemble.shape.maxTokens,
      at: Assemble.shape.at,
    }),
    output: z.object({
      text: z.string(),
      tokens: z.number(),
      limit: z.number(),
      parts: z
        .array(
          z.object({
            kind: z.string(),
            id: z.string(),
            key: z.string().nullable().describe('The key of a memory, if its author named one.'),
            layer: z.string().nullable(),
            included: z.boolean(),
            reason: z.string(),
            tokens: z.number(),
            sources: z.array(z.string()),
            stale: z.boolean().describe('True if a summary lacks the newest writes.'),
          }),
        )
        .describe('Why each part is in the text or not.'),
    }),
    run: async ({ calls }, { at, ...input }, scope) => {
      const time = at === undefined ? {} : { at: isoTime(at) };
      const asked = { ...input, ...time, ...scope };
      const { text, tokens, limit, receipt } = await calls.context.assemble(asked);
      const parts = receipt.map(({ freshness, sources, ...line }) => ({
        ...line,
        sources: [...sources],
        stale: freshness?.stale ?? false,
      }));
      return { text, content: { text, tokens, limit, parts } };
    },
  });
}

function getSummary(binding: Binding): Tool {
  return tool(binding, {
    name: 'get_summary',
    title: 'Get a summary',
    description:
      'Returns the summary of one layer, such as everything known about the user ' +
      'in a paragraph, with its facts and the ids of their sources. Call it for ' +
      'an overview; for a question, call get_context. Returns null if there is ' +
      'no summary yet, and says whether it is stale, which means that it does ' +
      'not include the newest memories.',
    hints: READ_ONLY,
    input: z.strictObject({
      layer: layerField(binding)
        .optional()
        .describe(`Which summary. ${LAYER_MEANING} Without it: that of the user, else the agent.`),
      depth: GetSummary.shape.depth,
    }),
    output: z.object({
      summary: z
        .object({
          id: z.string(),
          layer: z.string(),
          scopeId: z.string(),
          text: z.string(),
          facts: z.array(
            z.object({ text: z.string(), sources: z.array(z.string()), trust: Trust }),
          ),
          generatedAt: z.string(),
          stale: z.boolean(),
          staleReason: z.string().nullable(),
        })
        .nullable()
        .describe('Null if there is none yet.'),
    }),
    run: async ({ calls }, { layer, depth }, scope) => {
      const asked = layer ?? homeLayer(scope);
      const found = await calls.summary.get({ ...scope, layer: asked, depth });
      if (found === null) {
        const text = `There is no summary of the ${asked} layer yet; search_memory finds memories.`;
        return { text, content: { summary: null } };
      }
      const { id, layer: of, scopeId, text, facts, generatedAt, freshness } = found;
      const staleNote = freshness.stale ? '\n(Stale: newer memories exist.)' : '';
      const summary = {
        id,
        layer: of,
        scopeId,
        text,
        facts: facts.map(({ text: said, sources, trust }) => ({ text: said, sources, trust })),
        generatedAt: isoTime({ at: generatedAt }),
        stale: freshness.stale,
        staleReason: freshness.reason,
      };
      return { text: `${text}${staleNote}`, content: { summary } };
    },
  });
}

const { why } = OPERATIONS.trace;
/** Maximum sessions whose turns are shown, newest first. */
const SESSIONS_MAX = 20;

/** `trace.why` as a tool: explains where something comes from, within what the server may show. */
export function whyTool(binding: Binding): Tool {
  return tool(binding, {
    name: 'why',
    title: 'Explain where something comes from',
    description:
      'Explains where a memory or a summary comes from: who stored it and when, ' +
      'what was changed, the facts of a summary, and the memories or turns that ' +
      'each rests on, in their own words. Call it when the user asks why you ' +
      'believe something, or when two memories disagree. Pass an id, the words ' +
      'of a context or a summary, or a layer for its summary.',
    hints: READ_ONLY,
    input: z.strictObject({ ref: why.input.shape.ref }),
    output: why.output,
    run: async (bound, { ref }, scope) => {
      const answer = await bound.calls.trace.why({ ...scope, ref });
      const isOpen = await openTo(bound, scope);
      if (!isOpen(answer)) throw nothingMeant();
      const content = {
        ...answer,
        sources: answer.sources.map((source) =>
          isOpen(source) ? source : unknownSource(source.id),
        ),
        citedBy: answer.citedBy.filter(isOpen),
      };
      return { text: textOf(content), content };
    },
  });
}

type Placed = Pick<WhySource, 'layer' | 'scopeId'>;

/** Returns whether this server may show a record; a turn is in its session's own scope. */
async function openTo(bound: Bound, scope: BoundScope): Promise<(found: Placed) => boolean> {
  const isWithin = await createBindingCheck(bound);
  const { sessions } = await bound.calls.conversation.list({ ...scope, limit: SESSIONS_MAX });
  const own = new Set(sessions.map(({ sessionId }) => sessionId));
  return ({ layer, scopeId }) => {
    if (layer === null || scopeId === null) return true;
    return layer === 'session' ? own.has(scopeId) : isWithin({ layer, scopeId });
  };
}

function textOf(answer: Why): string {
  const { kind, id, layer, state, at, by, channel, supersededBy, made, writes } = answer;
  const since = at === null ? '' : `, since ${isoTime({ at })}`;
  const isOver = state !== 'Current';
  const came = channel === null ? '' : ` It came in by ${channel}.`;
  return [
    `${kind} ${id} of the layer ${layer} (${state})${since}, by ${String(by)}.${came}`,
    ...(answer.text === null ? [] : [entryOf('It says: ', answer.text)]),
    ...(supersededBy === null
      ? []
      : [`It ${isOver ? 'was' : 'will be'} replaced by ${supersededBy}.`]),
    ...(made === null ? [] : [`Made by ${made.model} at ${isoTime(made)}.`]),
    ...answer.facts.map(({ text, sources }) => `- ${text} [rests on ${sources.join(', ')}]`),
    ...answer.sources.map(sourceLine),
    ...answer.citedBy.map((each) => `The ${each.layer} summary says because of it: ${each.fact}`),
    ...answer.changes.map((each) => `${isoTime(each)}: ${each.action} by ${each.by}`),
    ...(writes ?? []).map(writeLine),
  ].join('\n');
}

function writeLine(write: NonNullable<Why['writes']>[number]): string {
  const { operation, principal, outcome } = write;
  const failure = outcome === 'Done' ? '' : `, which changed nothing: ${outcome}`;
  return `${isoTime(write)}: ${operation} by ${principal}${failure}`;
}

function sourceLine({ id, kind, state, text, at, by }: WhySource): string {
  if (kind === 'unknown') return `Source ${id} was erased, or is not open here.`;
  const when = at === null ? '' : ` of ${isoTime({ at }).slice(0, 10)}`;
  const source = `Source ${id}, a ${kind}${when} from ${String(by)} (${String(state)})`;
  return text === null ? source : entryOf(`${source}: `, text);
}
