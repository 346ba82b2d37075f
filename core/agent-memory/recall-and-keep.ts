/** What every memory middleware does: it recalls before an answer, and keeps what was said. */
import { TURN_LENGTH_MAX } from '../records/turn.ts';
import { shortenToUnits, storableText } from '../storable-text.ts';
import { callsWith, splitLongMessage } from '../sessions/split-long-message.ts';
import type { AgentMemory, Turn, Whose } from './agent-memory.ts';
import { findKeptQuestion, type Words } from './kept-question.ts';

/**
 * The tools of `memoryTools` and of Varve's MCP server: what they return would stay in a turn after
 * it was deleted.
 */
export const MEMORY_TOOLS = [
  'searchMemory',
  'addMemory',
  'forgetMemory',
  'search_memory',
  'list_memories',
  'get_context',
  'get_summary',
  'why',
  'add_memory',
  'delete_memory',
];
/** Maximum characters of a query; a longer question is cut. */
const QUERY_LENGTH_MAX = 2_000;
/** A query of at most so many characters is not cut to fit a small limit. */
const QUERY_LENGTH_MIN = 100;
/** The maximum of one call of `conversation.append`. */
const TURNS_PER_CALL = 1_000;

export interface SessionOfAgent {
  readonly varve: AgentMemory;
  readonly tenant: string;
  readonly identifiers: Whose;
  readonly sessionId: string;
  readonly onError?: ((error: unknown) => void) | undefined;
}

interface RecallOptions extends SessionOfAgent {
  readonly maxTokens?: number | undefined;
}

/**
 * Returns the context of a question without the question itself; an empty text for a blank one.
 * Leaves out the session, whose messages the model gets anyway.
 * @throws what Varve throws, without `onError`
 */
export async function recall(question: string, options: RecallOptions): Promise<string> {
  const query = shortenToUnits(storableText(question).trim(), QUERY_LENGTH_MAX);
  if (query === '') return '';
  try {
    return withoutQuestion(await contextOf(query, options));
  } catch (error) {
    if (options.onError === undefined) throw error;
    options.onError(error);
    return '';
  }
}

/** Returns the context of a query, which is cut as long as it alone is above the limit. */
async function contextOf(query: string, options: RecallOptions): Promise<string> {
  const { varve, tenant, identifiers, sessionId, maxTokens } = options;
  try {
    const { text } = await varve.context.assemble({
      tenant,
      identifiers: { ...identifiers, sessionId },
      query,
      ownSession: false,
      ...(maxTokens === undefined ? {} : { maxTokens }),
    });
    return text;
  } catch (error) {
    const isTooLong = codeOf(error) === 'CONTEXT_LIMIT_TOO_SMALL';
    if (!isTooLong || query.length <= QUERY_LENGTH_MIN) throw error;
    return contextOf(shortenToUnits(query, Math.ceil(query.length / 2)), options);
  }
}

/** The question is the last section of a context; in quoted texts, Varve marks such lines. */
function withoutQuestion(text: string): string {
  const at = `\n${text}`.lastIndexOf('\n## Question\n');
  return at === -1 ? text : text.slice(0, at).trimEnd();
}

interface Exchange {
  /** The newest question of the user, what came before it since the last answer, and its answer. */
  readonly turns: readonly Turn[];
  /** What the user and the assistant said before the question. */
  readonly before: readonly Words[];
  /**
   * Ids of the turns of an earlier answer, which this one replaces; by default, of all turns that
   * follow the question.
   */
  readonly replaced?: readonly string[];
}

/**
 * Keeps the turns of an exchange. A question that the session has is kept once, and a new answer
 * replaces the one that was kept. Never rejects: the answer was paid for.
 * @returns the turns that follow what is kept, and so are of an earlier answer
 */
export async function keepExchange(
  { turns, before, replaced }: Exchange,
  options: SessionOfAgent & { readonly warn: (error: unknown) => void },
): Promise<readonly string[]> {
  const { varve, tenant, identifiers, sessionId, warn, onError = warn } = options;
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const question = turns[at];
  if (question === undefined) return [];
  const session = { tenant, sessionId };
  try {
    const known = await findKeptQuestion(varve, session, question, before);
    // What came before a known question was kept with it.
    const fresh = known === null ? turns : [{ ...question, id: known.id }, ...turns.slice(at + 1)];
    const whole = fresh.flatMap((turn) => splitLongMessage(turn, TURN_LENGTH_MAX));
    for (const some of callsWith(whole, TURNS_PER_CALL)) {
      await varve.conversation.append({
        ...session,
        identifiers: { ...identifiers },
        turns: some,
      });
    }
    const answered = known?.answered ?? [];
    const isAnswered = turns.length > at + 1;
    const ids = new Set(whole.map(({ id }) => id));
    const turnIds = (replaced ?? (isAnswered ? answered : [])).filter((id) => !ids.has(id));
    if (turnIds.length > 0) await varve.conversation.delete?.({ ...session, turnIds });
    const isPart = turns.slice(at + 1).every(({ id }) => answered.includes(id));
    return isPart ? answered.filter((id) => !ids.has(id)) : [];
  } catch (error) {
    try {
      onError(error);
    } catch (cause) {
      warn(cause);
    }
    return [];
  }
}

/** Returns a warning with only the code of an error: its message may contain anything. */
export function notKeptWarning(error: unknown): string {
  const code = codeOf(error) ?? 'unexpected';
  return `varve: the turns of this answer were not kept (${code}); set onError to handle it`;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
