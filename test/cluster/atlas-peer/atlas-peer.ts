/**
 * A test peer for MongoDB's vector search: a line to a server of the protocol that answers the
 * search commands itself. See README.md for what it is not.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { MongoClient, type Document, Binary } from 'mongodb';

import { Refusal, CODES } from './refusal.ts';
import { searchAnswer, type Database } from './search-commands.ts';
import { SearchIndexes, type IndexStatus } from './search-index.ts';
import {
  bodyOf,
  commandOf,
  encodeMessage,
  messageReader,
  OP_MSG,
  type Message,
  type Body,
} from './wire-message.ts';

/** Commands kept for a test to look at; the oldest go first. */
const COMMANDS_MAX = 10_000;
/** What a driver sends by itself. */
const GREETINGS: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster', 'endSessions']);

interface AtlasPeerOptions {
  /** Whether an index is built and follows its collection by itself, or when a test says so. */
  readonly builds?: 'AtOnce' | 'WhenTold';
  readonly refreshes?: 'AtOnce' | 'WhenTold';
  /** False: as a deployment without the search process. */
  readonly searchEnabled?: boolean;
}

export interface AtlasPeer extends AsyncDisposable {
  readonly uri: string;
  /** Commands that drivers sent, in order, without greetings; the newest `COMMANDS_MAX`. */
  commands(): readonly Document[];
  /** How many queries of an index there were in all. */
  searchCount(): number;
  finishBuilds(): Promise<void>;
  refresh(): Promise<void>;
  markIndex(name: string, status: IndexStatus): void;
  failNext(command: string, failure: Failure): PlannedFailure;
}

interface Peer {
  readonly database: Database;
  readonly failures: FailurePlan;
  readonly commands: Document[];
  searchCount: number;
}

/** @param uri of the server behind it, on this machine and without credentials */
export async function startAtlasPeer(
  uri: string,
  options: AtlasPeerOptions = {},
): Promise<AtlasPeer> {
  const behind = new URL(uri);
  const client = await new MongoClient(uri).connect();
  const peer: Peer = {
    database: databaseOf(client, options),
    failures: failurePlan(),
    commands: [],
    searchCount: 0,
  };
  const { indexes, readAll } = peer.database;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(behind.port), behind.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // A cut line is one of the failures; the driver reports it.
      socket.on('error', () => socket.destroy());
    }
    join(peer, near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = new URL(uri);
  address.port = String(port);
  return {
    uri: address.href,
    commands: () => [...peer.commands],
    searchCount: () => peer.searchCount,
    finishBuilds: () => indexes.finishBuilds(readAll),
    refresh: () => indexes.refresh(readAll),
    markIndex: (name, status) => indexes.mark(name, status),
    failNext: (command, failure) => peer.failures.failNext(command, failure),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      await client.close();
    },
  };
}

function databaseOf(client: MongoClient, options: AtlasPeerOptions): Database {
  const { builds = 'AtOnce', refreshes = 'AtOnce', searchEnabled = true } = options;
  const indexes = new SearchIndexes();
  const collectionOf = (namespace: string) => {
    const [name = '', ...rest] = namespace.split('.');
    return { database: client.db(name), collection: rest.join('.') };
  };
  const select = async (namespace: string, condition: Document): Promise<readonly Document[]> => {
    const { database, collection } = collectionOf(namespace);
    const documents = await database.collection(collection).find(condition).toArray();
    return documents.map(withVectorsOf);
  };
  const readAll = (namespace: string) => select(namespace, {});
  return {
    indexes,
    readAll,
    readByIds: (namespace, ids) => select(namespace, { _id: { $in: ids } }),
    async hasCollection(namespace) {
      const { database, collection } = collectionOf(namespace);
      const found = await database.listCollections({ name: collection }).toArray();
      return found.length > 0;
    },
    searchEnabled,
    async advance() {
      if (builds === 'AtOnce') await indexes.finishBuilds(readAll);
      if (refreshes === 'AtOnce') await indexes.refresh(readAll);
    },
  };
}

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  /** Cuts both ends. */
  readonly cut: () => void;
  /** The next answer of the server is not passed on; the line is cut there. */
  cutsAnswer: boolean;
}

function join(peer: Peer, near: Socket, far: Socket): void {
  const cut = (): void => {
    near.destroy();
    far.destroy();
  };
  const line: Line = { near, far, cut, cutsAnswer: false };
  const sent = messageReader();
  const answered = messageReader();
  let last = Promise.resolve();
  near.on('data', (chunk: Buffer) => {
    for (const message of sent(chunk)) {
      last = last
        .then(() => receive(peer, line, message))
        .catch((error: unknown) => {
          process.stderr.write(`The Atlas peer failed: ${String(error)}\n`);
          cut();
        });
    }
  });
  far.on('data', (chunk: Buffer) => {
    for (const message of answered(chunk)) {
      if (line.cutsAnswer) cut();
      else near.write(unmarkedBytes(message));
    }
  });
  near.once('close', cut);
  far.once('close', cut);
}

async function receive(peer: Peer, line: Line, message: Message): Promise<void> {
  if (message.operation !== OP_MSG) {
    line.far.write(message.bytes);
    return;
  }
  const body = bodyOf(message);
  const command = commandOf(body);
  if (!GREETINGS.has(namesOf(command)[0] ?? '')) {
    peer.commands.push(command);
    if (namesOf(command).includes('$vectorSearch')) peer.searchCount += 1;
    if (peer.commands.length > COMMANDS_MAX) peer.commands.shift();
    if (await fails(peer, line, { message, command })) return;
  }
  const own = await ownAnswer(peer.database, command);
  if (own !== null) {
    if (line.cutsAnswer) line.cut();
    else answer(line, message, own);
    return;
  }
  forgetDropped(peer.database, command);
  const marked = withMarkedVectors(body);
  line.far.write(marked === body ? message.bytes : encodeMessage(message, marked));
}

/** Whether a planned failure ends the command here. */
async function fails(
  { failures }: Peer,
  line: Line,
  { message, command }: { message: Message; command: Document },
): Promise<boolean> {
  const planned = failures.take(command);
  if (planned === null) return false;
  switch (planned.failure) {
    case 'Request':
      line.cut();
      return true;
    case 'Answer':
      line.cutsAnswer = true;
      return false;
    case 'Hold':
      await planned.released;
      return false;
    case 'MaxTimeMSExpired':
    case 'NotWritablePrimary':
      answer(line, message, failureAnswer(planned.failure));
      return true;
    default:
      return planned.failure satisfies never;
  }
}

async function ownAnswer(database: Database, command: Document): Promise<Document | null> {
  try {
    return await searchAnswer(database, command);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function answer({ near }: Line, { requestId }: Message, document: Document): void {
  const body = { flags: 0, document, lists: [] };
  near.write(encodeMessage({ requestId: 0, responseTo: requestId }, body));
}

/** What is dropped takes its search indexes with it. */
function forgetDropped({ indexes }: Database, command: Document): void {
  const name = String(command['$db']);
  if ('dropDatabase' in command) indexes.forget(name);
  if ('drop' in command) indexes.forget(`${name}.${String(command['drop'])}`);
}

function unmarkedBytes(message: Message): Buffer {
  if (message.operation !== OP_MSG || !holdsMarked(message.bytes)) return message.bytes;
  return encodeMessage(message, withVectors(bodyOf(message)));
}

/**
 * `Request`: the line is cut before the command is heard; `Answer`: after it was done. `Hold`: the
 * command waits until the test lets it go. The others are answers of a server.
 */
export type Failure = 'Answer' | 'Hold' | 'MaxTimeMSExpired' | 'NotWritablePrimary' | 'Request';

interface Planned {
  readonly command: string;
  readonly failure: Failure;
  readonly arrived: PromiseWithResolvers<void>;
  readonly release: PromiseWithResolvers<void>;
}

/** One planned failure, as the test that planned it sees it. */
interface PlannedFailure {
  /** Resolves when the command has come. */
  readonly arrived: Promise<void>;
  /** Ends a `Hold`. */
  release(): void;
}

interface FailurePlan {
  /** The next command of this name, or the next aggregation with this first stage, fails. */
  failNext(command: string, failure: Failure): PlannedFailure;
  /** What is planned for the command; it has then arrived and is planned no more. */
  take(command: Document): { failure: Failure; released: Promise<void> } | null;
}

function failurePlan(): FailurePlan {
  const planned: Planned[] = [];
  return {
    failNext(command, failure) {
      const arrived = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      planned.push({ command, failure, arrived, release });
      return { arrived: arrived.promise, release: release.resolve };
    },
    take(command) {
      const names = namesOf(command);
      const at = planned.findIndex((each) => names.includes(each.command));
      const [next] = at < 0 ? [] : planned.splice(at, 1);
      if (next === undefined) return null;
      next.arrived.resolve();
      return { failure: next.failure, released: next.release.promise };
    },
  };
}

/** The command's own name, and the stage that an aggregation begins with. */
export function namesOf(command: Document): readonly string[] {
  const [name = ''] = Object.keys(command);
  const [first = {}] = (command['pipeline'] ?? []) as readonly Document[];
  return [name, ...Object.keys(first)];
}

/** What the server says where a failure is an answer. */
function failureAnswer(failure: 'MaxTimeMSExpired' | 'NotWritablePrimary'): Document {
  const message =
    failure === 'NotWritablePrimary' ? 'not primary' : 'operation exceeded time limit';
  return { ok: 0, errmsg: message, code: CODES[failure], codeName: failure };
}

/** Sixteen bytes that nothing else begins with. */
const MARK = Buffer.from('\u0000vector-binary\u0000\t', 'latin1');
/** Documents in documents; BSON itself stops at 100. */
const DEPTH_MAX = 100;

/** Whether bytes hold a marked vector, so that all others need not be read. */
function holdsMarked(bytes: Buffer): boolean {
  return bytes.includes(MARK);
}

/** The body with its vectors marked; the very same body where it has none. */
function withMarkedVectors(body: Body): Body {
  return mapped(body, (binary) =>
    binary.sub_type === Binary.SUBTYPE_VECTOR
      ? new Binary(Buffer.concat([MARK, binary.value()]), Binary.SUBTYPE_DEFAULT)
      : binary,
  );
}

/** The body as it was before its vectors were marked. */
function withVectors(body: Body): Body {
  return mapped(body, unmarked);
}

/** A document of the server, with its vectors as a driver wrote them. */
function withVectorsOf(document: Document): Document {
  return mapValue(document, unmarked, 0) as Document;
}

function unmarked(binary: Binary): Binary {
  const bytes = Buffer.from(binary.value());
  const isMarked = binary.sub_type === Binary.SUBTYPE_DEFAULT && bytes.indexOf(MARK) === 0;
  return isMarked ? new Binary(bytes.subarray(MARK.length), Binary.SUBTYPE_VECTOR) : binary;
}

function mapped(body: Body, map: (binary: Binary) => Binary): Body {
  const document = mapValue(body.document, map, 0) as Document;
  const lists = body.lists.map((list) => {
    const documents = mapValue(list.documents, map, 0) as Document[];
    return documents === list.documents ? list : { ...list, documents };
  });
  const isSame = document === body.document && lists.every((list, at) => list === body.lists[at]);
  return isSame ? body : { ...body, document, lists };
}

/** The value itself where nothing in it changes. */
function mapValue(value: unknown, map: (binary: Binary) => Binary, depth: number): unknown {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null) return value;
  if (value instanceof Binary) return map(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => mapValue(item, map, depth + 1));
    return changed.every((item, at) => item === items[at]) ? value : changed;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([name, inner]) => [name, mapValue(inner, map, depth + 1)] as const);
  return changed.every(([, inner], at) => inner === entries[at]?.[1])
    ? value
    : Object.fromEntries(changed);
}
