/** The conformance suite of the store port, which every adapter must pass. */
import { describe, expect, it } from 'vitest';

import { accessSuite } from './access-suite.ts';
import { accountSuite } from './account-suite.ts';
import { answerSuite } from './answer-suite.ts';
import type { Open } from './adapter.ts';
import { bulkSuite } from './bulk-suite.ts';
import { claimSuite } from './claim-suite.ts';
import { crashSuite } from './crash-suite.ts';
import { deduplicationSuite } from './deduplication-suite.ts';
import { documentCrashSuite } from './document-crash-suite.ts';
import { documentSuite } from './document-suite.ts';
import { dreamNewsSuite } from './dream-news-suite.ts';
import { dreamRecordSuite } from './dream-record-suite.ts';
import { embeddingStateSuite } from './embedding-state-suite.ts';
import { embeddingSuite } from './embedding-suite.ts';
import { erasureSuite } from './erasure-suite.ts';
import { filterSuite } from './filter-suite.ts';
import { historySuite } from './history-suite.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import { isolationSuite } from './isolation-suite.ts';
import { keywordSuite } from './keyword-suite.ts';
import { knownDefectsSuite } from './known-defects-suite.ts';
import { listSuite } from './list-suite.ts';
import { memorySuite } from './memory-suite.ts';
import { modelProviderSuite } from './model-provider-suite.ts';
import { policySuite } from './policy-suite.ts';
import { repeatSuite } from './repeat-suite.ts';
import { retentionSuite } from './retention-suite.ts';
import { memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { reviewSuite } from './review-suite.ts';
import { scopeSuite } from './scope-suite.ts';
import { searchOracleSuite } from './search-oracle-suite.ts';
import { searchSuite } from './search-suite.ts';
import { segmentSuite } from './segment-suite.ts';
import { sessionSuite } from './session-suite.ts';
import { sourceHashSuite } from './source-hash-suite.ts';
import { statusSuite } from './status-suite.ts';
import { storageSuite } from './storage-suite.ts';
import { subjectSuite } from './subject-suite.ts';
import { summarySuite } from './summary-suite.ts';
import { sessionAnalysisSuite } from './session-analysis-suite.ts';
import { turnSuite } from './turn-suite.ts';
import { valueToComeSuite } from './value-to-come-suite.ts';
import { variantSuite } from './variant-suite.ts';

/** Runs every suite against stores that `open` opens on nothing. */
export function storeConformance(name: string, open: Open): void {
  describe(`the store of ${name}`, () => {
    memorySuite(open);
    bulkSuite(open);
    deduplicationSuite(open);
    valueToComeSuite(open);
    repeatSuite(open);
    historySuite(open);
    listSuite(open);
    filterSuite(open);
    searchSuite(open);
    keywordSuite(open);
    searchOracleSuite(open);
    embeddingStateSuite(open);
    embeddingSuite(open);
    idempotencySuite(open);
    turnSuite(open);
    sessionAnalysisSuite(open);
    reviewSuite(open);
    sessionSuite(open);
    retentionSuite(open);
    scopeSuite(open);
    summarySuite(open);
    segmentSuite(open);
    variantSuite(open);
    documentSuite(open);
    subjectSuite(open);
    dreamRecordSuite(open);
    dreamNewsSuite(open);
    accessSuite(open);
    accountSuite(open);
    answerSuite(open);
    policySuite(open);
    claimSuite(open);
    modelProviderSuite(open);
    erasureSuite(open);
    statusSuite(open);
    storageSuite(open);
    isolationSuite(open);
    knownDefectsSuite(open);
    sourceHashSuite(open);
    crashSuite(open);
    documentCrashSuite(open);
    lifetimeSuite(open);
  });
}

function lifetimeSuite(open: Open): void {
  describe('lifetime', () => {
    it('STORE-39: data is unchanged after the store is closed and reopened', async () => {
      await using opened = await open();
      await opened.store.memories.add(memoryOf('acme', 1), rulesAt(NOW));
      const before = await opened.dump();
      const store = await opened.reopen();
      expect(await opened.dump()).toEqual(before);
      expect(await store.scopes.get(userScope('acme'))).toMatchObject({ sourceCount: 1 });
    });

    it('STORE-40: a closed store refuses calls with CANCELLED, and can be closed again', async () => {
      await using opened = await open();
      const { store } = opened;
      await store[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await expect(store.refreshRequests.get('acme')).rejects.toMatchObject({ code: 'CANCELLED' });
    });

    it('STORE-41: a sound store reports that it is healthy, with its engine and schema version', async () => {
      await using opened = await open();
      const health = await opened.store.health();
      expect(health).toMatchObject({ ok: true, findings: [] });
      expect(health.engine).not.toBe('');
      expect(health.schemaVersion).toBeGreaterThan(0);
    });
  });
}
