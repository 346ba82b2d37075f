/**
 * What the middleware and the tools need from Varve; the library and `varve/client` both have it.
 */
import { VarveError } from '#core/errors.ts';
import { problemOfGiven, givenMessage } from '#core/identifiers.ts';
import { requireKnownOptions } from '#core/spelling.ts';

/** By the identifiers of layers: `{ userId: 'ann', projectId: 'shop' }`. */
export type Whose = Readonly<
  Partial<Record<'agentId' | 'userId' | 'projectId' | 'teamId' | 'orgId' | 'companyId', string>>
>;

export interface Turn {
  id: string;
  role: 'user' | 'assistant' | 'tool';
  content: string;
  /** For a tool result, the name of the tool. */
  speaker?: string;
  toolCalls?: { id: string; name: string; arguments: Record<string, unknown> }[];
  toolCallId?: string;
}

export interface AgentMemory {
  readonly context: {
    assemble(input: {
      tenant: string;
      identifiers: Record<string, string>;
      query: string;
      ownSession: boolean;
      maxTokens?: number;
    }): Promise<{ readonly text: string }>;
  };
  readonly conversation: {
    append(input: {
      tenant: string;
      sessionId: string;
      identifiers: Record<string, string>;
      turns: Turn[];
    }): Promise<unknown>;
  };
  readonly memory: {
    search(input: {
      tenant: string;
      identifiers: Record<string, string>;
      query: string;
      limit: number;
    }): Promise<{ readonly hits: readonly FoundHit[] }>;
    add(input: {
      tenant: string;
      layer: 'user' | 'agent' | 'project' | 'team' | 'org' | 'company';
      identifiers: Record<string, string>;
      content: string;
      deduplicate: 'Exact';
    }): Promise<{ readonly memory: { readonly id: string } }>;
  };
}

interface FoundHit {
  readonly source: string;
  readonly text: string;
  readonly at: number;
  readonly score: number;
}

/**
 * Checks options that JavaScript does not, before a conversation starts.
 * @param known every option, and whether it is required
 * @throws VarveError INVALID_INPUT
 */
export function requireOptions(options: object, known: Readonly<Record<string, boolean>>): void {
  requireKnownOptions(options, Object.keys(known));
  const given = new Map<string, unknown>(Object.entries(options));
  const problem = problemOfGiven(given.get('identifiers'));
  if (problem !== null) throw new VarveError('INVALID_INPUT', givenMessage(problem));
  const missing = Object.keys(known).find((name) => {
    const value = given.get(name);
    return known[name] === true && (value === undefined || value === null || value === '');
  });
  if (missing === undefined) return;
  const message = `${missing}: expected a value, found none; set the option ${missing}.`;
  throw new VarveError('INVALID_INPUT', message);
}
