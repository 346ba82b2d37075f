/**
 * `npm run bench -- conversations`: asks in a new session about what was said in earlier ones.
 *
 * Every session is appended through the library, turns marked as deleted are deleted, and each
 * question is asked in its own session. `--data PATH` names a file or a folder (default: the
 * committed set), `--answers FILE` keeps the contexts, `--embedding URL` uses an endpoint that
 * speaks OpenAI's `/embeddings`, `--local MODEL` a model on this machine (a name or a folder),
 * `--flush` ends each session with a flush, as silence does, `--only TEXT` selects the people whose
 * id contains the text. `--scale` measures instead how long a context takes over 10,500 and 100,000
 * made-up turns.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';

import { baselinesOf, type Asked } from './conversations/baselines.ts';
import { readDataSet, type DataSet } from './conversations/data.ts';
import { judge, type Verdict } from './conversations/judge.ts';
import { openOwn, type OwnOptions } from './conversations/own.ts';
import { runScale } from './conversations/scale.ts';

const COMMITTED = path.join(import.meta.dirname, 'conversations', 'people.jsonl');

interface Row {
  readonly asked: Asked;
  readonly context: string;
  readonly verdict: Verdict;
}

export async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--scale')) return runScale();
  const place = path.resolve(optionOf(args, '--data') ?? COMMITTED);
  const read = readDataSet(place);
  if (read === null) {
    console.log(`conversations: skipped, no conversations at ${place} (--data PATH names others)`);
    return;
  }
  const only = optionOf(args, '--only') ?? '';
  const data = { ...read, people: read.people.filter(({ id }) => id.includes(only)) };
  const tokens = await loadTokenCounter({ log: SILENT_LOG });
  const analyzer = createTextAnalyzer();
  const questions = data.people.reduce((sum, { questions: each }) => sum + each.length, 0);
  console.log(`${data.name}: ${data.people.length} people, ${questions} questions`);
  const judged = (asked: Asked, context: string): Row => {
    const verdict = judge(context, { judged: data.judged, ...asked }, tokens);
    return { asked, context, verdict };
  };
  for (const [name, baseline] of baselinesOf({ analyzer, tokens })) {
    report(
      name,
      data,
      eachAsked(data).map((asked) => judged(asked, baseline(asked))),
    );
  }
  const options = {
    embedding: optionOf(args, '--embedding'),
    local: optionOf(args, '--local'),
    withFlush: args.includes('--flush'),
  };
  const startedAt = performance.now();
  const own = await ownRows(data, options, judged);
  report('varve', data, own);
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`told and asked in ${seconds.toFixed(0)} s`);
  const answers = optionOf(args, '--answers');
  if (answers !== undefined) await writeFile(answers, own.map(answerLine).join(''));
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

function eachAsked({ people, limits }: DataSet): readonly Asked[] {
  return people.flatMap((person) =>
    person.questions.flatMap((question) => limits.map((limit) => ({ person, question, limit }))),
  );
}

async function ownRows(
  data: DataSet,
  options: OwnOptions,
  judged: (asked: Asked, context: string) => Row,
): Promise<readonly Row[]> {
  await using own = await openOwn(options);
  const rows: Row[] = [];
  for (const person of data.people) {
    await own.tell(person);
    for (const asked of eachAsked({ ...data, people: [person] })) {
      rows.push(judged(asked, await own.contextFor(asked)));
    }
  }
  return rows;
}

const NAME_WIDTH = 27;

/** Prints the figures; of people in two parts, those of each part. */
function report(name: string, { limits, develop }: DataSet, all: readonly Row[]): void {
  if (develop === null) {
    print(name, limits, all);
    return;
  }
  const isDevelop = ({ asked }: Row): boolean => develop.has(asked.person.id);
  print(`${name}, develop`, limits, all.filter(isDevelop));
  const others = all.filter((row) => !isDevelop(row));
  print(`${name}, report`, limits, others);
}

function print(name: string, limits: readonly number[], rows: readonly Row[]): void {
  for (const limit of limits) {
    const at = rows.filter(({ asked }) => asked.limit === limit);
    const verdicts = at.map(({ verdict }) => verdict);
    const cells = [
      `answered ${percent(verdicts.map(({ answered }) => answered))}`,
      `stale ${percent(verdicts.map(({ isStale }) => isStale))}`,
      `both ${percent(verdicts.map(({ isBeside }) => isBeside))}`,
      `old marked ${percent(verdicts.map(({ isOldMarked }) => isOldMarked))}`,
      `answer marked ${percent(verdicts.map(({ isAnswerMarked }) => isAnswerMarked))}`,
      `deleted ${percent(verdicts.map(({ isLeaking }) => isLeaking))}`,
      `used ${percent(at.map(({ verdict, asked }) => verdict.tokens / asked.limit))}`,
    ];
    console.log(`${name.padEnd(NAME_WIDTH)} @ ${String(limit).padEnd(5)} ${cells.join('  ')}`);
    console.log(`${''.padEnd(NAME_WIDTH)}   ${groups(at)}`);
  }
}

/** Shares of answered questions, by kind of question and by language. */
function groups(rows: readonly Row[]): string {
  const shares = new Map<string, (number | null)[]>();
  for (const { asked, verdict } of rows) {
    for (const key of [asked.question.kind, asked.person.language]) {
      shares.set(key, [...(shares.get(key) ?? []), verdict.answered]);
    }
  }
  const shown = [...shares].filter(([, values]) => values.some((value) => value !== null));
  return shown.map(([key, values]) => `${key} ${percent(values)}`).join(', ');
}

/** The mean of the values that are not null. */
function percent(values: readonly (number | boolean | null)[]): string {
  const known = values.flatMap((value) => (value === null ? [] : [Number(value)]));
  if (known.length === 0) return '-';
  return `${((100 * known.reduce((sum, value) => sum + value, 0)) / known.length).toFixed(0)}%`;
}

function answerLine({ asked: { person, question, limit }, context }: Row): string {
  return `${JSON.stringify({ person: person.id, q: question.id, limit, context })}\n`;
}
