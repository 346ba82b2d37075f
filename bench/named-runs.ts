/** Command lines of benches, proofs and similar runs: prints help, and refuses unknown options. */
import { nearestWord } from '#core/spelling.ts';

export interface NamedRun {
  readonly about: string;
  /** By spelling, with the name of the option's value if it has one: `--data PATH`. */
  readonly options?: Readonly<Record<string, string>>;
  /** Arguments besides the options, such as `[ID…]`; none if absent. */
  readonly words?: string;
  /** The allowed words; any if absent. */
  choices?(): Promise<readonly string[]>;
  /** Whether each word is a number that counts something. */
  readonly isCounts?: boolean;
}

export type Asked<T extends NamedRun> =
  | { readonly kind: 'Run'; readonly run: T; readonly args: readonly string[] }
  | { readonly kind: 'Help' | 'Refused'; readonly text: string };

const HELP = new Set(['--help', '-h']);
const LIST_WIDTH = 18;
const OPTION_WIDTH = 20;

/** Returns which run is requested, or what to print instead. Starts nothing. */
export async function askedRun<T extends NamedRun>(
  command: string,
  runs: Readonly<Record<string, T>>,
  argv: readonly string[],
): Promise<Asked<T>> {
  const [name, ...args] = argv;
  const list = listOfRuns(command, runs);
  if (name === undefined) return { kind: 'Refused', text: list };
  if (HELP.has(name)) return { kind: 'Help', text: list };
  const run = Object.hasOwn(runs, name) ? runs[name] : undefined;
  if (run === undefined) {
    const known = Object.keys(runs);
    const problem = `${JSON.stringify(name)} is not known${meant(name, known)}`;
    return refused(problem, `${command} -- --help`);
  }
  return askedOf(`${command} -- ${name}`, run, args);
}

/** Like `askedRun`, for a command that has only one run. */
export async function askedOf<T extends NamedRun>(
  command: string,
  run: T,
  args: readonly string[],
): Promise<Asked<T>> {
  if (args.some((each) => HELP.has(each))) return { kind: 'Help', text: usageOf(command, run) };
  const problem = await problemOf(run, args);
  if (problem === null) return { kind: 'Run', run, args };
  return refused(problem, `${command}${command.includes(' -- ') ? '' : ' --'} --help`);
}

/** Returns the run. If there is none, prints help or the reason and ends the process. */
export async function runOrExit<T extends NamedRun>(
  command: string,
  runs: Readonly<Record<string, T>>,
): Promise<{ readonly run: T; readonly args: readonly string[] }> {
  return orExit(await askedRun(command, runs, process.argv.slice(2)));
}

/** Like `runOrExit`, for a command that has only one run: returns its arguments. */
export async function argsOrExit(command: string, run: NamedRun): Promise<readonly string[]> {
  return orExit(await askedOf(command, run, process.argv.slice(2))).args;
}

function orExit<T extends NamedRun>(
  asked: Asked<T>,
): { readonly run: T; readonly args: readonly string[] } {
  if (asked.kind === 'Run') return asked;
  (asked.kind === 'Help' ? process.stdout : process.stderr).write(asked.text);
  return process.exit(asked.kind === 'Help' ? 0 : 2);
}

async function problemOf(run: NamedRun, args: readonly string[]): Promise<string | null> {
  const options = new Map(
    Object.keys(run.options ?? {}).map((spelling) => {
      const [flag = '', value] = spelling.split(' ');
      return [flag, value];
    }),
  );
  const choices = await run.choices?.();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (options.has(word)) {
      const value = options.get(word);
      if (value === undefined) continue;
      at += 1;
      const given = args[at];
      if (given === undefined || given.startsWith('--')) return `${word} needs a ${value}`;
      continue;
    }
    if (word.startsWith('-')) {
      return `the option ${word} is not known${meant(word, [...options.keys()])}`;
    }
    if (run.words === undefined) return `${JSON.stringify(word)} is one word too many`;
    if (run.isCounts === true && !/^[1-9]\d{0,8}$/u.test(word)) {
      return `${JSON.stringify(word)} is no whole number from 1 on`;
    }
    if (choices !== undefined && !choices.includes(word)) {
      return `${JSON.stringify(word)} is not one of ${choices.join(', ')}${meant(word, choices)}`;
    }
  }
  return null;
}

function meant(word: string, known: readonly string[]): string {
  const near = nearestWord(word, known);
  return near === null ? '' : `; did you mean ${near}?`;
}

function refused(problem: string, help: string): { kind: 'Refused'; text: string } {
  const stop = problem.endsWith('?') ? '' : '.';
  return { kind: 'Refused', text: `varve: INVALID_INPUT: ${problem}${stop} See: ${help}\n` };
}

function listOfRuns(command: string, runs: Readonly<Record<string, NamedRun>>): string {
  const lines = Object.entries(runs).map(
    ([name, { about }]) => `  ${name.padEnd(LIST_WIDTH)}${about}`,
  );
  return `usage: ${command} -- NAME [--help]\n\n${lines.join('\n')}\n`;
}

function usageOf(command: string, { about, words, options = {} }: NamedRun): string {
  const listed = Object.entries(options);
  const taken = [...(listed.length === 0 ? [] : ['[OPTION…]']), ...(words ?? '').split(' ')];
  const lines = listed.map(([spelling, does]) => `  ${spelling.padEnd(OPTION_WIDTH)}${does}`);
  const head = [command, ...taken].filter((part) => part !== '').join(' ');
  return [`usage: ${head}`, '', about, ...(lines.length === 0 ? [] : ['', ...lines]), ''].join(
    '\n',
  );
}
