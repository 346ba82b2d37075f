import { describe, expect, test } from 'vitest';

import { concatenatedSessions } from '#core/recall/sessions/concatenated-sessions.ts';
import { pastSession, type PastSession } from '#core/recall/sessions/past-session.ts';

const analyzer = { revision: 'words', terms: (text: string) => text.toLowerCase().split(' ') };

function sessionOf(sessionId: string, contents: readonly string[]): PastSession {
  const said = { role: 'user', speaker: null, trust: 'stated' } as const;
  const turns = contents.map((content, at) => ({
    turn: { id: String(at), sessionId, at, content, ...said },
    vectors: null,
  }));
  return pastSession(sessionId, turns, analyzer);
}

const OLDEST = sessionOf('oldest', ['We met in Ghent']);
const NEWEST = sessionOf('newest', ['The dog is ill']);

describe('the columns of all sessions', () => {
  test('are kept while the sessions are the same', () => {
    const before = concatenatedSessions([OLDEST, NEWEST]);
    expect(concatenatedSessions([OLDEST, NEWEST])).toBe(before);
  });

  test.each([
    ['a session has a new turn', [OLDEST, sessionOf('newest', ['The dog is ill', 'It is well'])]],
    ['a session is new', [OLDEST, NEWEST, sessionOf('now', ['Hello there'])]],
    ['a session is gone', [OLDEST]],
    ['the first session is gone', [NEWEST]],
  ])('are made again once %s', (_, sessions) => {
    concatenatedSessions([OLDEST, NEWEST]);
    const { each, columns, places } = concatenatedSessions(sessions);
    expect(each.map(({ session }) => session)).toEqual(sessions);
    expect([...columns.units]).toEqual(
      sessions.flatMap(({ passages }) => passages.map(({ text }) => text.length)),
    );
    expect(columns.ats).toHaveLength(places.turns);
  });
});
