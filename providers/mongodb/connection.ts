/**
 * The connection to one database: its settings, the limit on every command, and what can fail.
 *
 * Guarantees: a write that resolves is journalled on a majority of the members; whatever is thrown
 * is a VarveError. A write whose answer was lost may have happened: callers repeat or settle it.
 */
import { MongoClient, MongoServerError, type Db, type Document } from 'mongodb';

import { VarveError } from '#core/errors.ts';

import { clientOptions, COMMAND_MS_MAX } from './connection-settings.ts';
import { DUPLICATE_KEY, storeFailure } from './failure.ts';

/**
 * For tests: called around commands. A throw stands for the death of the process there, a promise
 * for a process that hangs there until it resolves.
 */
export interface Faults {
  beforeCommand(name: string): Promise<void> | void;
  /** The server has done it and its caller does not know yet. */
  afterCommand(name: string): Promise<void> | void;
}

export interface ConnectionOptions {
  /** Address with credentials, where there are any; it is never logged. */
  readonly uri: string;
  readonly database: string;
  readonly poolMax?: number | undefined;
  readonly faults?: Faults | undefined;
}

/** What the deployment offers, as the driver found it. */
export interface Capabilities {
  /** A replica set or a sharded cluster; a lone server may lose what it acknowledged. */
  readonly replicated: boolean;
}

export interface WriteResult {
  /** Documents that were inserted or met a condition. */
  readonly matched: number;
  /** Places of the writes whose keys are taken. */
  readonly taken: ReadonlySet<number>;
}

export class Connection {
  readonly #client: MongoClient;
  readonly #database: Db;
  readonly #faults: Faults | undefined;
  #capabilities: Capabilities = { replicated: false };
  #closed = false;

  private constructor(options: ConnectionOptions) {
    this.#client = new MongoClient(options.uri, clientOptions(options.uri, options.poolMax));
    this.#database = this.#client.db(options.database);
    this.#faults = options.faults;
    this.#client.on('topologyDescriptionChanged', ({ newDescription: { type } }) => {
      this.#capabilities = { replicated: /^(?:ReplicaSet|Sharded|LoadBalanced)/u.test(type) };
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

  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** Sends one command; `name` says which, for tests of what happens around it. */
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
   * Sends a write as the command that it is, since the helpers of the client take a third more of
   * the processor. A key that is taken is an answer; all else that was refused is thrown, and what
   * a majority did not confirm.
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

  /** Ends every connection; a second call does nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.close();
  }
}
