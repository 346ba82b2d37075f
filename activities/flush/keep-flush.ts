/** Activity: keeps what the turns of a flush say that lasts, on behalf of the session's owner. */
import { extract, type Extracted } from '#core/extraction/extract.ts';
import { rememberedStatements } from '#core/extraction/remembered.ts';
import type { ExtractionResult } from '#core/extraction/result.ts';
import type { FlushInput, KeptCounts } from '#core/flush/flush-contract.ts';
import type { Turn } from '#core/records/turn.ts';
import { turnSource } from '#core/sources/source.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import { answeredFacts, batchOf } from './flush-answer.ts';
import type { FlushPorts } from './flush-ports.ts';
import { confirmedIn } from '../verify-doubts.ts';
import { isSaid, messageOf, turnsOf, waitingSession, type Waiting } from './flush-session.ts';

/** What became of each statement; nothing where nothing waits any more. */
export async function keepFlush(
  ports: FlushPorts,
  input: FlushInput,
): Promise<readonly ExtractionResult[]> {
  const session = await waitingSession(ports, input);
  if (session === null) return [];
  const { tenant, sessionId, flush } = session;
  const keeping = {
    tenant,
    identifiers: { ...session.identifiers, sessionId },
    by: session.owner,
    metadata: {},
    expiresAt: null,
    mayWrite: ({ layer }: { layer: string }) =>
      flush.layers === null || flush.layers.some((each) => each === layer),
  };
  const turns = await turnsOf(ports, session);
  return keepStatements(ports, keeping, await statementsOf(ports, session, turns));
}

/** By the answer of a model; by rules where there is none, or nothing in it holds. */
async function statementsOf(
  ports: FlushPorts,
  session: Waiting,
  turns: readonly Turn[],
): Promise<readonly Extracted[]> {
  const messages = turns.map(messageOf);
  const facts = await answeredFacts(ports, session);
  if (facts === null) return extract(messages);
  const sources = turns.filter(isSaid).map(turnSource);
  const remembered = rememberedStatements(facts, {
    messages,
    sources,
    confirms: await confirmedIn(ports, batchOf(session)),
  });
  const isRefused = remembered.length === 0 && facts.some(({ kind }) => kind != null);
  return isRefused ? extract(messages) : remembered;
}

/** Without a word of them. */
export function countsOf(results: readonly ExtractionResult[]): KeptCounts {
  const count = (event: ExtractionResult['event']) =>
    results.filter((result) => result.event === event).length;
  return { added: count('ADD'), superseded: count('SUPERSEDE'), known: count('NOOP') };
}
