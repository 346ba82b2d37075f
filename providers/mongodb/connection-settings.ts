/**
 * The settings of a connection. The address wins, unless its setting could lose or misread
 * acknowledged writes; what it leaves open is set here.
 */
import type { MongoClientOptions, W } from 'mongodb';
import { VarveError } from '#core/errors.ts';

/** Server-side timeout of one command; driver 7.9 parses `timeoutMS` and ignores it. */
export const COMMAND_MS_MAX = 10_000;
/** Longer than the server's timeout, so that its answer arrives before the socket closes. */
const SOCKET_MS_MAX = 2 * COMMAND_MS_MAX;
/** Longest wait for a free connection; by default the driver waits forever. */
const QUEUE_MS_MAX = 5_000;
const CONNECT_MS_MAX = 5_000;
/** Connections of one process to one member. */
const POOL_MAX = 32;

/** Values by option of the address, in lower case, since option names ignore case. */
type Given = ReadonlyMap<string, string>;

interface Refusal {
  readonly option: string;
  readonly isRefused: (value: string) => boolean;
  readonly why: string;
  readonly instead: string;
}

const MAJORITY = 'Write w=majority, or leave it out';

/** Options that could lose acknowledged writes, or read what may be rolled back. */
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
 * Returns the client options besides the address. No write relies on `retryWrites`, which some
 * servers of the protocol lack; with it, callers do not see short failures.
 *
 * Majority reads return only what a majority holds, so nothing read is rolled back later. No read
 * needs to be linearizable: decisions on a read are written by compare-and-set.
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

/** Returns the whole write concern: with one in the options, the driver ignores the address's. */
function writeConcern(given: Given) {
  const w = given.get('w') ?? 'majority';
  const wtimeoutMS = Number(given.get('wtimeoutms') ?? given.get('wtimeout') ?? COMMAND_MS_MAX);
  // A custom write concern name is also a string, which the type leaves out.
  return { w: (/^\d+$/u.test(w) ? Number(w) : w) as W, journal: true, wtimeoutMS };
}

/** Parses what follows the question mark; the last value of a name counts. */
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
