/** The one mapping of what MongoDB and its driver report to what Varve reports. */
import {
  BSON,
  MongoClientClosedError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';

import { VarveError, type ErrorCode } from '#core/errors.ts';

export const DUPLICATE_KEY = 11_000;

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

/** By the server's code (mongodb/mongo, src/mongo/base/error_codes.yml). */
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

/** The classes of the driver, the more specific first. */
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
 * The failure as callers see it: a VarveError as it is, what MongoDB says by the tables above,
 * anything else (a programming error) as it is. The driver's own error is not kept as the cause:
 * its message and its fields hold keys and whole documents, hence what people said.
 */
export function storeFailure(error: unknown): unknown {
  if (error instanceof VarveError) return error;
  const found = rowOf(error);
  return found === null ? error : new VarveError(...found, { details: detailsOf(error) });
}

function rowOf(error: unknown): Row | null {
  // The time limit on a write is reported as a failed write concern of any code.
  if (error instanceof MongoWriteConcernError) return SERVER_ROWS[64] ?? OTHER;
  if (error instanceof MongoServerError) {
    if (error.hasErrorLabel('SystemOverloadedError')) return TOO_BUSY;
    return SERVER_ROWS[Number(error.code)] ?? OTHER;
  }
  const known = DRIVER_ROWS.find(([type]) => error instanceof type);
  if (known !== undefined) return known[1];
  // The parser of addresses has a class of its own, of the same name.
  if (error instanceof Error && error.name === 'MongoParseError') return BAD_ADDRESS;
  // What is far beyond the limit of a document does not fit into the buffer of the driver either.
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
