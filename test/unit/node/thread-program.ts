/** A program for threads: reports its data, and what strips types in its thread. */
import { parentPort, workerData } from 'node:worker_threads';

import { VarveError } from '#core/errors.ts';
import { strippers } from './strippers.ts';

if (workerData === 'throw') throw new VarveError('INVALID_INPUT', 'as it was told');
parentPort?.postMessage({ workerData: workerData as unknown, strippers: strippers() }, []);
