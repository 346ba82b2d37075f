/** Runs the adds of `durable-adds.ts` in a process of its own; prints the rates as JSON. */
import { measureAdds } from './durable-adds.ts';
import { openOwnStore } from './own-store.ts';

const rounds = Number(process.argv[2]);
await using store = await openOwnStore();
const rates = await measureAdds(store, rounds);
process.stdout.write(JSON.stringify(rates));
