/** `npm run bench -- NAME`: measurements side by side, each a module of this folder. */
import { type NamedRun, runOrExit } from './named-runs.ts';

interface Bench extends NamedRun {
  load(): Promise<{ run(args: readonly string[]): Promise<void> }>;
}

const DATA = { '--data PATH': 'a file or folder of your own, as docs/benchmarks says' };
const MISSES = { '--misses': 'prints what was missed' };

const BENCHES: Readonly<Record<string, Bench>> = {
  api: {
    about: 'What a call over HTTP costs beside what it asks for.',
    words: '[CALL…]',
    choices: async () => (await import('./api/calls.ts')).CALL_NAMES,
    load: () => import('./api.ts'),
  },
  conversations: {
    about: 'What was said in earlier sessions, asked in a new one.',
    options: {
      ...DATA,
      '--only TEXT': 'people with this in their id',
      '--embedding URL': 'an embedding server',
      '--flush': 'flush each session, as silence does',
      '--local FOLDER': 'a local embedding model',
      '--answers FILE': 'writes contexts and verdicts',
      '--scale': 'made-up turns in up to 1,000 sessions',
    },
    load: () => import('./conversations.ts'),
  },
  corrections: {
    about: 'Corrections of a statement in other words.',
    options: DATA,
    load: () => import('./corrections.ts'),
  },
  everyday: {
    about: 'Ten one-line memories and what people ask of them, in four languages.',
    options: MISSES,
    load: () => import('./everyday.ts'),
  },
  extraction: {
    about: 'What messages say that lasts, and what is kept of it.',
    options: DATA,
    load: () => import('./extraction.ts'),
  },
  grounding: {
    about: 'Claims that their sources state, and claims that they do not.',
    options: { ...DATA, '--models': 'compares with models that judge entailment' },
    load: () => import('./grounding.ts'),
  },
  meetings: {
    about: 'Outcomes of meetings that their summaries state.',
    options: { ...DATA, ...MISSES },
    load: () => import('./meeting-outcomes.ts'),
  },
  operator: {
    about: 'An operator that starts beside many tenants.',
    words: '[COUNT]',
    isCounts: true,
    load: () => import('./operator.ts'),
  },
  package: {
    about: 'Time and memory of an import of the package.',
    load: () => import('./package.ts'),
  },
  poisoning: {
    about: 'Attacks that tools plant in a conversation.',
    load: () => import('./poisoning.ts'),
  },
  relevance: {
    about: 'Questions to the example tenant, labeled with the layers that answer.',
    options: { '--offline': 'leaves the real model out' },
    load: () => import('./relevance.ts'),
  },
  refresh: {
    about: 'A durable summary beside a workflow that does nothing.',
    options: { '--quick': 'leaves out 100,000 memories' },
    load: () => import('./refresh.ts'),
  },
  retrieval: {
    about: 'Turns of meetings, found by questions.',
    options: {
      ...DATA,
      '--offline': 'leaves the real model out',
    },
    load: () => import('./retrieval.ts'),
  },
  search: {
    about: 'Searches and adds beside peers and physical limits.',
    options: {
      '--quick': 'leaves out 100,000 memories',
      '--adds': 'only the adds',
      '--first': 'only the first search of a process',
    },
    load: () => import('./search.ts'),
  },
  summary: {
    about: 'Summaries of meetings beside those that people wrote.',
    options: DATA,
    load: () => import('./summary.ts'),
  },
  tenants: {
    about: 'What one tenant does to those beside it, over HTTP.',
    words: '[SCENARIO…]',
    options: { '--folder PATH': 'keeps the data of each scenario there' },
    choices: async () => (await import('./tenants.ts')).SCENARIO_NAMES,
    load: () => import('./tenants.ts'),
  },
  tokens: {
    about: 'Counted tokens beside those of cl100k.',
    load: () => import('./tokens.ts'),
  },
};

const { run, args } = await runOrExit('npm run bench', BENCHES);
const bench = await run.load();
await bench.run(args);
