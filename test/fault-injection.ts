/** `npm run prove -- NAME [ARGUMENT…]`: the long proofs, which no commit waits for. */
interface Proof {
  /** Prints one line per case and a closing one. */
  run(args: readonly string[]): Promise<{ readonly passed: number; readonly failed: number }>;
}

const PROOFS: Readonly<Record<string, () => Promise<Proof>>> = {
  budget: () => import('./fault-injection/budget.ts'),
  fuzz: () => import('./fault-injection/fuzz.ts'),
  kill: () => import('./fault-injection/kill.ts'),
  mongodb: () => import('./fault-injection/mongodb.ts'),
  operator: () => import('./fault-injection/operator.ts'),
  refresh: () => import('./fault-injection/refresh.ts'),
  replay: () => import('./fault-injection/replay.ts'),
  storage: () => import('./fault-injection/storage.ts'),
  truth: () => import('./fault-injection/truth.ts'),
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
