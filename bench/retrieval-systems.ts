/** Systems that find the turns of a meeting that answer a question. */
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Memory } from '#core/records/memory.ts';
import type { Embed, Calibration } from '#core/search/calibration.ts';
import { questionTerms } from '#core/recall/words/recall-terms.ts';
import type { GenerationScale } from '#core/search/memory-hit-score.ts';
import { mergeHits } from '#core/search/merge-layers.ts';
import { createScopeIndex, indexEntryOf, type ScopeIndex } from '#core/search/scope-index.ts';
import type { MemoryConditions, SearchMode } from '#core/search/scope-search.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

/** Returns the turns that each question finds, by number, best first. */
export type Ask = (questions: readonly string[]) => Promise<readonly (readonly number[])[]>;

export interface System {
  readonly name: string;
  open(turns: readonly string[]): Promise<Ask>;
}

export const HITS = 10;
/** The default of a search (MEM-06). */
const THRESHOLD = 0.7;
const CANDIDATES_PER_LEG = 50;
const CONDITIONS: MemoryConditions = {
  now: 0,
  latestOnly: true,
  tags: [],
  filter: null,
  kind: null,
};

/** SQLite's FTS5 as in its manual: stemmed words, any of which is enough, ranked by bm25. */
export const plainFts5: System = {
  name: 'plain FTS5',
  open(turns) {
    const database = new DatabaseSync(':memory:');
    database.exec(`create virtual table turns using fts5(text, tokenize = 'porter unicode61')`);
    const insert = database.prepare('insert into turns (rowid, text) values (?, ?)');
    for (const [number, turn] of turns.entries()) insert.run(number, turn);
    const select = database.prepare(
      `select rowid from turns where turns match ? order by bm25(turns) limit ${HITS}`,
    );
    const ask: Ask = (questions) =>
      Promise.resolve(
        questions.map((question) => {
          const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
          const rows = select.all(words.map((word) => `"${word}"`).join(' OR '));
          return rows.map(({ rowid }) => Number(rowid));
        }),
      );
    return Promise.resolve(ask);
  },
};

export interface ModelOfBench {
  readonly embed: Embed;
  readonly quality: GenerationScale['quality'];
  readonly calibration: Calibration;
}

/** Varve's own search: the index of a scope, then the merge. */
export function varve(name: string, mode: SearchMode, model: ModelOfBench): System {
  const analyzer = createTextAnalyzer();
  return {
    name,
    async open(turns) {
      const vectors = mode === 'keyword' ? [] : await model.embed(turns, 'passage');
      const memories = turns.map((turn, number) =>
        memoryOf(turn, number, { vector: vectors[number] ?? null, ...model.calibration }),
      );
      const index = createScopeIndex({ conversation: true });
      for (const memory of memories) {
        const { vector, content } = memory;
        const { generation } = model.calibration;
        index.put(
          indexEntryOf(memory, {
            terms: analyzer.terms(content),
            vectors: vector === null ? [] : [{ generation, vector: Float32Array.from(vector) }],
          }),
        );
      }
      return async (questions) => {
        const asked = mode === 'keyword' ? [] : await model.embed(questions, 'query');
        return questions.map((question, place) =>
          found({ index, memories, ...model }, question, [
            mode === 'semantic' ? null : questionTerms(analyzer, question),
            asked[place] ?? null,
          ]),
        );
      };
    },
  };
}

function found(
  scope: {
    readonly index: ScopeIndex;
    readonly memories: readonly Memory[];
    readonly calibration: Calibration;
    readonly quality: GenerationScale['quality'];
  },
  query: string,
  [terms, vector]: readonly [readonly string[] | null, readonly number[] | null],
): readonly number[] {
  const { generation } = scope.calibration;
  const answer = scope.index.search({
    conditions: CONDITIONS,
    terms,
    vectors: vector === null ? [] : [{ generation, vector }],
    limit: CANDIDATES_PER_LEG,
  });
  const candidates = answer.hits.flatMap(({ id, ...legs }) => {
    const memory = scope.memories[Number(id)];
    return memory === undefined ? [] : [{ ...legs, memory }];
  });
  const merged = mergeHits([{ candidates, path: 'Memory' }], {
    query,
    threshold: THRESHOLD,
    limit: HITS,
    order: 'relevance',
    explain: false,
    calibrations: new Map([[generation, { ...scope.calibration, quality: scope.quality }]]),
    byWords: terms !== null,
    at: CONDITIONS.now,
    timePreference: () => 1,
  });
  return merged.hits.map(({ memory }) => Number(memory.id));
}

const ID_DIGITS = 6;

function memoryOf(
  content: string,
  number: number,
  { vector, generation }: { vector: readonly number[] | null; generation: string },
): Memory {
  return {
    ...{ tenant: 'bench', layer: 'session', scopeId: 'meeting', kind: 'memory', key: null },
    ...{ tags: [], metadata: {}, trust: 'stated', state: 'active', version: 1, tokenCount: 0 },
    ...{ validTo: null, supersededBy: null, expiresAt: null, createdAt: number, updatedAt: number },
    origin: { channel: 'api', principal: 'bench', sources: [] },
    id: String(number).padStart(ID_DIGITS, '0'),
    content,
    contentHash: createHash('sha256').update(content).digest('hex'),
    validFrom: number,
    embeddingGeneration: vector === null ? null : generation,
    vector: vector === null ? null : [...vector],
  };
}
