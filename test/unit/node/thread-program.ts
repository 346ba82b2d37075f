/** A program for threads: reports its data, and what strips types in its thread. */
import { parentPort, workerData } from 'node:worker_threads';

import { VarveError } from '#core/errors.ts';

/** Node lists what it loaded in this thread; its own types don't have the list. */
type NodeProcess = typeof process & { readonly moduleLoadList: readonly string[] };

if (workerData === 'throw') throw new VarveError('INVALID_INPUT', 'as it was told');
const strippers = (process as NodeProcess).moduleLoadList.filter((name) => name.includes('amaro'));
parentPort?.postMessage({ workerData: workerData as unknown, strippers }, []);
