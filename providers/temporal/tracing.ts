/** Carries a trace over Temporal: from a client to the run it starts, and on to activities. */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { Tracing, TraceSinks } from '#core/ports/tracing.ts';
import { readTraceHeader, TRACE_HEADER, traceHeaderOf } from '#core/trace-context.ts';

/** Makes a span for each message to a run, which the run continues. */
export function clientInterceptor(tracing: Tracing): WorkflowClientInterceptor {
  const sending = <T>(name: string, send: (headers: Headers) => Promise<T>): Promise<T> =>
    tracing.inSpan({ name, kind: 'producer' }, () => {
      const active = tracing.active();
      const value = active === null ? null : traceHeaderOf(active);
      return send(
        value === null ? {} : { [TRACE_HEADER]: defaultPayloadConverter.toPayload(value) },
      );
    });
  return {
    startWithDetails: (input, next) =>
      sending(`StartWorkflow:${input.workflowType}`, (own) =>
        next({ ...input, headers: { ...input.headers, ...own } }),
      ),
    signalWithStart: (input, next) =>
      sending(`SignalWithStartWorkflow:${input.workflowType}`, (own) =>
        next({ ...input, headers: { ...input.headers, ...own } }),
      ),
    signal: (input, next) =>
      sending(`SignalWorkflow:${input.signalName}`, (own) =>
        next({ ...input, headers: { ...input.headers, ...own } }),
      ),
    startUpdateWithStart: (input, next) =>
      sending(`UpdateWithStartWorkflow:${input.workflowType}`, (own) =>
        next({
          ...input,
          workflowStartHeaders: { ...input.workflowStartHeaders, ...own },
          updateHeaders: { ...input.updateHeaders, ...own },
        }),
      ),
  };
}

/** Makes a span for each attempt of an activity, under the run that scheduled it. */
export function activityInterceptors(tracing: Tracing): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const payload = input.headers[TRACE_HEADER];
        const parent =
          payload === undefined
            ? null
            : readTraceHeader(defaultPayloadConverter.fromPayload(payload));
        const attributes = {
          ...(info.workflowExecution === undefined
            ? {}
            : {
                workflow_id: info.workflowExecution.workflowId,
                run_id: info.workflowExecution.runId,
              }),
          activity_id: info.activityId,
          attempt: info.attempt,
        };
        const name = `RunActivity:${info.activityType}`;
        return tracing.inSpan({ name, kind: 'internal', parent, attributes }, async (span) => {
          try {
            return await next(input);
          } catch (error) {
            if (error instanceof ApplicationFailure) span.fail(error.type ?? error.name);
            throw error;
          }
        });
      },
    },
  });
}

/** Receives spans from the workflow sandbox. Registered even if nothing is traced. */
export function traceSinks(tracing: Tracing): InjectedSinks<TraceSinks> {
  return {
    trace: {
      ended: {
        fn: (_run, span) => {
          tracing.add(span);
        },
        callDuringReplay: false,
      },
    },
  };
}
