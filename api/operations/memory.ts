/**
 * Operations on memories by id: add, get, update and delete, one or many at a time; and the
 * operation that reads messages and keeps their lasting statements.
 */
import {
  bulkAddMemories,
  bulkDeleteMemories,
  addMemory,
  deleteMemory,
  getMemory,
  updateMemory,
  addMessages,
} from '../memories.ts';
import { SHOWN_MEMORY_EXAMPLE, ShownMemory } from '../schemas/shared-answers.ts';
import * as schemas from '../schemas/memory.ts';
import { operation } from './operation.ts';

const WRITTEN_EXAMPLE: schemas.MemoryAnswer = {
  memory: SHOWN_MEMORY_EXAMPLE,
  embeddingGenerated: true,
  deduplicated: false,
  scope: { changes: 1, dueAt: null, trigger: null },
};
const ID = SHOWN_MEMORY_EXAMPLE.id;

export const memory = {
  add: operation({
    name: 'memory.add',
    kind: 'mutation',
    summary:
      'Adds a memory to the scope that the layer and the identifiers name. For messages, use ' +
      '`memory.addMessages`.',
    input: schemas.AddMemory,
    output: schemas.MemoryAnswer,
    example: {
      input: {
        tenant: 'acme',
        layer: 'user',
        identifiers: { userId: 'dana' },
        content: 'Dana wants the decision first.',
        tags: ['style'],
        metadata: { priority: 2 },
      },
      output: WRITTEN_EXAMPLE,
    },
    role: 'write',
    cost: 'embedding',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER', 'CONTENT_TOO_LONG', 'CONFLICT'],
    commands: ['add', 'demo'],
    run: addMemory,
  }),
  bulkAdd: operation({
    name: 'memory.bulkAdd',
    kind: 'mutation',
    summary:
      'Adds many memories, each with its own outcome. If one input is invalid, ' +
      'Varve refuses the whole call before it writes anything.',
    input: schemas.BulkAddMemories,
    output: schemas.bulkAnswerSchema(schemas.AddedItem),
    example: {
      input: {
        tenant: 'acme',
        memories: [
          {
            layer: 'project',
            identifiers: { projectId: 'checkout' },
            content: 'Checkout launches on December 1.',
            key: 'launch',
          },
        ],
      },
      output: {
        items: [
          {
            ok: true,
            id: ID,
            key: 'launch',
            version: 1,
            embeddingGenerated: true,
            deduplicated: false,
          },
        ],
        succeeded: 1,
        failed: 0,
      },
    },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: ['import', 'demo'],
    run: bulkAddMemories,
  }),
  get: operation({
    name: 'memory.get',
    kind: 'query',
    summary:
      'Returns a memory by its id, or null if no memory that is open to the caller has this id, ' +
      'or the memory has expired.',
    input: schemas.GetMemory,
    output: ShownMemory.nullable(),
    example: { input: { tenant: 'acme', id: ID }, output: SHOWN_MEMORY_EXAMPLE },
    role: 'read',
    commands: ['demo'],
    run: getMemory,
  }),
  update: operation({
    name: 'memory.update',
    kind: 'mutation',
    summary:
      'Changes the text, the tags or metadata fields of a memory. What it has already makes no ' +
      'new version.',
    input: schemas.UpdateMemory,
    output: schemas.MemoryAnswer,
    example: {
      input: { tenant: 'acme', id: ID, metadata: { priority: 3 }, expectedVersion: 1 },
      output: {
        ...WRITTEN_EXAMPLE,
        memory: { ...SHOWN_MEMORY_EXAMPLE, metadata: { priority: 3 }, version: 2 },
        embeddingGenerated: false,
      },
    },
    role: 'write',
    cost: 'embedding',
    errors: ['MEMORY_NOT_FOUND', 'CONFLICT', 'CONTENT_TOO_LONG'],
    commands: ['import', 'demo'],
    run: updateMemory,
  }),
  delete: operation({
    name: 'memory.delete',
    kind: 'mutation',
    summary:
      'Deletes a memory; what summaries say because of it disappears at once. ' +
      'A turn that says the same stays: `conversation.delete` deletes it. ' +
      'Its history keeps the text for admins of the tenant until you erase it. ' +
      'For an unknown id, `deleted` is false: you can repeat the call.',
    input: schemas.DeleteMemory,
    output: schemas.DeleteAnswer,
    example: {
      input: { tenant: 'acme', id: ID },
      output: {
        success: true,
        deleted: true,
        scope: { changes: 2, dueAt: 1_795_273_215_000, trigger: 'Urgent' },
      },
    },
    role: 'write',
    errors: ['CONFLICT'],
    commands: ['demo'],
    run: deleteMemory,
  }),
  bulkDelete: operation({
    name: 'memory.bulkDelete',
    kind: 'mutation',
    summary:
      'Deletes many memories. An id that does not exist, or that the caller may ' +
      'not see, counts as deleted.',
    input: schemas.BulkDeleteMemories,
    output: schemas.bulkAnswerSchema(schemas.DeletedItem),
    example: {
      input: { tenant: 'acme', ids: [ID] },
      output: { items: [{ ok: true, id: ID }], succeeded: 1, failed: 0 },
    },
    role: 'write',
    errors: ['CONFLICT'],
    commands: { none: 'A program deletes what it added.' },
    run: bulkDeleteMemories,
  }),
  addMessages: operation({
    name: 'memory.addMessages',
    kind: 'mutation',
    summary:
      'Extracts the lasting statements of messages: preferences, facts about the ' +
      'user, decisions, owners, dates. Varve compares each with what its scope ' +
      'knows; a correction ends what it corrects. Rules read the messages, or the model that the ' +
      'policy of the tenant names; both leave out what is in doubt.',
    input: schemas.AddMessages,
    output: schemas.AddMessagesAnswer,
    example: {
      input: {
        tenant: 'acme',
        identifiers: { userId: 'dana' },
        messages: [{ id: 'turn-9', role: 'user', content: 'I moved from Lyon to Berlin.' }],
      },
      output: {
        results: [
          {
            event: 'SUPERSEDE',
            id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
            text: 'I moved from Lyon to Berlin.',
            supersedes: ['019aa5c0-1a2b-7b52-9f0e-6a1f0b1583cb'],
            kind: 'Self',
            layer: 'user',
            source: 'turn-9',
          },
        ],
        extractedBy: 'Rules',
      },
    },
    role: 'write',
    cost: 'modelCalls',
    errors: ['MISSING_IDENTIFIER', 'CONFLICT'],
    commands: { none: 'Messages come from programs that talk; the CLI imports and asks.' },
    run: addMessages,
  }),
};
