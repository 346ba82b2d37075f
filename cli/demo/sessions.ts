/** Two sessions of a person, a correction and a deletion, and what a third one hears of them. */
import type { ApiClient } from '../api-client.ts';
import { bold, dim, framed, wrapped } from './text.ts';

const TENANT = 'offsite';
const DANA = { userId: 'dana' };
const DAY_MS = 86_400_000;
const MAX_TOKENS = 400;
const QUESTION = 'Where is the offsite, what can I eat, and what is the code of the door?';

const MONDAY = [
  'The offsite is in Porto, and I booked the hotel for twelve people.',
  'I am vegetarian, so the caterer needs a menu without meat.',
  'The code of the office door is 7204.',
] as const;
const CODE = 2;
const WEDNESDAY = [
  'About the offsite: the hotel was full, so we moved it from Porto to Braga.',
] as const;

export interface SessionsShown {
  readonly question: string;
  /** Lines of the context about earlier turns: after Monday alone, and after everything. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Appends, corrects and deletes, and asks twice in a session that has no turns of its own. */
export async function makeSessions(api: ApiClient, now: number): Promise<SessionsShown> {
  const said = await append(api, 'monday', { texts: MONDAY, at: now - 4 * DAY_MS });
  const before = await earlierTurns(api);
  await append(api, 'wednesday', { texts: WEDNESDAY, at: now - 2 * DAY_MS });
  const turnIds = said.slice(CODE, CODE + 1);
  await api.conversation.delete({ tenant: TENANT, sessionId: 'monday', turnIds });
  return { question: QUESTION, before, after: await earlierTurns(api) };
}

export function printSessions({ question, before, after }: SessionsShown): string {
  return [
    said('monday', MONDAY),
    wrapped(`friday, a new session: ${question}`, '  '),
    framed(before.join('\n')),
    said('wednesday', WEDNESDAY),
    `  ${bold('deleted')}  the turn with the code of the door`,
    '  friday, asked again',
    framed(after.join('\n')),
  ].join('\n');
}

async function append(
  api: ApiClient,
  sessionId: string,
  { texts, at }: { readonly texts: readonly string[]; readonly at: number },
): Promise<readonly string[]> {
  const turns = texts.map((content, minute) => {
    return { role: 'user' as const, speaker: 'Dana', content, at: at + minute * 60_000 };
  });
  const appended = await api.conversation.append({
    tenant: TENANT,
    sessionId,
    identifiers: DANA,
    turns,
  });
  return appended.ids;
}

async function earlierTurns(api: ApiClient): Promise<readonly string[]> {
  const { text } = await api.context.assemble({
    tenant: TENANT,
    identifiers: { ...DANA, sessionId: 'friday' },
    query: QUESTION,
    maxTokens: MAX_TOKENS,
  });
  const [, section = ''] = /^## Earlier turns\n([^]*?)(?=\n\n##|$(?![^]))/mu.exec(text) ?? [];
  return section.split('\n');
}

function said(day: string, texts: readonly string[]): string {
  const lines = texts.map((text) => wrapped(text, '    '));
  return [`  ${bold(day)}  ${dim('Dana says')}`, ...lines].join('\n');
}
