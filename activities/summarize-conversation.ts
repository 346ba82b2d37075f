/** Writes text about a conversation, with the models and the budget of a tenant. */
import { costOf } from '#core/budget/price.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { policyToWriteBy } from '#core/policy/policy-in-force.ts';
import type { ConversationText, ConversationQuestion } from '#core/ports/model.ts';
import { meteredCallOnce } from './metered-call.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { countCall } from './refresh-metrics.ts';

/**
 * Makes one call of the model that writes the summaries of the tenant's sessions.
 * @param ports with the models of the tenant
 * @throws VarveError what the model throws, FORBIDDEN for a released tenant, NOT_FOUND without a
 * model, CONTENT_TOO_LONG, BUDGET_EXHAUSTED, RATE_LIMITED, MODEL_OUTPUT_INVALID
 */
export async function writeConversation(
  ports: Pick<RefreshPorts, 'store' | 'platform' | 'metrics' | 'models'>,
  { tenant, question }: { readonly tenant: string; readonly question: ConversationQuestion },
  call: ActivityCall,
): Promise<ConversationText> {
  const policy = await policyToWriteBy(ports.store.policies, tenant);
  const { name } = ports.models.ofClass(policy.layers.session.modelClass);
  const model = ports.models.byName(name);
  const writer = model?.writer;
  if (model === undefined || writer === undefined) throw withoutModel(name);
  const usageMax = writer.usageMax(question);
  if (usageMax.inputTokens > model.inputTokensMax) {
    throw tooLong(usageMax.inputTokens, model.inputTokensMax);
  }
  const { text, usage } = await meteredCallOnce(
    ports,
    {
      model,
      usageMax: () => usageMax,
      ask: async (attempt) => {
        try {
          return await writer.write(question, attempt);
        } catch (error) {
          throw asOfEndpoint(error, name);
        }
      },
      count: (used) => {
        countCall(ports.metrics, model, { items: 1, usage: used });
      },
    },
    { tenant, policy, call, purpose: 'conversation' },
  );
  if (text !== '') return { text, model: name, usage, cost: costOf(usage, model.price) };
  const message = 'The model answered without text. The call was paid for; call again.';
  throw new VarveError('MODEL_OUTPUT_INVALID', message, { details: { model: name, ...usage } });
}

/** An endpoint's error about its key or path must not look like an error about our own caller. */
const OF_ENDPOINT: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND']);

function asOfEndpoint(cause: unknown, model: string): unknown {
  if (!(cause instanceof VarveError) || !OF_ENDPOINT.has(cause.code)) return cause;
  const message =
    'The model endpoint accepts no calls from this process, or its key is not available here. ' +
    'Check its address, its model and its key; varve doctor looks at them.';
  return new VarveError('PROVIDER_REJECTED', message, {
    details: { model, found: cause.code },
    cause,
  });
}

function withoutModel(model: string): VarveError {
  const message =
    `No model writes text for this tenant here: summaries of its sessions are made by ${model}. ` +
    'Set a model (the option models, VARVE_MODEL_…, or a ModelProvider), or pass your own model.';
  return new VarveError('NOT_FOUND', message, { details: { model } });
}

function tooLong(inputTokens: number, maximum: number): VarveError {
  return new VarveError(
    'CONTENT_TOO_LONG',
    `The messages may be ${String(inputTokens)} tokens, and the model reads ${String(maximum)} ` +
      'in one call. Send fewer of them, or choose a model that reads more.',
    { details: { inputTokens, maximum } },
  );
}
