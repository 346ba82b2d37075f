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
  test('SUM-21: reports its freshness and the sources of each sentence', () => {
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

  test('is followed by newer statements, newest first, each with its source', () => {
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

  test('SUM-11: reports, if stale, the reason, the time and that it needs regeneration', () => {
    const served = serve({ sourceHash: digest('other'), firstStaleAt: NOW });
    const stale = { stale: true, reason: 'SourceChanged', since: NOW, needsRegeneration: true };
    expect(served?.freshness).toMatchObject(stale);
  });

  test('loses what rests on a dropped source in facts and all depths at once', () => {
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

  test('is withheld if more sources are dropped than the list holds', () => {
    const ids = Array.from({ length: DROPPED_SOURCES_MAX }, (_, n) => idOf(n));
    expect(serve({ droppedSources: droppedOf(...ids) })).toBeNull();
    expect(serve({ droppedSources: droppedOf(...ids.slice(1)) })).not.toBeNull();
  });

  test('has a freshness report with a reason even if it does not exist', () => {
    const report = freshnessReport(null, settledScope({ firstStaleAt: NOW, changes: 1 }), RULES);
    expect(report).toMatchObject({ stale: true, reason: 'NeverGenerated', since: NOW, changes: 1 });
  });

  test.each<[boolean, string, Partial<ScopeRecord>]>([
    [true, 'has sources that were never summarized', { sourceCount: 1 }],
    [false, 'has no sources', { sourceCount: 0 }],
    [
      false,
      'was checked and had nothing to summarize',
      { sourceCount: 1, changes: 0, checkedAt: NOW, generatedAt: null },
    ],
    [
      true,
      'had nothing to summarize, but has a new write',
      { sourceCount: 1, changes: 1, checkedAt: NOW, generatedAt: null },
    ],
  ])(
    'needs regeneration (%s) for a scope without a summary that %s',
    (needsRegeneration, _, differing) => {
      const scope = settledScope({ firstStaleAt: NOW, ...differing });
      expect(freshnessReport(null, scope, RULES)).toMatchObject({ stale: true, needsRegeneration });
    },
  );

  test('needs regeneration if it is stale, even if no source is left', () => {
    const scope = settledScope({ sourceCount: 0, sourceHash: digest('other'), firstStaleAt: NOW });
    const report = freshnessReport(SUMMARY, scope, RULES);
    expect(report).toMatchObject({ stale: true, needsRegeneration: true });
  });

  test('can hide the amounts of the budget, but still reports that it waits', () => {
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

  test('reports why it is a dead letter, but not the recipe', () => {
    const letter = { code: 'MODEL_OUTPUT_INVALID', reason: 'NoGroundedFact', at: NOW };
    const scope = settledScope({ deadLetter: { ...letter, recipeHash: RECIPE } });
    const report = freshnessReport(SUMMARY, scope, RULES);
    expect(report).toMatchObject({ stale: true, reason: 'LowGrounding', since: NOW });
    expect(report.deadLetter).toEqual(letter);
  });

  test('has only the depths that were generated', () => {
    const { sentence } = SUMMARY.depths;
    const short = { ...SUMMARY, depths: sentence === undefined ? {} : { sentence } };
    const served = servedSummary(short, settledScope(), RULES);
    expect(Object.keys(served?.depths ?? {})).toEqual(['sentence']);
  });

  test('contains no facts that failed grounding', () => {
    const droppedFacts = [{ text: 'An unproven claim.', reason: 'NoSource' }];
    const served = servedSummary({ ...SUMMARY, droppedFacts }, settledScope(), RULES);
    expect(JSON.stringify(served)).not.toContain('unproven');
  });

  test('is withheld completely if a source was erased', () => {
    const droppedSources = [{ id: 'm-9', reason: 'Erased' as const }];
    expect(serve({ droppedSources, urgentAt: NOW })).toBeNull();
  });
});
