/**
 * A turn as a line of a Markdown file cites it: with its session, because the id of a turn is
 * unique only within its session.
 */
const PREFIX = 'turn:';

export interface CitedTurn {
  readonly sessionId: string;
  readonly id: string;
}

export function citationOf({ sessionId, id }: CitedTurn): string {
  return `${PREFIX}${encodeURIComponent(sessionId)}/${encodeURIComponent(id)}`;
}

/** Reads such a citation; null for any other source. */
export function citedTurn(source: string): CitedTurn | null {
  if (!source.startsWith(PREFIX)) return null;
  const [sessionId, id, ...rest] = source.slice(PREFIX.length).split('/').map(decoded);
  return sessionId && id && rest.length === 0 ? { sessionId, id } : null;
}

/** Returns an empty text for an invalid encoding: callers may write anything after the prefix. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
