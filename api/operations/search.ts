/** Operations that find memories: search, list, history. */
import { SHOWN_MEMORY_EXAMPLE } from '../schemas/shared-answers.ts';
import {
  HistoryAnswer,
  ListAnswer,
  ListMemories,
  MemoryHistory,
  SearchAnswer,
  SearchMemories,
} from '../schemas/search.ts';
import { listMemories, memoryHistory } from '../list-memories.ts';
import { searchMemories } from '../search.ts';
import { operation } from './operation.ts';

const IDENTIFIERS = { userId: 'dana', projectId: 'checkout' };

/** Also part of the group `memory`. */
export const memorySearch = {
  search: operation({
    name: 'memory.search',
    kind: 'query',
    summary:
      'Finds what fits a question, by words and by vectors: memories, turns of ' +
      'past sessions and lines of files in every layer that the identifiers open.',
    input: SearchMemories,
    output: SearchAnswer,
    example: {
      input: {
        tenant: 'acme',
        identifiers: IDENTIFIERS,
        query: 'How does Dana like answers?',
        filter: { field: 'priority', gte: 2 },
      },
      output: {
        hits: [
          {
            source: 'memory',
            id: SHOWN_MEMORY_EXAMPLE.id,
            text: SHOWN_MEMORY_EXAMPLE.content,
            layer: SHOWN_MEMORY_EXAMPLE.layer,
            at: SHOWN_MEMORY_EXAMPLE.validFrom,
            score: 0.82,
            memory: SHOWN_MEMORY_EXAMPLE,
            turn: null,
            line: null,
            outdated: false,
            outdatedInPart: false,
            conflictsWith: [],
            explanation: null,
          },
        ],
        searchedLayers: ['user', 'project', 'team', 'org', 'company'],
        skippedLayers: ['agent', 'session'],
        duplicates: [],
        degraded: false,
        degradedReason: null,
        nearestMisses: [],
        nothingFound: null,
        paths: [],
      },
    },
    role: 'read',
    cost: 'embedding',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER', 'FILTER_TOO_BROAD'],
    commands: ['search'],
    run: searchMemories,
  }),
  list: operation({
    name: 'memory.list',
    kind: 'query',
    summary:
      'Lists the memories that the identifiers open, page by page, and marks what newer ones ' +
      'replace.',
    input: ListMemories,
    output: ListAnswer,
    example: {
      input: { tenant: 'acme', identifiers: IDENTIFIERS, layers: ['user'], limit: 10 },
      output: {
        memories: [
          { ...SHOWN_MEMORY_EXAMPLE, outdated: false, outdatedInPart: false, outdatedBy: [] },
        ],
        nextCursor: null,
        totalCount: 1,
      },
    },
    role: 'read',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER', 'FILTER_TOO_BROAD'],
    commands: ['export'],
    run: listMemories,
  }),
  history: operation({
    name: 'memory.history',
    kind: 'query',
    summary:
      'Lists the changes of a memory, the newest first. Only admins of the tenant see the ' +
      'earlier texts of a deleted memory.',
    input: MemoryHistory,
    output: HistoryAnswer,
    example: {
      input: { tenant: 'acme', id: SHOWN_MEMORY_EXAMPLE.id },
      output: {
        changes: [
          {
            tenant: 'acme',
            memoryId: SHOWN_MEMORY_EXAMPLE.id,
            layer: 'user',
            scopeId: 'dana',
            version: 1,
            at: SHOWN_MEMORY_EXAMPLE.createdAt,
            principal: 'local',
            action: 'Added',
            before: {},
          },
        ],
      },
    },
    role: 'read',
    commands: ['export'],
    run: memoryHistory,
  }),
};
