/** A bounded record of what went through the proxy. */
import { isWrite, resourceOf, type ApiRequest } from './api-request.ts';

export interface RecordedRequest extends ApiRequest {
  /** Milliseconds of the process's clock when it came. */
  readonly at: number;
  /** Of the answer; null while there is none, or where the connection broke. */
  status: number | null;
}

/** A test that sends more has other problems. */
const REQUESTS_MAX = 200_000;

export class RequestRecord {
  readonly #requests: RecordedRequest[] = [];
  #underWay = 0;
  /** Most requests at the same time, watches apart. */
  underWayMost = 0;
  /** Events that watches had from the server, passed on or not, without bookmarks. */
  events = 0;
  /** How often the server itself said that it no longer has what came after a version. */
  expired = 0;

  begin(request: ApiRequest): RecordedRequest {
    if (this.#requests.length === REQUESTS_MAX) throw new Error('Too many requests to record.');
    const recorded = { ...request, at: performance.now(), status: null };
    this.#requests.push(recorded);
    if (request.verb !== 'watch') this.#underWay += 1;
    this.underWayMost = Math.max(this.underWayMost, this.#underWay);
    return recorded;
  }

  end(recorded: RecordedRequest, status: number | null): void {
    recorded.status = status;
    if (recorded.verb !== 'watch') this.#underWay -= 1;
  }

  /** Those since a time of `performance.now()`, without one all. */
  since(at = 0): readonly RecordedRequest[] {
    return this.#requests.filter((request) => request.at >= at);
  }

  writesSince(at: number): readonly RecordedRequest[] {
    return this.since(at).filter(isWrite);
  }

  /** How often each verb was used on each resource: `list memory.varve.dev/memorytenants`. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const request of this.#requests) {
      if (request.resource === null) continue;
      const name = `${request.verb} ${resourceOf(request)}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }
}
