/** Operations on dreams and on their proposals. */
import type { z } from 'zod';
import {
  approveDream,
  rejectDream,
  dreamStatus,
  getDream,
  listDreams,
  listSchedules,
  startDream,
} from '../dreams.ts';
import * as schemas from '../schemas/dream.ts';
import { operation } from './operation.ts';

const OF = { tenant: 'acme', subject: { kind: 'user' as const, id: 'ann' } };
const ID = '019aa5c2-7c1e-7b52-9f0e-0000000000d1';
const HEAD: z.output<typeof schemas.DreamHead> = {
  id: ID,
  subject: OF.subject,
  schedule: 'nightly',
  state: 'Waiting',
  findings: ['ApprovalRequired'],
  at: 1_795_273_200_000,
  baseVersion: 1,
  readLines: 4,
  decision: null,
};
const PROPOSED: schemas.DreamAnswer = {
  ...HEAD,
  model: 'extractive',
  day: '2026-11-21',
  difference: {
    added: [{ heading: null, text: 'Bob cooks.', sources: ['block-1'] }],
    removed: [],
    replaced: [],
    archived: [],
    dropped: [{ text: 'Ann is rich.', reason: 'NotInSources' }],
  },
  kept: 1,
  leftBlocks: 0,
  diary: ['Bob cooks now.'],
};
const DECISION = { at: 1_795_276_800_000, principal: 'local', reason: 'It is right.' };

export const dream = {
  run: operation({
    name: 'dream.run',
    kind: 'mutation',
    summary:
      'Starts a dream of one subject; `dream.status` and `dream.get` show its ' +
      'result. Without Temporal, the dream has ended when this call returns.',
    input: schemas.RunDream,
    output: schemas.DreamStart,
    example: { input: OF, output: { dreamId: ID, state: 'Started' } },
    role: 'write',
    cost: 'modelCalls',
    commands: ['dream run'],
    run: startDream,
  }),
  status: operation({
    name: 'dream.status',
    kind: 'query',
    summary:
      'Returns how the last dream of a subject ended, and whether there is ' +
      'something new for the next one.',
    input: schemas.DreamStatus,
    output: schemas.DreamStatusAnswer,
    example: {
      input: OF,
      output: {
        hasNew: false,
        last: { at: 1_795_273_200_000, dreamId: ID, outcome: 'Waiting' },
        proposal: 'Waiting',
        subject: OF.subject,
        subjectId: ID,
      },
    },
    role: 'read',
    commands: ['dream run', 'dream status'],
    run: dreamStatus,
  }),
  get: operation({
    name: 'dream.get',
    kind: 'query',
    summary: 'Returns what one dream proposed, or null if it made no proposal or has not ended.',
    input: schemas.GetDream,
    output: schemas.DreamAnswer.nullable(),
    example: { input: { tenant: 'acme', id: ID }, output: PROPOSED },
    role: 'read',
    commands: ['dream show', 'dream run', 'dream status', 'export'],
    run: getDream,
  }),
  list: operation({
    name: 'dream.list',
    kind: 'query',
    summary: 'Lists what dreams proposed, the newest first.',
    input: schemas.ListDreams,
    output: schemas.DreamsAnswer,
    example: {
      input: { tenant: 'acme', state: 'Waiting' },
      output: {
        dreams: [{ ...HEAD, added: 1, removed: 0, archived: 0, dropped: 1 }],
        nextBefore: null,
      },
    },
    role: 'read',
    commands: ['dream list', 'export'],
    run: listDreams,
  }),
  approve: operation({
    name: 'dream.approve',
    kind: 'mutation',
    summary: 'Approves a proposal, which is then applied.',
    input: schemas.ApproveDream,
    output: schemas.DreamAnswer,
    example: {
      input: { tenant: 'acme', id: ID, reason: 'It is right.' },
      output: { ...PROPOSED, state: 'Applied', decision: DECISION },
    },
    role: 'operate',
    errors: ['NOT_FOUND', 'CONFLICT'],
    commands: ['dream approve'],
    run: approveDream,
  }),
  reject: operation({
    name: 'dream.reject',
    kind: 'mutation',
    summary: 'Rejects a proposal: MEMORY.md stays unchanged.',
    input: schemas.RejectDream,
    output: schemas.DreamAnswer,
    example: {
      input: { tenant: 'acme', id: ID, reason: 'Bob does not cook.' },
      output: {
        ...PROPOSED,
        state: 'Rejected',
        decision: { ...DECISION, reason: 'Bob does not cook.' },
      },
    },
    role: 'operate',
    errors: ['NOT_FOUND', 'CONFLICT'],
    commands: ['dream reject'],
    run: rejectDream,
  }),
  schedules: operation({
    name: 'dream.schedules',
    kind: 'query',
    summary: 'Returns when each DeepDream of a tenant runs next, and how its last run ended.',
    input: schemas.ListSchedules,
    output: schemas.SchedulesAnswer,
    example: {
      input: { tenant: 'acme' },
      output: {
        schedules: [
          {
            name: 'nightly',
            cron: '0 3 * * *',
            timeZone: 'Europe/Vienna',
            nextAt: 1_795_312_800_000,
            last: {
              at: 1_795_226_400_000,
              started: 2,
              outcomes: { Dreamed: 1, Waiting: 1 },
              endedAt: 1_795_226_460_000,
            },
          },
        ],
      },
    },
    role: 'operate',
    commands: ['dream schedules'],
    run: listSchedules,
  }),
};
