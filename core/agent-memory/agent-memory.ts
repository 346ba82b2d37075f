/**
 * What middleware and tools for agents need from Varve; the library and `varve/client` both have
 * it.
 */
import type { Layer } from '../layer.ts';

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
    /** Reads the newest turns, so that a question is kept once; without it, perhaps twice. */
    messages?(input: {
      tenant: string;
      sessionId: string;
      before: number;
      limit: number;
    }): Promise<{
      readonly messages: readonly { id: string; role: string; content: string }[];
      /** Null if the session begins with these. */
      readonly nextBefore?: number | null;
    }>;
    /** Finds out whose session a turn is of; needed to forget. */
    list?(input: {
      tenant: string;
      identifiers: Record<string, string>;
      limit: number;
    }): Promise<{ readonly sessions: readonly { readonly sessionId: string }[] }>;
    /** Needed to forget, and to replace an answer that is generated again. */
    delete?(input: {
      tenant: string;
      sessionId: string;
      turnIds: string[];
    }): Promise<{ readonly deleted: readonly string[] }>;
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
    /** Finds out whose memory it is; needed to forget. */
    get?(input: {
      tenant: string;
      id: string;
    }): Promise<{ readonly layer: Layer; readonly scopeId: string } | null>;
    /** Needed to forget. */
    delete?(input: { tenant: string; id: string }): Promise<{ readonly deleted: boolean }>;
  };
}

interface FoundHit {
  readonly source: string;
  readonly id: string;
  readonly turn?: { readonly sessionId: string; readonly speaker?: string } | null;
  readonly text: string;
  readonly at: number;
  readonly score: number;
  /** Whether later words replace it. */
  readonly outdated?: boolean;
  /** Whether they replace a part of it. */
  readonly outdatedInPart?: boolean;
}
