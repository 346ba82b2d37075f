/** Texts made to keep recall busy: everybody waits for it, since it runs in one thread. */
import { describe, expect, test } from 'vitest';
import { bestOf } from '#core/recall/ranking/best-passages.ts';
import { withFollowUps } from '#core/recall/ranking/follow-ups.ts';
import { concatenatedSessions } from '#core/recall/sessions/concatenated-sessions.ts';
import { pastSession, type PastSession } from '#core/recall/sessions/past-session.ts';
import { passagesOf } from '#core/recall/sessions/split-into-passages.ts';
import { passageSigns } from '#core/recall/question/answer-types.ts';

/** As long as a passage may be, and as many as one turn may have. */
const PASSAGE_UNITS = 1_200;
const PASSAGES = 400;
/** Many times what it takes now on a busy machine, and a fraction of what squares took. */
const SIGNS_MS_MAX = 8_000;
const PASSAGES_MS_MAX = 4_000;
const NO_DOMAINS = { bits: 0, rarities: [] };
const FOLLOW_UPS_MS_MAX = 5_000;

function milliseconds(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

test('a text of empty lines is split into passages quickly', () => {
  const text = `Said.${'\n'.repeat(PASSAGE_UNITS * PASSAGES)}Said too.`;
  const took = milliseconds(() => void passagesOf(text));
  expect(took).toBeLessThan(PASSAGES_MS_MAX);
});

describe('the signs of passages that repeat one unit', () => {
  test.each(['一', '1', 'aé', 'jané', ', Aa', 'so '])('of %s are read quickly', (unit) => {
    const text = unit.repeat(PASSAGE_UNITS / unit.length);
    const took = milliseconds(() => {
      for (let at = 0; at < PASSAGES; at += 1) passageSigns(text);
    });
    expect(took).toBeLessThan(SIGNS_MS_MAX);
  });

  test.each([
    ['会议改到十二月三十日下午十一点。', ['date', 'clock']],
    ['一共两千三百块，等了十五分钟。', ['money', 'span']],
    ['It is due on December 24 and takes twenty-five minutes.', ['date', 'span']],
    ['Es dauert dreißig Minuten.', ['span']],
    ['Son quince días, desde el 3 de septiembre.', ['date', 'span']],
  ])('still include values of several characters: %s', (text, kinds) => {
    expect(passageSigns(text).kinds).toEqual(kinds);
  });
});

/** Every passage has all the words. */
function sameWords(passages: number, words: number): PastSession {
  const terms = Array.from({ length: words }, (_, at) => `word${String(at)}`);
  const said = { role: 'user', speaker: null, trust: 'stated' } as const;
  const turns = Array.from({ length: passages }, (_, at) => ({
    turn: { id: String(at), sessionId: 'long', at, content: 'From now on it is £480.', ...said },
    vectors: null,
  }));
  return pastSession('long', turns, { revision: 'all-words', terms: () => terms });
}

describe('the follow-ups of the best among 2,000 long passages with the same words', () => {
  test('are found quickly', () => {
    const session = sameWords(2_000, 600);
    const scores = new Float64Array(session.passages.length).fill(1);
    const candidates = bestOf(concatenatedSessions([session]), scores);
    const options = { factor: 1, domains: NO_DOMAINS };
    const took = milliseconds(() => void withFollowUps(candidates, options));
    expect(took).toBeLessThan(FOLLOW_UPS_MS_MAX);
  });
});
