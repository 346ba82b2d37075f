/** The same rows in a table of SQLite's FTS5, asked by bm25: what keyword search costs at least. */
import { DatabaseSync } from 'node:sqlite';

export interface PlainFts5 extends Disposable {
  search(tenant: string, question: string, limit: number): number;
}

/** Tenants take the texts in turns, as in `fill`. */
export function openFts5(
  file: string,
  { texts, tenantAt }: { texts: readonly string[]; tenantAt: (at: number) => string },
): PlainFts5 {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE VIRTUAL TABLE texts
      USING fts5(tenant UNINDEXED, content, tokenize = 'porter unicode61')`);
  const insert = database.prepare('INSERT INTO texts VALUES (?, ?)');
  database.exec('BEGIN');
  for (const [at, text] of texts.entries()) insert.run(tenantAt(at), text);
  database.exec('COMMIT');
  const select = database.prepare(
    'SELECT rowid, content FROM texts WHERE texts MATCH ? AND tenant = ? ORDER BY rank LIMIT ?',
  );
  return {
    search: (tenant, question, limit) => select.all(anyWordOf(question), tenant, limit).length,
    [Symbol.dispose]: () => {
      database.close();
    },
  };
}

/** Every word quoted, so that none is an operator. */
export function anyWordOf(question: string): string {
  const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"`).join(' OR ');
}
