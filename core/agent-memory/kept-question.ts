/**
 * Recognizes a question that the newest turns of its session have already: kept by an earlier step,
 * before its answer was cut short, or with an answer that is now generated again.
 */
import { turnOfPart } from '../sessions/turn-parts.ts';
import type { AgentMemory } from './agent-memory.ts';

/** Maximum turns to read of the end of a session. */
const KEPT_LOOKED_AT_MAX = 100;
/** Maximum messages before a question that must be those before the kept one. */
const COMPARED_MAX = 4;
/** What `splitLongMessage` adds to the ids of all chunks but the first. */
const CHUNK = /\/chunk-\d+$/u;

/** What a user or an assistant said. */
export interface Words {
  readonly role: string;
  readonly text: string;
}

export interface AskedQuestion {
  /** The id of its turn. */
  readonly id: string;
  readonly content: string;
}

interface KeptTurn {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}

/** The end of a session. */
export interface KeptTurns {
  readonly turns: readonly KeptTurn[];
  /** Whether the session begins with them. */
  readonly isWhole: boolean;
}

export interface KeptQuestion {
  readonly id: string;
  /** Ids of the turns that followed it, and that its new answer replaces. */
  readonly answered: readonly string[];
}

/**
 * Returns the kept question; null if the question is new. One with another id that has an answer is
 * the same question if the prompt says before it what the session says before it, and not the
 * answer.
 */
export function keptQuestionOf(
  { id, content }: AskedQuestion,
  before: readonly Words[],
  { turns: parts, isWhole }: KeptTurns,
): KeptQuestion | null {
  const turns = wholeTurns(parts);
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const asked = turns[at];
  if (asked === undefined || (asked.id !== id && asked.content !== content)) return null;
  const answered = turns.slice(at + 1).flatMap(({ ids }) => ids);
  if (answered.length === 0 || asked.id === id) return { id: asked.id, answered };
  const isAskedAgain = endsWith({ turns, isWhole }, before);
  const isSame = endsWith({ turns: turns.slice(0, at), isWhole }, before);
  return isSame && !isAskedAgain ? { id: asked.id, answered } : null;
}

/** Joins the parts of long turns. */
function wholeTurns(parts: readonly KeptTurn[]) {
  const turns = Map.groupBy(parts, ({ id }) => turnOfPart(id).replace(CHUNK, ''));
  return [...turns].map(([id, [first, ...others]]) => {
    const all = first === undefined ? others : [first, ...others];
    const ids = [...new Set(all.map((part) => turnOfPart(part.id)))];
    const content = all.map((part) => part.content).join('');
    return { id, ids, role: first?.role ?? '', content };
  });
}

/** Whether a session ends with the last of these words. */
function endsWith({ turns, isWhole }: KeptTurns, words: readonly Words[]): boolean {
  const kept = turns
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ role, content }) => ({ role, text: content }));
  const [all, said] = [kept, words].map((some) => some.filter(({ text }) => text.trim() !== ''));
  const last = said?.slice(-COMPARED_MAX) ?? [];
  if (last.length === 0) return isWhole && all?.length === 0;
  const same = all?.slice(-last.length) ?? [];
  return (
    same.length === last.length &&
    last.every(({ role, text }, place) => {
      const other = same[place];
      return other?.role === role && other.text.trim() === text.trim();
    })
  );
}

/** Finds a question at the end of its session; null if it is new, or can't be read. */
export async function findKeptQuestion(
  { conversation }: AgentMemory,
  session: { readonly tenant: string; readonly sessionId: string },
  question: AskedQuestion,
  before: readonly Words[],
): Promise<KeptQuestion | null> {
  const read = conversation.messages?.bind(conversation);
  if (read === undefined) return null;
  const newest = async (limit: number): Promise<KeptTurns> => {
    const page = await read({ ...session, before: Number.MAX_SAFE_INTEGER, limit });
    return { turns: page.messages, isWhole: page.nextBefore === null };
  };
  try {
    const last = await newest(1);
    const [turn] = last.turns;
    if (turn === undefined || isAnswerIn(before, turn)) return null;
    const isWord = turn.role === 'user' && turnOfPart(turn.id) === turn.id;
    const kept = isWord && !CHUNK.test(turn.id) ? last : await newest(KEPT_LOOKED_AT_MAX);
    return keptQuestionOf(question, before, kept);
  } catch {
    // Kept twice is better than not at all.
    return null;
  }
}

/** Whether the prompt has the newest turn as an answer before its question, as it mostly does. */
function isAnswerIn(before: readonly Words[], { role, content }: KeptTurn): boolean {
  const last = before.at(-1);
  return role === 'assistant' && last?.role === role && last.text === content;
}
