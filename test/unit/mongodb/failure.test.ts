import {
  MongoClientClosedError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoParseError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { storeFailure } from '#providers/mongodb/connection.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { analyzer } from '#test/conformance/search-samples.ts';
import { PLATFORM } from '#test/conformance/sqlite-adapter.ts';

const SECRET = 'what Ann said';

function serverError(code: number, codeName: string): MongoServerError {
  return new MongoServerError({ message: `about ${SECRET}`, code, codeName });
}

/** What was done, and is not confirmed. */
function unconfirmed(): MongoWriteConcernError {
  const writeConcernError = { code: 64, errmsg: SECRET };
  return new MongoWriteConcernError({ ok: 1, writeConcernError });
}

const ROWS: readonly (readonly [name: string, error: Error, code: ErrorCode])[] = [
  ['a duplicate key', serverError(11_000, 'DuplicateKey'), 'CONFLICT'],
  ['a member that is not the primary', serverError(10_107, 'NotWritablePrimary'), 'PROVIDER_ERROR'],
  ['an election', serverError(11_602, 'InterruptedDueToReplStateChange'), 'PROVIDER_ERROR'],
  ['a command past its limit', serverError(50, 'MaxTimeMSExpired'), 'TIMEOUT'],
  ['a missing majority', serverError(64, 'WriteConcernFailed'), 'TIMEOUT'],
  ['a user without permission', serverError(13, 'Unauthorized'), 'PROVIDER_REJECTED'],
  ['a wrong password', serverError(18, 'AuthenticationFailed'), 'PROVIDER_REJECTED'],
  ['a record too large', serverError(10_334, 'BSONObjectTooLarge'), 'PROVIDER_REJECTED'],
  ['an unknown code', serverError(4_711, 'Unheard'), 'PROVIDER_ERROR'],
  ['a connection that was cut', new MongoNetworkError(SECRET), 'PROVIDER_ERROR'],
  ['a write that no majority confirmed', unconfirmed(), 'TIMEOUT'],
  ['a missing answer', new MongoNetworkTimeoutError(SECRET), 'TIMEOUT'],
  ['an invalid address', new MongoParseError(SECRET), 'INVALID_INPUT'],
  ['a closed client', new MongoClientClosedError(), 'CANCELLED'],
];

describe('failures of MongoDB', () => {
  it.each(ROWS)(
    'MONGODB-1: %s gets its code, and the error repeats no content',
    (_, error, code) => {
      const failure = storeFailure(error);
      expect(failure).toBeInstanceOf(VarveError);
      expect(failure).toMatchObject({ code });
      const { message, details, cause } = failure as VarveError;
      expect(message + JSON.stringify(details)).not.toContain(SECRET);
      expect(cause).toBeUndefined();
    },
  );

  it('MONGODB-2: an overloaded server is RATE_LIMITED', () => {
    const error = serverError(1, 'InternalError');
    error.addErrorLabel('SystemOverloadedError');
    expect(storeFailure(error)).toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('MONGODB-3: a VarveError and a programming error stay unchanged', () => {
    const own = new VarveError('CONFLICT', 'x');
    const bug = new TypeError('x');
    expect([storeFailure(own), storeFailure(bug)]).toEqual([own, bug]);
  });

  it('MONGODB-4: an invalid address is INVALID_INPUT and is not repeated', async () => {
    const uri = 'mongodb://ann:secret@';
    const opened = openMongoStore({ uri, database: 'varve', platform: PLATFORM, analyzer });
    const failure: unknown = await opened.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(String(failure)).not.toContain('secret');
  });
});
