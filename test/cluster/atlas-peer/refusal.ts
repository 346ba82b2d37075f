/** The server's answer to a command that it refuses. */
import type { Document } from 'mongodb';

/** Codes of MongoDB (mongodb/mongo, src/mongo/base/error_codes.yml). */
export const CODES = {
  BadValue: 2,
  UnknownError: 8,
  FailedToParse: 9,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  MaxTimeMSExpired: 50,
  InvalidOptions: 72,
  IndexAlreadyExists: 68,
  NotWritablePrimary: 10_107,
  SearchNotEnabled: 31_082,
  NotFirstStage: 40_602,
} as const;

export class Refusal extends Error {
  readonly codeName: keyof typeof CODES;

  constructor(codeName: keyof typeof CODES, message: string) {
    super(message);
    this.codeName = codeName;
  }

  /** As the server writes it. */
  get answer(): Document {
    const { message, codeName } = this;
    return { ok: 0, errmsg: message, code: CODES[codeName], codeName };
  }
}
