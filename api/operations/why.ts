/** The operation that explains why Varve says something. */
import { SHOWN_MEMORY_EXAMPLE } from '../schemas/shared-answers.ts';
import { AskWhy, Why } from '../schemas/why.ts';
import { traceWhy } from '../why.ts';
import { operation } from './operation.ts';

const { id: ID, content: CONTENT, createdAt: AT } = SHOWN_MEMORY_EXAMPLE;

export const trace = {
  why: operation({
    name: 'trace.why',
    kind: 'query',
    summary:
      'Traces something that Varve says: its facts, the sources of each and ' +
      'their words, who said or stored them, which model made it and at what ' +
      'cost, and what was changed, deleted or erased.',
    input: AskWhy,
    output: Why,
    example: {
      input: { tenant: 'acme', ref: ID, identifiers: { userId: 'dana' } },
      output: {
        kind: 'memory',
        id: ID,
        layer: 'user',
        scopeId: 'dana',
        text: CONTENT,
        state: 'Current',
        at: AT,
        by: 'local',
        channel: 'api',
        supersededBy: null,
        review: null,
        made: null,
        facts: [],
        sources: [],
        sourcesLeftOut: 0,
        changes: [{ version: 1, at: AT, action: 'Added', by: 'local' }],
        citedBy: [
          {
            summaryId: '019aa5c9-1111-7a52-8f0e-000000000001',
            layer: 'user',
            scopeId: 'dana',
            fact: 'Dana prefers answers that begin with the decision.',
          },
        ],
        writes: [{ at: AT, principal: 'local', operation: 'memory.add', outcome: 'Done' }],
      },
    },
    role: 'read',
    errors: ['NOT_FOUND'],
    commands: ['why'],
    run: traceWhy,
  }),
};
