/** Activity: keeps what the turns of a flush say that lasts, on behalf of the session's owner. */
import { extract } from '#core/extraction/extract.ts';
import type { ExtractionResult } from '#core/extraction/result.ts';
import type { FlushInput, KeptCounts } from '#core/flush/flush-contract.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import type { FlushPorts } from './flush-ports.ts';
import { messageOf, turnsOf, waitingSession } from './flush-session.ts';

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
  return keepStatements(ports, keeping, extract(turns.map(messageOf)));
}

/** Without a word of them. */
export function countsOf(results: readonly ExtractionResult[]): KeptCounts {
  const count = (event: ExtractionResult['event']) =>
    results.filter((result) => result.event === event).length;
  return { added: count('ADD'), superseded: count('SUPERSEDE'), known: count('NOOP') };
}
