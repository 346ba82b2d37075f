/** Tools with which a model searches memory and adds to it, for one tenant and person. */
import { z } from 'zod';
import type { Tool } from 'ai';
import { markOfHit } from '#core/context/outdated-mark.ts';
import { localTime } from '#core/said-at.ts';
import { utcDayText } from '#core/text/day.ts';
import { requireOptions } from '#core/check-options.ts';
import type { AgentMemory, Whose } from './agent-memory.ts';

export interface MemoryToolsOptions {
  readonly varve: AgentMemory;
  readonly tenant: string;
  readonly identifiers: Whose;
  /** The layer of memories that the model adds; `user` if absent. */
  readonly layer?: 'user' | 'agent' | 'project' | 'team' | 'org' | 'company';
}

const HITS_DEFAULT = 5;
const HITS_MAX = 20;
const CONTENT_LENGTH_MAX = 2_000;

const Search = z.object({
  query: z.string().min(1).max(CONTENT_LENGTH_MAX).describe('The question, in words.'),
  limit: z.int().min(1).max(HITS_MAX).default(HITS_DEFAULT),
});
const Add = z.object({
  content: z
    .string()
    .min(1)
    .max(CONTENT_LENGTH_MAX)
    .describe('One whole sentence that is understood without this conversation.'),
});

interface FoundMemory {
  readonly source: string;
  readonly text: string;
  readonly date: string;
  readonly score: number;
}

/** Every option, and whether it is required; the type keeps this list complete. */
const OPTIONS: Readonly<Record<keyof MemoryToolsOptions, boolean>> = {
  varve: true,
  tenant: true,
  identifiers: true,
  layer: false,
};

/**
 * Creates `searchMemory` and `addMemory`, for the `tools` of `generateText`, `streamText` and
 * agents.
 * @throws VarveError INVALID_INPUT for an option that is missing or unknown
 */
export function memoryTools(options: MemoryToolsOptions): {
  readonly searchMemory: Tool<z.output<typeof Search>, readonly FoundMemory[]>;
  readonly addMemory: Tool<z.output<typeof Add>, { readonly id: string }>;
} {
  requireOptions(options, OPTIONS);
  const { varve, tenant, identifiers, layer = 'user' } = options;
  const whose = { ...identifiers };
  return {
    searchMemory: {
      description:
        'Finds what is known of the user and their work: memories, what was said in past ' +
        'sessions, lines of files. Call it before you answer anything about the user that the ' +
        'messages do not say. It answers nothing where nothing is known: do not invent. Later ' +
        'words replace a text that ends with “(earlier)”, and a part of one that ends with “(in ' +
        'part earlier)”.',
      inputSchema: Search,
      async execute({ query, limit }) {
        const asked = { tenant, identifiers: whose, query, limit, order: 'relevance' } as const;
        const found = await varve.memory.search(asked);
        return found.hits.map(({ source, text, score, ...hit }) => {
          const { outdated = false, outdatedInPart = false } = hit;
          const marked = text + markOfHit({ outdated, outdatedInPart });
          const date = utcDayText(localTime(hit));
          return { source, text: marked, date, score: Number(score.toFixed(2)) };
        });
      },
    },
    addMemory: {
      description:
        'Keeps one statement for later conversations. Call it when the user states a lasting ' +
        'fact, a preference or a decision, or asks you to remember something; not for small talk.',
      inputSchema: Add,
      async execute({ content }) {
        const stored = {
          tenant,
          layer,
          identifiers: whose,
          content,
          deduplicate: 'Exact',
        } as const;
        const { memory } = await varve.memory.add(stored);
        return { id: memory.id };
      },
    },
  };
}
