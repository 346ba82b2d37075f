/** Tools that read contexts and summaries. */
import { z } from 'zod';
import { Trust } from '#core/records/memory.ts';
import { OPERATIONS } from '../operations/table.ts';
import { boundScope, homeLayer, type Binding } from './binding.ts';
import {
  identifiersField,
  isoTime,
  LAYER_MEANING,
  layerField,
  named,
  READS,
  tool,
  type Tool,
} from './tool.ts';

const { input: Assemble } = OPERATIONS.context.assemble;
const { input: GetSummary } = OPERATIONS.summary.get;

export function contextTools(binding: Binding): readonly Tool[] {
  return [getContext(binding), getSummary(binding)];
}

function getContext(binding: Binding): Tool {
  return tool({
    name: 'get_context',
    title: 'Get the context for a question',
    description:
      'Puts together what is known for a question, inside a token limit: summaries of the open ' +
      'layers, memories that fit, and what was said in earlier conversations. Call it at the ' +
      'beginning of a conversation or a task, with the request in words as the question. Answers ' +
      'the text, and for each part why it is in or out with the ids it rests on, which why takes.',
    hints: READS,
    input: z.strictObject({
      query: Assemble.shape.query,
      maxTokens: Assemble.shape.maxTokens,
      at: Assemble.shape.at,
      ...identifiersField(binding),
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
            key: z.string().nullable().describe('Of a memory, where its author named it.'),
            layer: z.string().nullable(),
            included: z.boolean(),
            reason: z.string(),
            tokens: z.number(),
            sources: z.array(z.string()),
            stale: z.boolean().describe('True where a summary does not know the newest writes.'),
          }),
        )
        .describe('Why each part is in or out.'),
    }),
    run: async ({ calls }, input) => {
      const { query, maxTokens, at } = input;
      const { text, tokens, limit, receipt } = await calls.context.assemble({
        ...boundScope(binding, named(input)),
        query,
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(at === undefined ? {} : { at }),
      });
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
  return tool({
    name: 'get_summary',
    title: 'Get a summary',
    description:
      'The summary of one layer, such as everything known about the user in a paragraph, with ' +
      'the facts that it consists of and the ids each rests on. Call it for an overview; for a ' +
      'question take get_context. Answers null where none was made yet, and says whether it is ' +
      'stale: newer memories exist that it does not know of.',
    hints: READS,
    input: z.strictObject({
      layer: layerField(binding)
        .optional()
        .describe(`Which summary. ${LAYER_MEANING} Without it: that of the user, else the agent.`),
      depth: GetSummary.shape.depth,
      ...identifiersField(binding),
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
        .describe('Null where none was made yet.'),
    }),
    run: async ({ calls }, { layer, depth, ...input }) => {
      const scope = boundScope(binding, named(input));
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
        generatedAt: isoTime(generatedAt),
        stale: freshness.stale,
        staleReason: freshness.reason,
      };
      return { text: `${text}${staleNote}`, content: { summary } };
    },
  });
}
