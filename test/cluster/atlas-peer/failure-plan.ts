/** Failures that a test asks for, each for the next command of a name. */
import { CODES } from './refusal.ts';
import type { Document } from 'mongodb';

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
export interface PlannedFailure {
  /** Resolves when the command has come. */
  readonly arrived: Promise<void>;
  /** Ends a `Hold`. */
  release(): void;
}

export interface FailurePlan {
  /** The next command of this name, or the next aggregation with this first stage, fails. */
  failNext(command: string, failure: Failure): PlannedFailure;
  /** What is planned for the command; it has then arrived and is planned no more. */
  take(command: Document): { failure: Failure; released: Promise<void> } | null;
}

export function failurePlan(): FailurePlan {
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
export function failureAnswer(failure: 'MaxTimeMSExpired' | 'NotWritablePrimary'): Document {
  const message =
    failure === 'NotWritablePrimary' ? 'not primary' : 'operation exceeded time limit';
  return { ok: 0, errmsg: message, code: CODES[failure], codeName: failure };
}
