import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concatenatedSessions } from '#core/recall/sessions/concatenated-sessions.ts';
import { pastSession, type PastSession } from '#core/recall/sessions/past-session.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import {
  scoreTurnsByWindow,
  TURN_WINDOW_LENGTHS,
  turnWindowsOf,
} from '#core/recall/ranking/score-turns-by-window.ts';
import { wordScores } from '#core/recall/ranking/word-scores.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

/** @param said turns such as `Ann: rain`, or without a speaker */
function sessionOf(said: readonly string[], id = 's'): PastSession {
  const turns = said.map((line, at) => {
    const [, speaker = null, content = ''] = /^(?:(\w+): )?(.*)$/su.exec(line) ?? [];
    const turn = { id: `${id}-${String(at)}`, sessionId: id, at, role: 'user' } as const;
    return { turn: { ...turn, speaker, content, trust: 'stated' as const }, vectors: null };
  });
  return pastSession(id, turns, analyzer);
}

/** By session: the scores of its turns. */
function scoresOf(sessions: readonly PastSession[], question: string): readonly number[][] {
  const placed = concatenatedSessions(sessions);
  const words = wordScores(placed, recallTerms(analyzer, question));
  const scores = scoreTurnsByWindow(placed, words);
  return placed.each.map(({ session, firstTurn }) => [
    ...scores.subarray(firstTurn, firstTurn + session.turns.length),
  ]);
}

const filler = (count: number, by = ''): readonly string[] =>
  Array.from({ length: count }, () => `${by}rain fell quietly over green hills.`);

describe('turn windows of a session', () => {
  const session = fc.array(
    fc.nat({ max: 40 }).map((words) => `said ${'word '.repeat(words)}.`),
    { minLength: 1, maxLength: 200 },
  );

  test('cover every turn at every length, and exceed that length by less than a turn', () => {
    fc.assert(
      fc.property(session, (said) => {
        const past = sessionOf(said);
        const { starts, ends, kinds, lengths, counts } = turnWindowsOf(past);
        const size = (turn: number) => (past.turns[turn]?.length ?? 0) + 1;
        for (const [kind, length] of TURN_WINDOW_LENGTHS.entries()) {
          const of = [...kinds.keys()].filter((at) => kinds[at] === kind);
          expect(of).toHaveLength(counts[kind] ?? 0);
          let covered = 0;
          for (const at of of) {
            const [start = 0, end = 0] = [starts[at], ends[at]];
            expect(start).toBeLessThanOrEqual(covered);
            covered = end;
            if (end < past.turns.length) expect(lengths[at]).toBeGreaterThanOrEqual(length);
            expect((lengths[at] ?? 0) - size(end - 1)).toBeLessThan(length);
          }
          expect(covered).toBe(past.turns.length);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are computed once per session', () => {
    const past = sessionOf(filler(50));
    expect(turnWindowsOf(past)).toBe(turnWindowsOf(past));
  });
});

describe('a turn of a long session', () => {
  test('scores by the window around it: turns between matches rank above a lone match', () => {
    const said = filler(800).map((line, at) =>
      (at >= 40 && at < 80 && at % 4 === 0) || at === 700 ? 'The boiler leaks.' : line,
    );
    const [scores = []] = scoresOf([sessionOf(said)], 'boiler');
    expect(scores[62]).toBeGreaterThan((scores[700] ?? 0) * 2);
    expect(scores[700]).toBeGreaterThan((scores[400] ?? 0) * 2);
  });

  test('scores higher in a window where the speaker named in the question says most', () => {
    const said = [...filler(60, 'Ann: '), ...filler(60, 'Bob: '), ...filler(60, 'Cleo: ')];
    const [scores = []] = scoresOf([sessionOf(said)], 'What did Bob think of it?');
    expect(scores[90]).toBeGreaterThan((scores[30] ?? 0) * 4);
    expect(scores[90]).toBeGreaterThan((scores[150] ?? 0) * 4);
    const [none = []] = scoresOf([sessionOf(said)], 'What did Dora think of it?');
    expect(none[90]).toBeLessThan((none[30] ?? 0) * 2);
  });

  test('scores little if another session answers better', () => {
    const meeting = filler(240).map((line, at) => (at === 100 ? 'The boiler leaks.' : line));
    const chat = ['The boiler in Porto leaks under the kettle.', ...filler(3)];
    const asked = 'boiler in Porto, under the kettle';
    const [long = [], short = []] = scoresOf([sessionOf(meeting), sessionOf(chat, 'c')], asked);
    expect(short[0]).toBeGreaterThan((long[100] ?? 0) * 5);
    expect(scoresOf([sessionOf(meeting)], asked)[0]?.[100]).toBeGreaterThan(0);
  });

  test('scores highest among hundreds of sessions with fewer words of the question', () => {
    const others = Array.from({ length: 300 }, (_, at) =>
      sessionOf(at % 2 === 0 ? ['A boiler.', ...filler(2)] : filler(3), `o${String(at)}`),
    );
    const meeting = sessionOf(
      filler(240).map((line, at) => (at % 9 === 0 ? 'The boiler and kettle leak.' : line)),
    );
    const each = scoresOf([meeting, ...others], 'boiler and kettle');
    expect(each[0]?.[90]).toBeGreaterThan(Math.max(...each.slice(1).flat()));
    expect(each.slice(1).filter((scores) => scores.some((score) => score > 0))).toHaveLength(39);
  });

  test('scores the same whatever question came before', () => {
    const sessions = [sessionOf([...filler(40, 'Ann: '), 'Bob: The boiler leaks.', ...filler(60)])];
    const first = scoresOf(sessions, 'boiler');
    scoresOf(sessions, 'hills that Bob saw');
    expect(scoresOf(sessions, 'boiler')).toEqual(first);
  });
});

test('scores are finite and not negative, whatever the question', () => {
  const word = fc.constantFrom('boiler', 'kettle', 'rain', 'the', 'Ann', 'Bob');
  const line = fc
    .tuple(fc.constantFrom('', 'Ann: ', 'Bob: '), fc.array(word, { minLength: 1, maxLength: 30 }))
    .map(([by, words]) => `${by}${words.join(' ')}.`);
  const session = fc.array(line, { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(fc.array(session, { maxLength: 4 }), fc.array(word), (each, asked) => {
      const sessions = each.map((said, at) => sessionOf(said, `s${String(at)}`));
      const scores = scoresOf(sessions, asked.join(' ')).flat();
      expect(scores.every((score) => Number.isFinite(score) && score >= 0)).toBe(true);
      if (scores.length > 0) expect(Math.max(...scores)).toBeGreaterThan(0);
    }),
    { numRuns: 50 },
  );
});
