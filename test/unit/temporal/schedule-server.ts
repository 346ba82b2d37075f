/** A model of a Temporal server with one schedule and its conflict token. */
import type { Connection } from '@temporalio/client';
import type { Memo, Schedule } from '#providers/temporal/schedule-definitions.ts';

export interface ScheduleServer {
  readonly connection: Connection;
  readonly state: {
    schedule: Schedule | null;
    memo: Memo | null;
    version: number;
    /** Writes that were asked for. */
    writes: number;
  };
  /** Runs before the next writes arrive, one for each: what another client does meanwhile. */
  readonly meanwhile: (() => void | Promise<void>)[];
  /** As a person would. */
  change(changed: (schedule: Schedule) => Schedule): void;
}

/** gRPC's numbers. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

/** @param attributesFailure the number that it answers to a request for search attributes */
export function scheduleServer(attributesFailure: number | null = null): ScheduleServer {
  const state: ScheduleServer['state'] = { schedule: null, memo: null, version: 0, writes: 0 };
  const meanwhile: ScheduleServer['meanwhile'] = [];
  const keep = (schedule: Schedule) => {
    state.schedule = schedule;
    state.version += 1;
  };
  const arrive = async () => {
    state.writes += 1;
    await meanwhile.shift()?.();
  };
  const workflowService = {
    describeSchedule: async () => {
      const { schedule, memo, version } = state;
      if (schedule === null) throw rpcError(NOT_FOUND);
      return { schedule, memo, conflictToken: Uint8Array.of(version) };
    },
    createSchedule: async (request: { schedule: Schedule; memo: Memo }) => {
      await arrive();
      if (state.schedule !== null) throw rpcError(ALREADY_EXISTS);
      state.memo = request.memo;
      keep(request.schedule);
    },
    // Like the real one: an outdated token is no error, the update has no effect.
    updateSchedule: async (request: { schedule: Schedule; conflictToken: Uint8Array }) => {
      await arrive();
      if (request.conflictToken[0] === state.version) keep(request.schedule);
    },
  };
  const operatorService = {
    listSearchAttributes: async () => {
      if (attributesFailure !== null) throw rpcError(attributesFailure);
      return { customAttributes: {} };
    },
    addSearchAttributes: async () => ({}),
  };
  const withDeadline = <T>(_: number, work: () => Promise<T>) => work();
  return {
    connection: { workflowService, operatorService, withDeadline } as unknown as Connection,
    state,
    meanwhile,
    change: (changed) => keep(changed(state.schedule ?? {})),
  };
}

/** What the SDK takes for an error of gRPC. */
function rpcError(code: number): Error {
  return Object.assign(new Error('refused'), { code, details: '', metadata: {} });
}
