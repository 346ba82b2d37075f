/** The first part of the demo, which needs no server: the library on one SQLite file. */
import { SILENT_LOG } from '#core/ports/platform.ts';
import { DAY_MS } from '#core/duration.ts';
import type { Varve } from '../library-options.ts';
import { openVarve } from '../open-varve.ts';
import { bold, dim, framed, wrapped } from '../terminal-text.ts';

const TENANT = 'offsite';
const DANA = { userId: 'dana' };
const MAX_TOKENS = 400;
const QUESTION = 'Where is the offsite, what can I eat, and what is the code of the door?';

const FIRST = [
  'The offsite is in Porto, and I booked the hotel for twelve people.',
  'I am vegetarian, so the caterer needs a menu without meat.',
  'The code of the office door is 7204.',
] as const;
const CODE = 2;
const SECOND = [
  'About the offsite: the hotel was full, so we moved it from Porto to Braga.',
] as const;

/**
 * Appends, corrects and deletes turns, and asks twice in a session without turns of its own.
 * @returns what was said, and the earlier turns of each context
 */
export async function twoSessions(dataDir: string, now: number): Promise<string> {
  await using varve = await openVarve({ dataDir, policy: null, environment: {}, log: SILENT_LOG });
  const first = await append(varve, 'session-1', { texts: FIRST, at: now - 4 * DAY_MS });
  const before = await earlierTurns(varve);
  await append(varve, 'session-2', { texts: SECOND, at: now - 2 * DAY_MS });
  const turnIds = first.slice(CODE, CODE + 1);
  await varve.conversation.delete({ tenant: TENANT, sessionId: 'session-1', turnIds });
  const after = await earlierTurns(varve);
  return [
    said('session 1', FIRST),
    wrapped(`asked in a new session: ${QUESTION}`, '  '),
    framed(before.join('\n')),
    said('session 2', SECOND),
    `  ${bold('deleted')}  the turn with the code of the door`,
    '  asked again in a new session',
    framed(after.join('\n')),
  ].join('\n');
}

async function append(
  varve: Varve,
  sessionId: string,
  { texts, at }: { readonly texts: readonly string[]; readonly at: number },
): Promise<readonly string[]> {
  const turns = texts.map((content, minute) => {
    return { role: 'user' as const, speaker: 'Dana', content, at: at + minute * 60_000 };
  });
  const appended = await varve.conversation.append({
    tenant: TENANT,
    sessionId,
    identifiers: DANA,
    turns,
  });
  return appended.ids;
}

async function earlierTurns(varve: Varve): Promise<readonly string[]> {
  const { text } = await varve.context.assemble({
    tenant: TENANT,
    identifiers: { ...DANA, sessionId: 'session-3' },
    query: QUESTION,
    maxTokens: MAX_TOKENS,
  });
  const [, section = ''] = /^## Earlier turns\n([^]*?)(?=\n\n##|$(?![^]))/mu.exec(text) ?? [];
  return section.split('\n');
}

function said(session: string, texts: readonly string[]): string {
  const lines = texts.map((text) => wrapped(text, '    '));
  return [`  ${bold(session)}  ${dim('Dana says')}`, ...lines].join('\n');
}
