/**
 * Compares the token counters: cl100k, the fallback of a process that cannot load it, and
 * LangChain's rule of thumb, on texts where they disagree.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import { countTokensApproximately } from '#langgraph/summarization-options.ts';
import { loadGptTokenizer } from '#providers/tokenizers/gpt-tokenizer.ts';
import { CHARACTER_COUNTER } from '#providers/tokenizers/token-counter.ts';

const RUN_CHARACTERS = 40_000;
const ROUNDS = 3;

/** Counts a text in several rounds and takes the fastest, so that loading does not count. */
function measured(count: (text: string) => number, text: string) {
  let tokens = 0;
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    tokens = count(text);
    best = Math.min(best, performance.now() - start);
  }
  return { tokens, milliseconds: best };
}

function fileText(...parts: readonly string[]): string {
  return readFileSync(path.join(import.meta.dirname, '..', ...parts), 'utf8');
}

/** Texts of this project, and some written for it. */
function samples(): readonly (readonly [string, string])[] {
  const chinese = '请在下周二之前把报告发给我，谢谢。会议改到星期四下午三点，地点不变。\n';
  const japanese =
    '来週の火曜日までに報告書を送ってください。会議は木曜日の午後三時に変更されました。\n';
  return [
    ['prose', fileText('docs', 'memory-files.md')],
    ['code', fileText('core', 'running-summary', 'messages-to-summarize.ts')],
    ['CJK', `${chinese}${japanese}`.repeat(100)],
    ['emoji', '🎉 Done 👩‍👩‍👧‍👦 🚀🚀 see you 👋🏽\n'.repeat(200)],
    [`one letter × ${String(RUN_CHARACTERS)}`, 'a'.repeat(RUN_CHARACTERS)],
    [`one Han sign × ${String(RUN_CHARACTERS)}`, '中'.repeat(RUN_CHARACTERS)],
  ];
}

/** Prints tokens, the ratio to cl100k, and milliseconds. */
export async function run(): Promise<void> {
  const counters: readonly (readonly [string, (text: string) => number])[] = [
    ['cl100k (gpt-tokenizer)', await loadGptTokenizer()],
    [CHARACTER_COUNTER.name, (text) => CHARACTER_COUNTER.count(text)],
    ['countTokensApproximately', (text) => countTokensApproximately([new HumanMessage(text)])],
  ];
  const columns = ['text', 'characters', 'counter', 'tokens', 'of cl100k', 'ms'];
  const widths = [22, 10, 24, 8, 9, 9];
  const print = (cells: readonly string[]): void => {
    const line = cells.map((cell, at) =>
      at === 0 || at === 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    console.log(line.join('  ').trimEnd());
  };
  print(columns);
  for (const [name, text] of samples()) {
    let exact = 0;
    for (const [at, [counter, count]] of counters.entries()) {
      const { tokens, milliseconds } = measured(count, text);
      if (at === 0) exact = tokens;
      print([
        at === 0 ? name : '',
        at === 0 ? String(text.length) : '',
        counter,
        String(tokens),
        (tokens / exact).toFixed(2),
        milliseconds.toFixed(1),
      ]);
    }
  }
}
