import { describe, expect, test } from 'vitest';
import { appendedSession, sessionOf, type Appending } from '#core/sessions/session-changes.ts';
import { endOfSession } from '#core/sessions/session-end.ts';
import { openerOf, openersOf, requireSameUser } from '#core/sessions/session-access.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { SESSION_TAGS_MAX } from '#core/records/session.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '#test/conformance/samples.ts';

const SILENCE_MS = 30 * MINUTE_MS;

function appending(differing: Partial<Appending> = {}): Appending {
  return {
    tenant: 'acme',
    sessionId: 'call',
    principal: 'key-1',
    identifiers: { sessionId: 'call', userId: 'ann' },
    tags: ['support'],
    at: [NOW],
    flush: { id: 'f-1', now: NOW, layers: undefined },
    silenceMs: SILENCE_MS,
    ...differing,
  };
}

describe('a session is open to', () => {
  test.each<[string, Identifiers, string, readonly string[]]>([
    ['only its user', { userId: 'ann' }, 'user/ann', ['user/ann']],
    [
      'only its user, even if an agent and a project take part',
      { projectId: 'p', agentId: 'a', userId: 'ann' },
      'user/ann',
      ['user/ann', 'agent/a', 'project/p'],
    ],
    [
      'its agent, if it has no user',
      { projectId: 'p', agentId: 'a' },
      'agent/a',
      ['agent/a', 'project/p'],
    ],
    ['its project, if it has nothing else', { projectId: 'p' }, 'project/p', ['project/p']],
    ['anyone who knows its id, if it names nobody', { sessionId: 's', teamId: 't' }, '', []],
  ])('%s', (_, identifiers, opener, openers) => {
    expect(openerOf(identifiers)).toBe(opener);
    expect(openersOf(identifiers)).toEqual(openers);
  });
});

describe('a session of one user', () => {
  const session = { sessionId: 'call', identifiers: { userId: 'ann' } };

  test('is refused to another user', () => {
    expect(() => {
      requireSameUser(session, 'ben');
    }).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    expect(() =>
      appendedSession(appended(), appending({ identifiers: { userId: 'ben' } })),
    ).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  });

  test('is open to that user and to a call without a user', () => {
    for (const userId of ['ann', undefined]) {
      expect(() => {
        requireSameUser(session, userId);
      }).not.toThrow();
    }
  });

  test('is open to any user while it has none', () => {
    expect(() => {
      requireSameUser({ sessionId: 'call', identifiers: {} }, 'ben');
    }).not.toThrow();
  });
});

test.each<[string, number | null, number, number | null]>([
  ['continues until it was silent for the declared time', null, SILENCE_MS - 1, null],
  ['ends after the declared silence', null, SILENCE_MS, NOW + SILENCE_MS],
  ['ends after the declared silence, however late it is checked', null, HOUR_MS, NOW + SILENCE_MS],
  ['ends when a call ends it', NOW + 5, HOUR_MS, NOW + 5],
])('a session %s', (_, endedAt, passedMs, expected) => {
  const look = { now: NOW + passedMs, silenceMs: SILENCE_MS };
  expect(endOfSession({ endedAt, lastAt: NOW }, look)).toBe(expected);
});

function appended(differing: Partial<Appending> = {}) {
  return appendedSession(null, appending(differing));
}

describe('appended turns', () => {
  test('open a session for the first principal, which is flushed after a silence', () => {
    expect(appended({ at: [NOW + 5, NOW, NOW + 9], tags: ['a', 'b', 'a'] })).toEqual({
      tenant: 'acme',
      sessionId: 'call',
      owner: 'key-1',
      opener: 'user/ann',
      identifiers: { userId: 'ann' },
      firstAt: NOW,
      lastAt: NOW + 9,
      endedAt: null,
      flushedTo: 0,
      flush: expect.objectContaining({ id: 'f-1', dueAt: NOW + SILENCE_MS }),
      tags: ['a', 'b'],
      version: 1,
    });
  });

  test('keep the owner and identifiers of a session, add to them and reopen it', () => {
    const before = { ...appended(), endedAt: NOW + 1, flushedTo: 3 };
    const identifiers = { sessionId: 'call', agentId: 'a' };
    const later = appending({ principal: 'key-2', identifiers, tags: ['b'], at: [NOW + HOUR_MS] });
    expect(appendedSession(before, later)).toEqual({
      ...before,
      identifiers: { userId: 'ann', agentId: 'a' },
      lastAt: NOW + HOUR_MS,
      endedAt: null,
      tags: ['support', 'b'],
      version: 2,
    });
  });

  test('with an earlier time move only the start of the session', () => {
    const moved = appendedSession(appended(), appending({ at: [NOW - 5] }));
    expect(moved).toMatchObject({ firstAt: NOW - 5, lastAt: NOW });
  });

  test('set the user of a session without identifiers, but not of one with an agent', () => {
    const open = appended({ identifiers: { sessionId: 'call' } });
    expect(open.opener).toBe('');
    const owned = appendedSession(open, appending());
    expect(owned).toMatchObject({ opener: 'user/ann', identifiers: { userId: 'ann' } });
    const agents = appended({ identifiers: { agentId: 'a' } });
    const joined = appendedSession(agents, appending());
    expect(joined).toMatchObject({ opener: 'agent/a', identifiers: { agentId: 'a' } });
    const other = appending({ identifiers: { agentId: 'b' } });
    expect(appendedSession(agents, other).identifiers).toEqual({ agentId: 'a' });
  });

  test('add no more tags than a session may have', () => {
    const tags = Array.from({ length: SESSION_TAGS_MAX + 1 }, (_, n) => String(n));
    expect(appended({ tags }).tags).toEqual(tags.slice(0, SESSION_TAGS_MAX));
    const full = appendedSession(appended(), appending({ tags }));
    expect(full.tags).toEqual(['support', ...tags].slice(0, SESSION_TAGS_MAX));
  });

  test('must belong to one session of one tenant', () => {
    const turn = { tenant: 'acme', sessionId: 'call' };
    expect(sessionOf([turn, turn])).toEqual({ tenant: 'acme', layer: 'session', scopeId: 'call' });
    for (const turns of [
      [],
      [turn, { ...turn, sessionId: 'b' }],
      [turn, { ...turn, tenant: 'b' }],
    ]) {
      expect(() => sessionOf(turns)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
  });
});
