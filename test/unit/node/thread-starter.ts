/** Starts a program in a thread; prints what that says, and what strips types in this process. */
import { once } from 'node:events';

import { startThread } from '#providers/node/start-thread.ts';
import { strippers } from './strippers.ts';

const [, , program = ''] = process.argv;
const [said] = (await once(startThread(new URL(program), {}), 'message')) as [unknown];
console.log(JSON.stringify({ said, strippers: strippers() }));
