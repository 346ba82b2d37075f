/** `npm run bench -- NAME`: measurements side by side, each a module of this folder. */
const BENCHES: Readonly<
  Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>
> = {
  api: () => import('./api.ts'),
  conversations: () => import('./conversations.ts'),
  corrections: () => import('./corrections.ts'),
  everyday: () => import('./everyday.ts'),
  extraction: () => import('./extraction.ts'),
  grounding: () => import('./grounding.ts'),
  meetings: () => import('./meeting-outcomes.ts'),
  operator: () => import('./operator.ts'),
  package: () => import('./package.ts'),
  poisoning: () => import('./poisoning.ts'),
  relevance: () => import('./relevance.ts'),
  refresh: () => import('./refresh.ts'),
  retrieval: () => import('./retrieval.ts'),
  search: () => import('./search.ts'),
  summary: () => import('./summary.ts'),
  tenants: () => import('./tenants.ts'),
  tokens: () => import('./tokens.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')}\n`);
  process.exit(2);
}
const bench = await load();
await bench.run(args);
