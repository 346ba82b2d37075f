/**
 * Carries a trace through a run: from the header of the call that started or first reached the run,
 * to its activities. A run without such a header is not traced.
 *
 * The id of a run's span is the end of the run's id, so it is the same in every replay. The span is
 * exported once, when the run has ended. Traces that reach the run later are linked to it, since
 * the run works for all of them.
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import {
  ContinueAsNew,
  proxySinks,
  workflowInfo,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import type { TraceSinks } from '#core/ports/tracing.ts';
import {
  readTraceHeader,
  TRACE_HEADER,
  traceHeaderOf,
  type TraceContext,
} from '#core/trace-context.ts';
import { codeOf } from './activity-retry-policies.ts';

/** Maximum traces linked to one run; later ones are not linked. */
const LINKS_MAX = 32;
const SPAN_ID_DIGITS = 16;

interface RunTrace {
  readonly parent: TraceContext;
  readonly context: TraceContext;
  readonly links: TraceContext[];
  readonly startedAt: number;
}

/** Temporal finds this function by its name in the bundle, and calls it once for each run. */
export function interceptors(): WorkflowInterceptors {
  const { trace: sink } = proxySinks<TraceSinks>();
  let run: RunTrace | null = null;
  const reachedBy = (headers: Headers): void => {
    const parent = contextIn(headers);
    if (parent === null) return;
    if (run === null)
      run = { parent, context: contextOfRun(parent), links: [], startedAt: Date.now() };
    else if (run.parent.spanId !== parent.spanId && run.links.length < LINKS_MAX) {
      run.links.push(parent);
    }
  };
  const passOn = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    run === null ? input : { ...input, headers: { ...input.headers, ...headersOf(run.context) } };
  const end = (failure: string | null): void => {
    if (run === null) return;
    const { workflowType, workflowId, runId } = workflowInfo();
    const attributes = { workflow_id: workflowId, run_id: runId };
    const facts = { name: `RunWorkflow:${workflowType}`, kind: 'internal', attributes } as const;
    sink.ended({ ...facts, ...run, endedAt: Date.now(), failure });
  };
  return {
    inbound: [
      {
        execute: async (input, next) => {
          reachedBy(input.headers);
          try {
            const result = await next(input);
            end(null);
            return result;
          } catch (error) {
            end(error instanceof ContinueAsNew ? null : codeOf(error));
            throw error;
          }
        },
        handleSignal: async (input, next) => {
          reachedBy(input.headers);
          return next(input);
        },
        handleUpdate: async (input, next) => {
          reachedBy(input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: async (input, next) => next(passOn(input)),
        continueAsNew: async (input, next) => next(passOn(input)),
      },
    ],
  };
}

function contextIn(headers: Headers): TraceContext | null {
  const payload = headers[TRACE_HEADER];
  return payload === undefined
    ? null
    : readTraceHeader(defaultPayloadConverter.fromPayload(payload));
}

function headersOf(context: TraceContext): Headers {
  return { [TRACE_HEADER]: defaultPayloadConverter.toPayload(traceHeaderOf(context)) };
}

function contextOfRun({ traceId, isSampled }: TraceContext): TraceContext {
  const spanId = workflowInfo().runId.replaceAll('-', '').slice(-SPAN_ID_DIGITS);
  return { traceId, spanId, isSampled };
}
