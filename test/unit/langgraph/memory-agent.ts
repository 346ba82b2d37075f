/** The memory middleware in an agent with a scripted model, over a real store. */
import {
  AIMessage,
  createAgent,
  createMiddleware,
  fakeModel,
  HumanMessage,
  tool,
  type AnyAgentMiddleware,
  type BaseMessage,
} from 'langchain';
import { MemorySaver } from '@langchain/langgraph';
import { z } from 'zod';
import { memoryMiddleware, type MemoryMiddlewareOptions } from '#langgraph/index.ts';
import type { Library } from '#test/unit/library/open-library.ts';

export const identifiers = { userId: 'ann' };
export type Model = ReturnType<typeof fakeModel>;

/** A model that gives these answers in turn; an error is thrown. */
export function answering(...answers: readonly (string | AIMessage | Error)[]): Model {
  const model = fakeModel();
  for (const answer of answers) {
    model.respond(typeof answer === 'string' ? new AIMessage(answer) : answer);
  }
  return model;
}

/** An answer that calls a tool. */
export function calling(id: string, name = 'clock', args = {}): AIMessage {
  return new AIMessage({ id: `ai-${id}`, content: '', tool_calls: [{ id, name, args }] });
}

export const clock = tool(() => 'noon', {
  name: 'clock',
  description: 'Tells the time.',
  schema: z.object({}),
});

export function inThread(thread_id: string) {
  return { configurable: { thread_id } };
}

export function asking(content: string) {
  return { messages: [new HumanMessage(content)] };
}

/** What the model read in a call, message by message. */
export function read(model: Model, call: number): readonly string[] {
  return (model.calls[call]?.messages ?? []).map(({ text }) => text);
}

/** The middleware for a tenant, and what its sessions have. */
export function memoryFor(
  { varve }: Library,
  tenant: string,
  more: Partial<MemoryMiddlewareOptions> = {},
) {
  const middleware = memoryMiddleware({ varve, tenant, identifiers, ...more });
  const turns = async (sessionId: string) => {
    const page = await varve.conversation.messages({ tenant, sessionId, limit: 500 });
    return page.messages;
  };
  const kept = async (sessionId: string) =>
    (await turns(sessionId)).map(({ role, content }) => `${role}: ${content}`);
  return { middleware, turns, kept };
}

/**
 * An agent with a checkpointer that has this middleware. LangChain's own does not fit its type
 * under `exactOptionalPropertyTypes`.
 */
export function agentWith(model: Model, ...middleware: readonly object[]) {
  const checkpointer = new MemorySaver();
  const all = middleware as readonly AnyAgentMiddleware[];
  return createAgent({ model, tools: [clock], middleware: all, checkpointer });
}

/** Middleware that holds each model call until it is let go, by the words that it answers. */
export function holding(...questions: readonly string[]) {
  const held = new Map(questions.map((text) => [text, Promise.withResolvers<void>()]));
  const middleware = createMiddleware({
    name: 'holding',
    wrapModelCall: async (request, handler) => {
      await held.get(request.state.messages.at(-1)?.text ?? '')?.promise;
      return handler(request);
    },
  });
  return { middleware, letGo: (question: string) => held.get(question)?.resolve() };
}

/** The messages in the state of a thread. */
export async function stateOf(
  { graph }: Pick<ReturnType<typeof agentWith>, 'graph'>,
  thread: string,
): Promise<readonly BaseMessage[]> {
  const { values } = await graph.getState(inThread(thread));
  return (values as { messages: readonly BaseMessage[] }).messages;
}
