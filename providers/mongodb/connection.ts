/**
 * The connection to one database: its settings, the timeout of every command, and its failures.
 *
 * Guarantees: a write that resolves is journaled on a majority of the members; every thrown error
 * is a VarveError. A write whose answer was lost may have happened: callers repeat or settle it.
 */
import {
  MongoClient,
  MongoServerError,
  type Db,
  type Document,
  BSON,
  MongoClientClosedError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { clientOptions, COMMAND_MS_MAX } from './connection-settings.ts';

/**
 * For tests: called around commands. A throw simulates a crash of the process there, a promise a
 * process that hangs until the promise resolves.
 */
export interface Faults {
  beforeCommand(name: string): Promise<void> | void;
  /** Called when the server has run the command and the caller does not know yet. */
  afterCommand(name: string): Promise<void> | void;
}

export interface ConnectionOptions {
  /** Address, with credentials if there are any; it is never logged. */
  readonly uri: string;
  readonly database: string;
  readonly poolMax?: number | undefined;
  readonly faults?: Faults | undefined;
}

interface WriteResult {
  /** Documents that were inserted or matched a condition. */
  readonly matched: number;
  /** Positions of the writes whose keys are taken. */
  readonly taken: ReadonlySet<number>;
}

export class Connection {
  readonly #client: MongoClient;
  readonly #database: Db;
  readonly #faults: Faults | undefined;
  #isReplicated = false;
  #closed = false;

  private constructor(options: ConnectionOptions) {
    this.#client = new MongoClient(options.uri, clientOptions(options.uri, options.poolMax));
    this.#database = this.#client.db(options.database);
    this.#faults = options.faults;
    this.#client.on('topologyDescriptionChanged', ({ newDescription: { type } }) => {
      this.#isReplicated = /^(?:ReplicaSet|Sharded|LoadBalanced)/u.test(type);
    });
  }

  /** @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, INVALID_INPUT for the address */
  static async open(options: ConnectionOptions): Promise<Connection> {
    try {
      const connection = new Connection(options);
      await connection.#client.connect();
      return connection;
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /** A replica set or a sharded cluster; a lone server may lose what it acknowledged. */
  get isReplicated(): boolean {
    return this.#isReplicated;
  }

  /** Sends one command; tests use `name` to simulate faults around it. */
  async run<T>(name: string, command: (database: Db) => Promise<T>): Promise<T> {
    if (this.#closed) throw new VarveError('CANCELLED', 'The store was closed.');
    await this.#faults?.beforeCommand(name);
    try {
      const answer = await command(this.#database);
      await this.#faults?.afterCommand(name);
      return answer;
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /**
   * Sends a write as a raw command, since the client's helpers take a third more CPU time. A taken
   * key is reported in the result; any other refusal, and a write that a majority did not confirm,
   * throws.
   */
  async write(name: string, command: Document): Promise<WriteResult> {
    const { w, journal: j, wtimeoutMS: wtimeout } = this.#database.writeConcern ?? {};
    const limits = { maxTimeMS: COMMAND_MS_MAX, writeConcern: { w, j, wtimeout } };
    return this.run(name, async (database) => {
      const { n, writeErrors = [] } = await database.command({ ...command, ...limits });
      const failed = writeErrors as readonly { readonly index: number; readonly code: number }[];
      const other = failed.find(({ code }) => code !== DUPLICATE_KEY);
      if (other !== undefined) throw new MongoServerError(other);
      return { matched: Number(n), taken: new Set(failed.map(({ index }) => index)) };
    });
  }

  /** Closes all connections; a second call does nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.close();
  }
}

// The only mapping of errors of MongoDB and its driver to Varve's errors.

const DUPLICATE_KEY = 11_000;

type Row = readonly [code: ErrorCode, message: string];

const REFUSED: Row = [
  'PROVIDER_REJECTED',
  'MongoDB refused the user. Check name, password and roles of the address.',
];
const NOT_PRIMARY: Row = [
  'PROVIDER_ERROR',
  'The MongoDB member is not the primary; another is being elected. Try again.',
];
const TOO_SLOW: Row = ['TIMEOUT', 'MongoDB took longer than the time limit of a command.'];
const TOO_LARGE: Row = ['PROVIDER_REJECTED', 'MongoDB refused a record that is too large.'];
const TOO_BUSY: Row = ['RATE_LIMITED', 'MongoDB has more to do than it can. Try again later.'];
const UNREACHABLE: Row = [
  'PROVIDER_ERROR',
  'MongoDB could not be reached. Check its address and that it runs.',
];
const CLOSED: Row = ['CANCELLED', 'The store was closed while it was in use.'];
const BAD_ADDRESS: Row = ['INVALID_INPUT', 'The address of MongoDB or an option is not valid.'];

/** Errors by the server's code (mongodb/mongo, src/mongo/base/error_codes.yml). */
const SERVER_ROWS: Readonly<Record<number, Row>> = {
  8: TOO_BUSY,
  13: REFUSED,
  18: REFUSED,
  50: TOO_SLOW,
  64: ['TIMEOUT', 'A majority of MongoDB did not confirm a write in time; it may have happened.'],
  91: NOT_PRIMARY,
  189: NOT_PRIMARY,
  202: TOO_SLOW,
  262: TOO_SLOW,
  462: TOO_BUSY,
  [DUPLICATE_KEY]: ['CONFLICT', 'MongoDB has a record with the same key already.'],
  10_107: NOT_PRIMARY,
  10_334: TOO_LARGE,
  11_600: NOT_PRIMARY,
  11_602: NOT_PRIMARY,
  13_435: NOT_PRIMARY,
  13_436: NOT_PRIMARY,
  17_280: TOO_LARGE,
};

/** Errors by the driver's class, the more specific first. */
const DRIVER_ROWS: readonly (readonly [type: abstract new (...args: never) => Error, row: Row])[] =
  [
    [MongoNetworkTimeoutError, TOO_SLOW],
    [MongoClientClosedError, CLOSED],
    [MongoTopologyClosedError, CLOSED],
    [MongoNotConnectedError, CLOSED],
    [MongoServerSelectionError, UNREACHABLE],
    [MongoNetworkError, UNREACHABLE],
    [MongoInvalidArgumentError, BAD_ADDRESS],
    [BSON.BSONError, TOO_LARGE],
  ];

const OTHER: Row = ['PROVIDER_ERROR', 'MongoDB could not do what was asked.'];

/**
 * Returns the failure as callers see it: a VarveError unchanged, an error of MongoDB by the tables
 * above, anything else (a bug) unchanged. The driver's error is not kept as the cause: its message
 * and fields hold keys and whole documents, and thus what people said.
 */
export function storeFailure(error: unknown): unknown {
  if (error instanceof VarveError) return error;
  const found = rowOf(error);
  return found === null ? error : new VarveError(...found, { details: detailsOf(error) });
}

function rowOf(error: unknown): Row | null {
  // A write timeout is reported as a failed write concern with any code.
  if (error instanceof MongoWriteConcernError) return SERVER_ROWS[64] ?? OTHER;
  if (error instanceof MongoServerError) {
    if (error.hasErrorLabel('SystemOverloadedError')) return TOO_BUSY;
    return SERVER_ROWS[Number(error.code)] ?? OTHER;
  }
  const known = DRIVER_ROWS.find(([type]) => error instanceof type);
  if (known !== undefined) return known[1];
  // The address parser has its own class of the same name.
  if (error instanceof Error && error.name === 'MongoParseError') return BAD_ADDRESS;
  // A document far beyond the size limit does not even fit into the driver's buffer.
  if (error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE') {
    return TOO_LARGE;
  }
  if (!(error instanceof MongoError)) return null;
  return error.name === 'MongoWaitQueueTimeoutError' ? TOO_BUSY : OTHER;
}

function detailsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return {};
  if (!(error instanceof MongoServerError)) return { mongodb: error.name };
  return { mongodb: error.codeName ?? error.name, mongodbCode: error.code };
}
