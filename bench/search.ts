/**
 * `npm run bench -- search`: searches and adds compared with peers and physical limits.
 *
 * Every system has the same seeded memories and the same hashed embedding; Varve runs as a library
 * over a file on the disk. It measures CPU time of the whole process, including its threads, and
 * prints the median, least and greatest ratio of the rounds. `--quick` leaves out what takes
 * minutes, `--adds` runs only the adds, `--first` only the first search of a process.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import Table from 'cli-table3';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';
import { interleave, ratio, spread, type Contender, type Spread } from './rounds.ts';
import { measureAdds, WRITERS, type AddRates } from './search/durable-adds.ts';
import { measureFirstSearches, type FirstSearch } from './search/first-search.ts';
import { measureMongodbAdds } from './search/mongodb-adds.ts';
import { openOwnStore, tenantOf, type OwnStore } from './search/own-store.ts';
import { openPeers, PEERS } from './search/peers.ts';
import { FEW, madeUpMemories, SEED } from './search/made-up-memories.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { DatabaseSync } from 'node:sqlite';

const MANY = 100_000;
const TENANTS = 100;
const LIMIT = 10;
const ROUNDS = 7;
const MONGODB_ROUNDS = 15;
const DIMENSIONS = 384;
const FLOAT_BYTES = 4;
const KILOBYTE = 1_024;
const MEGABYTE = 1_048_576;

interface Line {
  readonly what: string;
  /** CPU milliseconds for one operation, or a rate. */
  readonly ours: string;
  readonly theirs: string;
  readonly ratio: Spread;
  readonly wanted: string;
}

export async function run(args: readonly string[]): Promise<void> {
  const quick = args.includes('--quick');
  const [cpu] = cpus();
  console.log(`${String(cpus().length)} × ${cpu?.model ?? 'unknown'}, Node ${process.version}`);
  if (args.includes('--adds')) {
    print(await addLines());
    return;
  }
  if (args.includes('--first')) {
    print(await firstLines());
    return;
  }
  const lines = [
    ...(await keywordLines(FEW, 1)),
    ...(await keywordLines(FEW, TENANTS)),
    ...(await peerLines()),
    ...(await addLines()),
    ...(quick ? [] : await largeLines()),
  ];
  print(lines);
}

/** Keyword mode compared with plain FTS5 on the same rows. */
async function keywordLines(count: number, tenants: number): Promise<readonly Line[]> {
  const data = madeUpMemories(count, SEED);
  await using store = await openOwnStore();
  await store.fill(data.memories, tenants);
  using fts = openFts5(path.join(store.dataDir, 'plain.db'), {
    texts: data.memories,
    tenantAt: (at) => tenantOf(at % tenants),
  });
  const tenantAt = (at: number) => tenantOf(at % tenants);
  const timings = await interleave(
    [
      contender('ours', (at) => store.search(tenantAt(at), data.questionOf(at), 'keyword')),
      contender('fts5', (at) =>
        Promise.resolve(fts.search(tenantAt(at), data.questionOf(at), LIMIT)),
      ),
    ],
    { rounds: ROUNDS, operations: 100 },
  );
  const what = `keyword, ${String(count)} memories, ${String(tenants)} tenants, beside plain FTS5`;
  return [cpuLine(what, timings, { ours: 'ours', theirs: 'fts5', wanted: '≤ 2.0' })];
}

/** Hybrid mode compared with in-memory stores of other projects. */
async function peerLines(): Promise<readonly Line[]> {
  const data = madeUpMemories(FEW, SEED);
  const opened = await openPeers(DIMENSIONS, LIMIT);
  if (typeof opened === 'string') {
    console.log(`peers: skipped, ${opened}`);
    return [];
  }
  await using peers = opened;
  await using store = await openOwnStore();
  await store.fill(data.memories, 1);
  const operations = 10;
  const questions = Array.from({ length: (ROUNDS + 1) * operations }, (_, at) =>
    data.questionOf(at),
  );
  const file = path.join(store.dataDir, 'vectors.json');
  await writeFile(file, JSON.stringify(await embedded([...data.memories, ...questions])));
  await peers.learn(file);
  await peers.add(data.memories);
  const questionOf = (at: number) => questions[at] ?? '';
  const timings = await interleave(
    [
      contender('ours', (at) => store.search(tenantOf(0), questionOf(at), 'hybrid')),
      ...PEERS.map((peer) => peers.contender(peer, questionOf)),
    ],
    { rounds: ROUNDS, operations },
  );
  return PEERS.map((peer) =>
    cpuLine(`hybrid, ${String(FEW)} memories, beside ${peer}`, timings, {
      ours: 'ours',
      theirs: peer,
      wanted: peer.startsWith('mem0') ? '≤ 0.02' : '≤ 0.5',
    }),
  );
}

async function embedded(
  texts: readonly string[],
): Promise<readonly (readonly [string, unknown])[]> {
  const vectors = await createLexicalEmbedder().embed(texts, { purpose: 'passage' });
  return texts.map((text, at) => [text, vectors[at]] as const);
}

/** Durable adds compared with what the disk can flush, here and with slower flushes. */
async function addLines(): Promise<readonly Line[]> {
  await using store = await openOwnStore();
  const here = await measureAdds(store, ROUNDS);
  const slow = await measureSlowDisk(ROUNDS);
  if (typeof slow === 'string') console.log(`slower disk: skipped, ${slow}`);
  return [
    ...ratesOn('this disk', here),
    ...(typeof slow === 'string'
      ? []
      : ratesOn(`a disk with flushes of ${String(FLUSH_DELAY_MS)} ms more`, slow)),
    ...(await mongodbLines()),
  ];
}

/** Adds to MongoDB compared with plain inserts of the same document into the same server. */
async function mongodbLines(): Promise<readonly Line[]> {
  const found = await measureMongodbAdds(MONGODB_ROUNDS);
  if (typeof found === 'string') {
    console.log(`MongoDB: skipped, ${found}`);
    return [];
  }
  const { server, one, many, plainOne, plainMany } = found;
  const what = (writers: string) =>
    `adds a second, MongoDB ${server}, ${writers} on one scope, beside insertOne of its document`;
  return [
    { what: what('one writer'), ...rates(one, plainOne), wanted: '' },
    { what: what(`${String(WRITERS)} writers`), ...rates(many, plainMany), wanted: '' },
  ];
}

function ratesOn(disk: string, { bytes, flushes, one, many }: AddRates): readonly Line[] {
  const adds = `durable adds a second, ${disk}`;
  const flushed = `flushes of ${(bytes / KILOBYTE).toFixed(0)} KB`;
  return [
    { what: `${adds}, one writer, beside ${flushed}`, ...rates(one, flushes), wanted: '≥ 0.6' },
    {
      what: `${adds}, ${String(WRITERS)} writers beside one`,
      ...rates(many, one),
      wanted: '≥ 20',
    },
  ];
}

/**
 * The first search of a process, with an index that another process kept, compared with building
 * it.
 */
async function firstLines(): Promise<readonly Line[]> {
  const data = madeUpMemories(MANY, SEED);
  await using store = await openOwnStore();
  await store.fill(data.memories, 1);
  return await firstLinesOf(store, data);
}

async function firstLinesOf(
  store: OwnStore,
  { questionOf }: ReturnType<typeof madeUpMemories>,
): Promise<readonly Line[]> {
  const asked = { tenant: tenantOf(0), questionOf, rounds: ROUNDS };
  const { kept, built, bytes } = await measureFirstSearches(store.dataDir, asked);
  console.log(`the index that is kept has ${(bytes / MEGABYTE).toFixed(0)} MB`);
  const ms = (values: readonly number[]) => `${spread(values).median.toFixed(0)} ms`;
  const line = (unit: string, of: (search: FirstSearch) => number, wanted: string): Line => {
    const [ours, theirs] = [kept.map(of), built.map(of)];
    const what = `first hybrid search of a process, ${String(MANY)} memories, ${unit}`;
    const head = { what: `${what}, beside building`, ours: ms(ours), theirs: ms(theirs) };
    return { ...head, ratio: ratio(ours, theirs), wanted };
  };
  return [
    line('CPU', ({ cpuMs }) => cpuMs, '≤ 500 ms'),
    line('by the clock', ({ wallMs }) => wallMs, ''),
  ];
}

/**
 * A scan of many vectors compared with one pass over the same bytes; the cost of a cold start;
 * sizes.
 */
async function largeLines(): Promise<readonly Line[]> {
  const data = madeUpMemories(MANY, SEED);
  await using store = await openOwnStore();
  await store.fill(data.memories, 1);
  await store.reopen();
  const first = await firstLinesOf(store, data);
  const before = process.memoryUsage().rss;
  await store.search(tenantOf(0), data.questionOf(0), 'semantic');
  const held = process.memoryUsage().rss - before;
  const numbers = new Float32Array(MANY * DIMENSIONS).fill(0.5);
  const timings = await interleave(
    [
      contender('ours', (at) => store.search(tenantOf(0), data.questionOf(at), 'semantic')),
      contender('pass', () => Promise.resolve(passOver(numbers))),
      contender('keyword', (at) => store.search(tenantOf(0), data.questionOf(at), 'keyword')),
      contender('hybrid', (at) => store.search(tenantOf(0), data.questionOf(at), 'hybrid')),
    ],
    { rounds: ROUNDS, operations: 5 },
  );
  const raw =
    data.memories.reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
    MANY * DIMENSIONS * FLOAT_BYTES;
  const file = await store.fileBytes();
  const spreadTenants = await manyTenants(data);
  const what = (mode: string) => `${mode}, ${String(MANY)} memories, warm, beside one pass`;
  return [
    cpuLine(what('exact vectors'), timings, { ours: 'ours', theirs: 'pass', wanted: '≤ 2' }),
    cpuLine(what('hybrid'), timings, { ours: 'hybrid', theirs: 'pass', wanted: '' }),
    cpuLine(what('keyword'), timings, { ours: 'keyword', theirs: 'pass', wanted: '' }),
    ...spreadTenants,
    ...first,
    sizeLine(`resident memory of ${String(MANY)} memories, beside text and vectors`, held, raw),
    sizeLine(`file of ${String(MANY)} memories, beside text and vectors`, file, raw),
  ];
}

/** The same memories split over a hundred tenants: a search costs only what its own tenant has. */
async function manyTenants(data: ReturnType<typeof madeUpMemories>): Promise<readonly Line[]> {
  await using store = await openOwnStore();
  await store.fill(data.memories, TENANTS);
  const numbers = new Float32Array((MANY / TENANTS) * DIMENSIONS).fill(0.5);
  const timings = await interleave(
    [
      contender('ours', (at) =>
        store.search(tenantOf(at % TENANTS), data.questionOf(at), 'hybrid'),
      ),
      contender('pass', () => Promise.resolve(passOver(numbers))),
    ],
    { rounds: ROUNDS, operations: TENANTS },
  );
  const what = `hybrid, ${String(MANY)} memories of ${String(TENANTS)} tenants, beside one pass`;
  return [cpuLine(`${what} over one's own`, timings, { ours: 'ours', theirs: 'pass', wanted: '' })];
}

function contender(name: string, work: Contender['run']): Contender {
  return { name, run: work };
}

function cpuLine(
  what: string,
  timings: Awaited<ReturnType<typeof interleave>>,
  { ours, theirs, wanted }: { ours: string; theirs: string; wanted: string },
): Line {
  const own = timings.get(ours)?.cpuMs ?? [];
  const other = timings.get(theirs)?.cpuMs ?? [];
  const ms = (values: readonly number[]) => `${spread(values).median.toFixed(3)} ms`;
  return { what, ours: ms(own), theirs: ms(other), ratio: ratio(own, other), wanted };
}

function rates(ours: readonly number[], theirs: readonly number[]) {
  const rate = (values: readonly number[]) => `${spread(values).median.toFixed(0)}/s`;
  return { ours: rate(ours), theirs: rate(theirs), ratio: ratio(ours, theirs) };
}

function sizeLine(what: string, bytes: number, raw: number): Line {
  const size = (value: number) => `${(value / MEGABYTE).toFixed(0)} MB`;
  return { what, ours: size(bytes), theirs: size(raw), ratio: spread([bytes / raw]), wanted: '' };
}

function print(lines: readonly Line[]): void {
  const table = new Table({
    head: ['what', 'ours', 'other', 'ratio', 'least', 'greatest', 'wanted'],
    style: { head: [], border: [] },
  });
  for (const { what, ours, theirs, ratio: of, wanted } of lines) {
    const [median, min, max] = [of.median, of.min, of.max].map((value) => value.toFixed(3));
    table.push([what, ours, theirs, median, min, max, wanted]);
  }
  console.log(table.toString());
}

/** Sums all numbers once. Four separate sums, since each addition waits for the previous one. */
function passOver(numbers: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at + 3 < numbers.length; at += 4) {
    a += numbers[at] ?? 0;
    b += numbers[at + 1] ?? 0;
    c += numbers[at + 2] ?? 0;
    d += numbers[at + 3] ?? 0;
  }
  return a + b + c + d;
}

/** Like a spinning disk; a network disk takes about half as long. */
const FLUSH_DELAY_MS = 10;
const MICROSECONDS = 1_000;
const PROGRAM = path.join(import.meta.dirname, 'search/adds-process.ts');

/** Returns the rates, or why they can't be measured here. */
async function measureSlowDisk(rounds: number): Promise<AddRates | string> {
  if (spawnSync('strace', ['-V']).status !== 0) return 'there is no strace to hold flushes back';
  const flushes = 'fsync,fdatasync';
  const delay = `delay_exit=${String(FLUSH_DELAY_MS * MICROSECONDS)}`;
  const child = spawn(
    'strace',
    // Only flushes of the process are intercepted; all other calls run at full speed.
    [
      ...['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'],
      ...['-e', `trace=${flushes}`, '-e', `inject=${flushes}:${delay}`],
      ...[process.execPath, PROGRAM, String(rounds)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const printed = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) return 'strace could not run the adds; it may not be allowed to trace here';
  return JSON.parse(printed) as AddRates;
}

interface PlainFts5 extends Disposable {
  search(tenant: string, question: string, limit: number): number;
}

/** Tenants get the texts in turns, as in `fill`. */
function openFts5(
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

/** Quotes every word, so that none is an operator. */
function anyWordOf(question: string): string {
  const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"`).join(' OR ');
}
