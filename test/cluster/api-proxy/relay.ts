/** Passes requests on to the API server one by one, and adds the configured faults. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Chance } from '../../grounding/values.ts';
import { readApiRequest } from './api-request.ts';
import { refusalOf, requestFault, type FaultChances } from './faults.ts';
import type { RecordedRequest, RequestRecord } from './request-record.ts';
import type { Upstream } from './upstream.ts';
import { WatchRelay } from './watch-relay.ts';

const EXPIRED = 410;
const EXPIRED_EVENT = /"code":410\b/u;

interface RelayParts {
  readonly upstream: Upstream;
  readonly record: RequestRecord;
  readonly watches: Set<WatchRelay>;
  readonly chance: Chance;
  readonly chances: () => FaultChances;
}

export class Relay {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  pass(request: IncomingMessage, answer: ServerResponse): void {
    const { record, chance, chances } = this.#parts;
    const asked = readApiRequest(request.method ?? '', request.url ?? '');
    const recorded = record.begin(asked);
    answer.once('close', () => {
      record.end(recorded, answer.headersSent ? answer.statusCode : null);
    });
    const fault = requestFault(asked, chances(), chance);
    if (fault === 'Broken') {
      answer.destroy();
      return;
    }
    if (fault === 'Conflict' || fault === 'FailureBefore') {
      request.resume();
      refuse(answer, fault);
      return;
    }
    this.#forward(request, answer, { recorded, isLost: fault === 'FailureAfter' });
  }

  #forward(
    request: IncomingMessage,
    answer: ServerResponse,
    given: { recorded: RecordedRequest; isLost: boolean },
  ): void {
    const { upstream, record } = this.#parts;
    const { method = '', url = '', headers } = request;
    const sent = upstream.request(method, url, headers);
    answer.once('close', () => sent.destroy());
    // The server is unavailable: to the client the connection breaks, as it would without a proxy.
    sent.on('error', () => answer.destroy());
    sent.once('response', (response) => {
      if (response.statusCode === EXPIRED) record.expired += 1;
      if (given.isLost) {
        response.resume();
        refuse(answer, 'FailureAfter');
        return;
      }
      const { connection: _own, ...passed } = response.headers;
      answer.writeHead(response.statusCode ?? 0, passed);
      if (given.recorded.verb === 'watch' && response.statusCode === 200) {
        this.#watch(response, answer, versionIn(url));
      } else {
        response.on('error', () => answer.destroy());
        response.pipe(answer);
      }
    });
    request.pipe(sent);
  }

  #watch(response: IncomingMessage, answer: ServerResponse, from: string): void {
    const { watches, chances, chance, record } = this.#parts;
    const watch = new WatchRelay(response, answer, from);
    watches.add(watch);
    answer.once('close', () => watches.delete(watch));
    const onEvent = (type: string, line: string) => {
      if (type !== 'BOOKMARK') record.events += 1;
      if (type === 'ERROR' && EXPIRED_EVENT.test(line)) record.expired += 1;
    };
    watch.run({ chances, chance, onEvent });
  }
}

function versionIn(url: string): string {
  return new URL(url, 'http://server').searchParams.get('resourceVersion') ?? '';
}

function refuse(
  answer: ServerResponse,
  fault: 'Conflict' | 'FailureBefore' | 'FailureAfter',
): void {
  const { code, body } = refusalOf(fault);
  answer.writeHead(code, { 'content-type': 'application/json' }).end(body);
}
