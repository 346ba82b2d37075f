/**
 * The settings of a connection: what the address says wins, unless it would lose or misread what
 * was acknowledged; what it leaves open is set here.
 */
import type { MongoClientOptions, W } from 'mongodb';

import { VarveError } from '#core/errors.ts';

/** Longest run of one command on the server; `timeoutMS` is parsed and ignored by driver 7.9. */
export const COMMAND_MS_MAX = 10_000;
/** Beyond the server's own limit, so that its answer is heard rather than the line cut. */
const SOCKET_MS_MAX = 2 * COMMAND_MS_MAX;
/** Longest wait for a free connection; the driver's own default is to wait for ever. */
const QUEUE_MS_MAX = 5_000;
const CONNECT_MS_MAX = 5_000;
/** Connections of one process to one member. */
const POOL_MAX = 32;

/** By the option of the address, in lower case, since its names have no case. */
type Given = ReadonlyMap<string, string>;

interface Refusal {
  readonly option: string;
  readonly isRefused: (value: string) => boolean;
  readonly why: string;
  readonly instead: string;
}

const MAJORITY = 'Write w=majority, or leave it out';

/** What loses what was acknowledged, or decides on what may be undone. */
const REFUSALS: readonly Refusal[] = [
  {
    option: 'w',
    isRefused: (value) => /^[+-]?0*$/u.test(value),
    why: 'a write would be called done that the server may have refused',
    instead: MAJORITY,
  },
  {
    option: 'w',
    isRefused: (value) => /^\+?0*1$/u.test(value),
    why: 'a write would be called done that is lost with the primary',
    instead: MAJORITY,
  },
  ...['journal', 'j'].map((option) => ({
    option,
    isRefused: (value: string) => value !== 'true',
    why: 'a write would be called done that is lost when the servers stop at once',
    instead: 'Write journal=true, or leave it out',
  })),
  {
    option: 'readpreference',
    isRefused: (value) => value !== 'primary',
    why: 'a decision would rest on what a secondary has not heard of yet',
    instead: 'Write readPreference=primary, or leave it out',
  },
  {
    option: 'readconcernlevel',
    isRefused: (value) => value === 'available' || value === 'local',
    why: 'a decision would rest on what is undone when the primary is lost',
    instead: 'Write readConcernLevel=majority, or leave it out',
  },
];

/**
 * What the client is opened with beside the address. No write relies on `retryWrites`, which some
 * servers of the protocol don't have; with it a short failure is not seen by callers.
 *
 * Majority reads see only what a majority holds, so nothing that is read is rolled back later. No
 * read needs to be linearizable: whatever is decided on a read is written by compare-and-set.
 * @throws VarveError INVALID_INPUT for a setting of the address that loses data
 */
export function clientOptions(uri: string, poolMax = POOL_MAX): MongoClientOptions {
  const given = givenOptions(uri);
  for (const refusal of REFUSALS) requireSafe(refusal, given);
  const isOpen = (option: string): boolean => !given.has(option.toLowerCase());
  const defaults = {
    appName: 'varve',
    retryWrites: true,
    retryReads: true,
    maxPoolSize: poolMax,
    waitQueueTimeoutMS: QUEUE_MS_MAX,
    serverSelectionTimeoutMS: CONNECT_MS_MAX,
    connectTimeoutMS: CONNECT_MS_MAX,
    socketTimeoutMS: SOCKET_MS_MAX,
    readPreference: 'primary',
  } as const;
  const open = Object.entries(defaults).filter(([option]) => isOpen(option));
  return {
    ...Object.fromEntries(open),
    ...(isOpen('readConcernLevel') ? { readConcern: { level: 'majority' } } : {}),
    writeConcern: writeConcern(given),
    ignoreUndefined: true,
  };
}

/** Whole, since the driver takes the one of the address only where none is given beside it. */
function writeConcern(given: Given) {
  const w = given.get('w') ?? 'majority';
  const wtimeoutMS = Number(given.get('wtimeoutms') ?? given.get('wtimeout') ?? COMMAND_MS_MAX);
  // The name of a mode of the deployment's own is a text as well, which the type leaves out.
  return { w: (/^\d+$/u.test(w) ? Number(w) : w) as W, journal: true, wtimeoutMS };
}

/** What stands behind the question mark; a later value of a name counts. */
function givenOptions(uri: string): Given {
  const [, query = ''] = uri.split('?', 2);
  const pairs = [...new URLSearchParams(query)];
  return new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}

function requireSafe({ option, isRefused, why, instead }: Refusal, given: Given): void {
  const value = given.get(option);
  if (value === undefined || !isRefused(value)) return;
  throw new VarveError(
    'INVALID_INPUT',
    `The address of MongoDB says ${option}=${value}: ${why}. ${instead}.`,
    { details: { option, value } },
  );
}
