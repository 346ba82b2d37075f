/** `npm run prove -- NAME [ARGUMENT…]`: the long proofs, which no commit waits for. */
interface Proof {
  /** Prints one line per case and a closing one. */
  run(args: readonly string[]): Promise<{ readonly passed: number; readonly failed: number }>;
}

const PROOFS: Readonly<Record<string, () => Promise<Proof>>> = {
  budget: () => import('./prove/budget.ts'),
  fuzz: () => import('./prove/fuzz.ts'),
  kill: () => import('./prove/kill.ts'),
  mongodb: () => import('./prove/mongodb.ts'),
  operator: () => import('./prove/operator.ts'),
  refresh: () => import('./prove/refresh.ts'),
  replay: () => import('./prove/replay.ts'),
  storage: () => import('./prove/storage.ts'),
  truth: () => import('./prove/truth.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined;
if (load === undefined) {
  process.stderr.write(`usage: npm run prove -- ${Object.keys(PROOFS).join(' | ')} [ID…]\n`);
  process.exit(2);
}
const proof = await load();
const { passed, failed } = await proof.run(args);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
