/**
 * Messages of MongoDB's wire protocol: cut out of a stream, read, and written. Commands come as
 * OP_MSG; a driver's first greeting is an older form, which is passed on unread.
 */
import { BSON, type Document } from 'mongodb';

export const OP_MSG = 2_013;

const HEADER_BYTES = 16;
/** `maxMessageSizeBytes` of every MongoDB server. */
const MESSAGE_BYTES_MAX = 48_000_000;
const CHECKSUM_PRESENT = 1;
const CHECKSUM_BYTES = 4;
/** Keep every type as it came, so that what is written again is what was read. */
const AS_IT_IS = { promoteValues: false, promoteBuffers: false, bsonRegExp: true } as const;

export interface Message {
  readonly requestId: number;
  readonly responseTo: number;
  readonly operation: number;
  /** The whole message, header included. */
  readonly bytes: Buffer;
}

/** One document, and lists of documents that are fields of it too long to stand inside. */
export interface Body {
  readonly flags: number;
  readonly document: Document;
  readonly lists: readonly { readonly field: string; readonly documents: readonly Document[] }[];
}

/** Collects what a stream brings; answers the messages that are whole. */
export function messageReader(): (chunk: Buffer) => readonly Message[] {
  let waiting: Buffer = Buffer.alloc(0);
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const messages: Message[] = [];
    while (waiting.length >= HEADER_BYTES) {
      const length = waiting.readInt32LE(0);
      if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) {
        throw new Error(`A message of ${String(length)} bytes is none of MongoDB's.`);
      }
      if (waiting.length < length) break;
      messages.push(messageOf(waiting.subarray(0, length)));
      waiting = waiting.subarray(length);
    }
    return messages;
  };
}

function messageOf(bytes: Buffer): Message {
  return {
    requestId: bytes.readInt32LE(4),
    responseTo: bytes.readInt32LE(8),
    operation: bytes.readInt32LE(12),
    bytes,
  };
}

/** The body of an OP_MSG, with BSON's own types. */
export function bodyOf({ bytes }: Message): Body {
  const flags = bytes.readUInt32LE(HEADER_BYTES);
  const end = bytes.length - ((flags & CHECKSUM_PRESENT) === 0 ? 0 : CHECKSUM_BYTES);
  const lists: { field: string; documents: Document[] }[] = [];
  let document: Document = {};
  let at = HEADER_BYTES + 4;
  while (at < end) {
    const kind = bytes[at];
    at += 1;
    const size = bytes.readInt32LE(at);
    const section = bytes.subarray(at, at + size);
    if (kind === 0) document = BSON.deserialize(section, AS_IT_IS);
    else lists.push(listOf(section));
    at += size;
  }
  return { flags, document, lists };
}

function listOf(section: Buffer): { field: string; documents: Document[] } {
  const nameEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  let at = nameEnd + 1;
  while (at < section.length) {
    const size = section.readInt32LE(at);
    documents.push(BSON.deserialize(section.subarray(at, at + size), AS_IT_IS));
    at += size;
  }
  return { field: section.toString('utf8', 4, nameEnd), documents };
}

/** A body as one command, with JavaScript's own numbers, for whoever reads it. */
export function commandOf({ document, lists }: Body): Document {
  const fields = Object.fromEntries(lists.map(({ field, documents }) => [field, documents]));
  return BSON.deserialize(BSON.serialize({ ...document, ...fields }));
}

/** Ids of a message: its own, and of what it answers. */
export interface MessageIds {
  readonly requestId: number;
  readonly responseTo: number;
}

/** An OP_MSG; a checksum is optional and left out. */
export function encodeMessage(
  { requestId, responseTo }: MessageIds,
  { flags, document, lists }: Body,
): Buffer {
  const sections = [Buffer.of(0), Buffer.from(BSON.serialize(document)), ...lists.map(encodeList)];
  const head = Buffer.alloc(HEADER_BYTES + 4);
  const length = sections.reduce((sum, section) => sum + section.length, head.length);
  head.writeInt32LE(length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  head.writeUInt32LE((flags & ~CHECKSUM_PRESENT) >>> 0, HEADER_BYTES);
  return Buffer.concat([head, ...sections]);
}

function encodeList({ field, documents }: Body['lists'][number]): Buffer {
  const content = documents.map((document) => Buffer.from(BSON.serialize(document)));
  const name = Buffer.from(`${field}\0`, 'utf8');
  const size = Buffer.alloc(4);
  size.writeInt32LE(
    content.reduce((sum, each) => sum + each.length, size.length + name.length),
    0,
  );
  return Buffer.concat([Buffer.of(1), size, name, ...content]);
}
