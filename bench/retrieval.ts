/**
 * Finds the turns of a meeting that answer a question: plain full-text search, hashed vectors and
 * Varve's modes, without a model and with one. Every turn is a memory of one session. Results are
 * cut at the default threshold, except for plain FTS5, which has none.
 */
import { measureCalibration } from '#core/search/calibration.ts';
import { QUESTIONS } from '#core/search/calibration-sentences.ts';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import {
  missingForEmbeddingServer,
  type EmbeddingServer,
  startEmbeddingServer,
} from './embedding-server.ts';
import { mean } from './data-sets.ts';
import { type Meeting, meetingsPath, readMeetings } from './meetings.ts';
import { keptEmbeddings } from './real-embeddings.ts';
import { type ModelOfBench, plainFts5, type System, varve, HITS } from './retrieval-systems.ts';

/** Prints the results of every system for both parts. `--offline` leaves the real model out. */
export async function run(args: readonly string[]): Promise<void> {
  const path = meetingsPath(args);
  const meetings = readMeetings(path);
  if (meetings === null) {
    console.log(`retrieval: skipped, no meetings at ${path} (--data PATH names another file)`);
    return;
  }
  await using stack = new AsyncDisposableStack();
  const systems = [
    ...(await offlineSystems()),
    ...(args.includes('--offline') ? [] : await modelSystems(stack)),
  ];
  await report('develop', meetings.develop, systems);
  await report('report', meetings.report, systems);
}

async function offlineSystems(): Promise<readonly System[]> {
  const embedder = createLexicalEmbedder();
  const embed: ModelOfBench['embed'] = (texts, purpose) => embedder.embed(texts, { purpose });
  const { quality, generation } = embedder;
  const model = { embed, quality, calibration: await measureCalibration(embed, generation) };
  console.log(`hashed vectors: unrelated texts end at ${model.calibration.unrelatedCosine}`);
  return [
    plainFts5,
    varve('keyword leg alone', 'keyword', model),
    varve('hashed vectors', 'semantic', model),
    varve('default, offline', 'hybrid', model),
  ];
}

async function modelSystems(stack: AsyncDisposableStack): Promise<readonly System[]> {
  const platform = nodePlatform(process.env);
  const missing = await missingForEmbeddingServer(platform);
  if (missing !== null) {
    console.log(`retrieval: no figures with the real model, which needs ${missing}`);
    return [];
  }
  let server: EmbeddingServer | null = null;
  const embed = keptEmbeddings(platform, async () => {
    server ??= stack.use(await startEmbeddingServer(platform));
    return server;
  });
  const calibration = await measureCalibration(embed, 'e5-small');
  const model: ModelOfBench = { embed, quality: 'semantic', calibration };
  console.log(`real model: unrelated texts end at ${model.calibration.unrelatedCosine}`);
  return [
    varve('real model, semantic leg', 'semantic', model),
    varve('default, real model', 'hybrid', model),
  ];
}

const NAME_WIDTH = 26;
const FIGURE_WIDTH = 10;
const COLUMNS: readonly (readonly [string, (figures: Figures) => number])[] = [
  ['recall@10', (figures) => figures.recall],
  ['of ten', (figures) => figures.recallOfTen],
  ['MRR', (figures) => figures.reciprocalRank],
  ['empty', (figures) => figures.empty],
  ['other', (figures) => figures.emptyOther],
  ['unrelated', (figures) => figures.emptyUnrelated],
];

async function report(
  title: string,
  meetings: readonly Meeting[],
  systems: readonly System[],
): Promise<void> {
  const questions = meetings.reduce((sum, meeting) => sum + meeting.questions.length, 0);
  const heads = COLUMNS.map(([name]) => name.padStart(FIGURE_WIDTH));
  console.log(`\n${title}: ${meetings.length} meetings, ${questions} questions`);
  console.log(''.padEnd(NAME_WIDTH) + heads.join(''));
  for (const system of systems) {
    const figures = await figuresOf(system, meetings);
    const cells = COLUMNS.map(([, of]) => of(figures).toFixed(3).padStart(FIGURE_WIDTH));
    console.log(system.name.padEnd(NAME_WIDTH) + cells.join(''));
  }
  console.log('empty: of its own questions; other: of another meeting’s; unrelated: of neither');
}

interface Figures {
  readonly questions: number;
  /** Share of the evidence turns among the first ten results, mean over questions. */
  readonly recall: number;
  /** The same, but relative to at most ten turns, since ten results cannot hold more. */
  readonly recallOfTen: number;
  /** Mean of one over the rank of the first evidence turn. */
  readonly reciprocalRank: number;
  /** Share of questions without any result. */
  readonly empty: number;
  /** The same for questions of another meeting, and for questions about no meeting. */
  readonly emptyOther: number;
  readonly emptyUnrelated: number;
}

/** How many meetings further on the other meeting is whose questions are asked. */
const OTHER_MEETING = 7;

/** Measures how well questions were answered. */
async function figuresOf(system: System, meetings: readonly Meeting[]): Promise<Figures> {
  const answers: { readonly hits: readonly number[]; readonly evidence: ReadonlySet<number> }[] =
    [];
  const other: (readonly number[])[] = [];
  const unrelated: (readonly number[])[] = [];
  for (const [place, { turns, questions }] of meetings.entries()) {
    const ask = await system.open(turns);
    const found = await ask(questions.map(({ text }) => text));
    for (const [at, { evidence }] of questions.entries()) {
      answers.push({ hits: found[at] ?? [], evidence });
    }
    const foreign = meetings[(place + OTHER_MEETING) % meetings.length]?.questions ?? [];
    other.push(...(await ask(foreign.map(({ text }) => text))));
    unrelated.push(...(await ask(QUESTIONS)));
  }
  return {
    questions: answers.length,
    recall: mean(answers.map(({ hits, evidence }) => shared(hits, evidence) / evidence.size)),
    recallOfTen: mean(
      answers.map(({ hits, evidence }) => shared(hits, evidence) / Math.min(HITS, evidence.size)),
    ),
    reciprocalRank: mean(
      answers.map(({ hits, evidence }) => {
        const first = hits.findIndex((hit) => evidence.has(hit));
        return first < 0 ? 0 : 1 / (first + 1);
      }),
    ),
    empty: emptyShare(answers.map(({ hits }) => hits)),
    emptyOther: emptyShare(other),
    emptyUnrelated: emptyShare(unrelated),
  };
}

function shared(hits: readonly number[], evidence: ReadonlySet<number>): number {
  return hits.filter((hit) => evidence.has(hit)).length;
}

function emptyShare(answers: readonly (readonly number[])[]): number {
  return mean(answers.map((hits) => Number(hits.length === 0)));
}
