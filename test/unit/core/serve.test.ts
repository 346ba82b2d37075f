import { describe, expect, test } from 'vitest';
import { composeDepths } from '#core/refresh/compose-depths.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import {
  DROPPED_SOURCES_MAX,
  type DroppedSource,
  type ScopeRecord,
} from '#core/records/scope-record.ts';
import { DEPTHS } from '#core/records/summary.ts';
import { freshnessReport, servedSummary, withoutAmounts } from '#core/refresh/served-summary.ts';
import { memorySource } from '#core/sources/source.ts';
import {
  digest,
  HOUR_MS,
  idOf,
  memoryOf,
  NOW,
  summaryOf,
  userScope,
} from '#test/conformance/samples.ts';
import { RECIPE, settledScope } from './scope-records.ts';

const tokens: TokenCounter = { name: 'words', count: (text) => text.split(/\s+/).length };
const RULES = { recipeHash: RECIPE, policy: { maxAgeMs: HOUR_MS }, now: NOW + 1, tokens };

const made = summaryOf(userScope('acme'), ['m-1', 'm-2', 'm-3']);
const SUMMARY = { ...made, depths: composeDepths(made.facts, DEPTHS, tokens) };

const serve = (differing: Partial<ScopeRecord>) =>
  servedSummary(SUMMARY, settledScope(differing), RULES);
const droppedOf = (...ids: string[]): DroppedSource[] =>
  ids.map((id) => ({ id, reason: 'SourceDeleted' }));

describe('a served summary', () => {
  test('SUM-21: tells how fresh it is, and what each sentence rests on', () => {
    const served = serve({ changes: 2, dueAt: NOW + 9, dueTrigger: 'Interval' });
    expect(served).toMatchObject({
      sourceHash: SUMMARY.sourceHash,
      generatedAt: NOW,
      freshness: {
        stale: false,
        reason: null,
        since: null,
        needsRegeneration: false,
        dueAt: NOW + 9,
        trigger: 'Interval',
        changes: 2,
      },
    });
    expect(served?.depths.sentence?.sentences).toEqual(
      ['m-1', 'm-2', 'm-3'].map((id) => ({
        text: `A fact of ${id}.`,
        sources: [id],
        trust: 'stated',
        sinceThen: false,
      })),
    );
  });

  test('what it does not know of stands behind it, the newest first, and names its source', () => {
    const unseen = ['m-9', 'm-8'].map((id) =>
      memorySource(memoryOf('acme', 9, { id, content: `News of ${id}` })),
    );
    const served = servedSummary(SUMMARY, settledScope({ changes: 2 }), RULES, { unseen });
    const shown = served?.depths.paragraph;
    expect(shown?.text).toBe(
      'A fact of m-1. A fact of m-2. A fact of m-3. Since then: News of m-9. News of m-8.',
    );
    expect(shown?.sentences.slice(3)).toEqual([
      { text: 'News of m-9.', sources: ['m-9'], trust: 'stated', sinceThen: true },
      { text: 'News of m-8.', sources: ['m-8'], trust: 'stated', sinceThen: true },
    ]);
  });

  test('SUM-11: a stale one says why, since when, and that it is to be made again', () => {
    const served = serve({ sourceHash: digest('other'), firstStaleAt: NOW });
    const stale = { stale: true, reason: 'SourceChanged', since: NOW, needsRegeneration: true };
    expect(served?.freshness).toMatchObject(stale);
  });

  test('what rests on a dropped source is gone from facts and every depth at once', () => {
    const served = serve({ droppedSources: droppedOf('m-2'), urgentAt: NOW });
    expect(served?.facts.map((fact) => fact.sources)).toEqual([['m-1'], ['m-3']]);
    for (const depth of DEPTHS) {
      const shown = served?.depths[depth];
      expect(shown?.text).toBe('A fact of m-1. A fact of m-3.');
      expect(shown?.tokens).toBe(tokens.count(shown?.text ?? ''));
      expect(shown?.sentences.flatMap(({ sources }) => sources)).toEqual(['m-1', 'm-3']);
    }
    expect(served?.freshness).toMatchObject({ stale: true, reason: 'SourceDeleted', since: NOW });
    expect(JSON.stringify(served)).not.toContain('m-2');
  });

  test('with more dropped sources than are listed, it is withheld', () => {
    const ids = Array.from({ length: DROPPED_SOURCES_MAX }, (_, n) => idOf(n));
    expect(serve({ droppedSources: droppedOf(...ids) })).toBeNull();
    expect(serve({ droppedSources: droppedOf(...ids.slice(1)) })).not.toBeNull();
  });

  test('where there is none, there is still a word on why', () => {
    const report = freshnessReport(null, settledScope({ firstStaleAt: NOW, changes: 1 }), RULES);
    expect(report).toMatchObject({ stale: true, reason: 'NeverGenerated', since: NOW, changes: 1 });
  });

  test.each<[boolean, string, Partial<ScopeRecord>]>([
    [true, 'has sources that no summary was made of yet', { sourceCount: 1 }],
    [false, 'has no source', { sourceCount: 0 }],
    [
      false,
      'was looked at, and had nothing to summarize',
      { sourceCount: 1, changes: 0, checkedAt: NOW, generatedAt: null },
    ],
    [
      true,
      'had nothing to summarize, and was written to since',
      { sourceCount: 1, changes: 1, checkedAt: NOW, generatedAt: null },
    ],
  ])('is awaited (%s) of a scope without one that %s', (needsRegeneration, _, differing) => {
    const scope = settledScope({ firstStaleAt: NOW, ...differing });
    expect(freshnessReport(null, scope, RULES)).toMatchObject({ stale: true, needsRegeneration });
  });

  test('is awaited where there is one that is stale, though no source is left', () => {
    const scope = settledScope({ sourceCount: 0, sourceHash: digest('other'), firstStaleAt: NOW });
    const report = freshnessReport(SUMMARY, scope, RULES);
    expect(report).toMatchObject({ stale: true, needsRegeneration: true });
  });

  test('what the budget lacks can be left out, and that it waits is still told', () => {
    const exhaustion = {
      ...{ measure: 'tokens' as const, limit: 10, spent: 9, reserved: 0, requested: 5 },
      periodEndsAt: NOW + HOUR_MS,
    };
    const hold = { until: NOW + 9, dueAt: NOW, code: 'BUDGET_EXHAUSTED', since: NOW, exhaustion };
    const report = freshnessReport(null, settledScope({ hold }), RULES);
    expect(report.hold).toEqual(hold);
    expect(withoutAmounts(report)).toEqual({ ...report, hold: { ...hold, exhaustion: null } });
    const free = freshnessReport(null, settledScope(), RULES);
    expect(withoutAmounts(free)).toEqual(free);
  });

  test('says why it is a dead letter, and not by which recipe', () => {
    const letter = { code: 'MODEL_OUTPUT_INVALID', reason: 'NoGroundedFact', at: NOW };
    const scope = settledScope({ deadLetter: { ...letter, recipeHash: RECIPE } });
    const report = freshnessReport(SUMMARY, scope, RULES);
    expect(report).toMatchObject({ stale: true, reason: 'LowGrounding', since: NOW });
    expect(report.deadLetter).toEqual(letter);
  });

  test('has the depths that were made, and no other', () => {
    const { sentence } = SUMMARY.depths;
    const short = { ...SUMMARY, depths: sentence === undefined ? {} : { sentence } };
    const served = servedSummary(short, settledScope(), RULES);
    expect(Object.keys(served?.depths ?? {})).toEqual(['sentence']);
  });

  test('facts that failed grounding are no part of an answer', () => {
    const droppedFacts = [{ text: 'An unproven claim.', reason: 'NoSource' }];
    const served = servedSummary({ ...SUMMARY, droppedFacts }, settledScope(), RULES);
    expect(JSON.stringify(served)).not.toContain('unproven');
  });

  test('of what was erased no text is served, whatever it rests on', () => {
    const droppedSources = [{ id: 'm-9', reason: 'Erased' as const }];
    expect(serve({ droppedSources, urgentAt: NOW })).toBeNull();
  });
});
