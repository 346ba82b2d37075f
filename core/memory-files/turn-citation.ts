/**
 * A turn as a line of a Markdown file cites it: with its session, since the ids of turns are those
 * of their session only.
 */
const PREFIX = 'turn:';

export interface CitedTurn {
  readonly sessionId: string;
  readonly id: string;
}

export function citationOf({ sessionId, id }: CitedTurn): string {
  return `${PREFIX}${encodeURIComponent(sessionId)}/${encodeURIComponent(id)}`;
}

/** The way back; null for any other source. */
export function citedTurn(source: string): CitedTurn | null {
  if (!source.startsWith(PREFIX)) return null;
  const [sessionId, id, ...rest] = source.slice(PREFIX.length).split('/').map(decoded);
  return sessionId && id && rest.length === 0 ? { sessionId, id } : null;
}

/** Callers may write what looks like one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
