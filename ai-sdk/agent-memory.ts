/**
 * What the middleware and the tools need from Varve; the library and `varve/client` both have it.
 */

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
    /** Reads the newest turn, so that a question is kept once; without it, it may be kept twice. */
    messages?(input: {
      tenant: string;
      sessionId: string;
      before: number;
      limit: number;
    }): Promise<{
      readonly messages: readonly { id: string; role: string; content: string }[];
    }>;
  };
  readonly memory: {
    search(input: {
      tenant: string;
      identifiers: Record<string, string>;
      query: string;
      limit: number;
      order: 'relevance';
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
  /** Whether later words replace it. */
  readonly outdated?: boolean;
  /** Whether they replace a part of it. */
  readonly outdatedInPart?: boolean;
}
