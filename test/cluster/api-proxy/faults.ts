/** What goes wrong between a client and the API server, the same for the same seed: pure. */
import type { Chance } from '../../grounding/values.ts';
import { isWrite, type ApiRequest } from './api-request.ts';

/** Each is a chance, from 0 (never) to 1 (always). */
export interface FaultChances {
  /** A write is answered 409 and not done. */
  readonly conflict: number;
  /** A request is answered 500: of writes, half are done all the same. */
  readonly failure: number;
  /** The connection of a request breaks before the server has it. */
  readonly broken: number;
  /** A watch event never comes. */
  readonly dropped: number;
  /** A watch event comes twice. */
  readonly repeated: number;
  /** A watch event comes after the next one. */
  readonly late: number;
}

export const NO_FAULTS: FaultChances = {
  conflict: 0,
  failure: 0,
  broken: 0,
  dropped: 0,
  repeated: 0,
  late: 0,
};

export type Refusal = 'Conflict' | 'FailureBefore' | 'FailureAfter';
export type RequestFault = Refusal | 'Broken' | null;
export type EventFault = 'Dropped' | 'Repeated' | 'Late' | null;

const HALF = 0.5;

/** What happens to one request. A watch only fails at its beginning. */
export function requestFault(
  request: ApiRequest,
  chances: FaultChances,
  chance: Chance,
): RequestFault {
  if (chance() < chances.broken) return 'Broken';
  if (isWrite(request) && chance() < chances.conflict) return 'Conflict';
  if (chance() >= chances.failure) return null;
  return isWrite(request) && chance() < HALF ? 'FailureAfter' : 'FailureBefore';
}

/** What happens to one event of a watch. Bookmarks always come: they promise what came before. */
export function eventFault(type: string, chances: FaultChances, chance: Chance): EventFault {
  if (type === 'BOOKMARK' || type === 'ERROR') return null;
  const drawn = chance();
  if (drawn < chances.dropped) return 'Dropped';
  if (drawn < chances.dropped + chances.repeated) return 'Repeated';
  if (drawn < chances.dropped + chances.repeated + chances.late) return 'Late';
  return null;
}

/** The body of an answer that a fault gives, as the server would word it. */
export function refusalOf(fault: Refusal): { code: number; body: string } {
  const [code, reason, message] =
    fault === 'Conflict'
      ? [409, 'Conflict', 'the object has been modified; please apply your changes to it']
      : [500, 'InternalError', 'an error on the server'];
  return { code, body: statusText(code, reason, message) };
}

/** The event by which a server says that it no longer has what came after a version. */
export function expiredEvent(): string {
  const status = statusText(410, 'Expired', 'too old resource version');
  return `{"type":"ERROR","object":${status}}\n`;
}

function statusText(code: number, reason: string, message: string): string {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return JSON.stringify({ ...status, message, reason, code });
}
