/** LangGraph.js: a graph that recalls, answers and keeps what was said. Run it twice. */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { OpenAI } from 'openai';
import { openVarve } from 'varve';

// Reads OPENAI_API_KEY, and OPENAI_BASE_URL for another endpoint of the same protocol.
const openai = new OpenAI();
const model = process.env['MODEL'] ?? 'gpt-5-mini';

await using varve = await openVarve({ dataDir: 'memory' });
const tenant = 'default';
const userId = process.env['VARVE_USER'] ?? 'ann';
const sessionId = randomUUID();
const QUERY_LENGTH = 500;

const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => {
    const question = messages.at(-1)?.text ?? '';
    // The beginning of a long message says what it is about, and leaves room for the context.
    const query = question.slice(0, QUERY_LENGTH).toWellFormed();
    const identifiers = { userId, sessionId };
    const context = await varve.context.assemble({ tenant, identifiers, query, maxTokens: 1_000 });
    const { choices } = await openai.chat.completions.create({
      model,
      messages: [
        { role: 'user', content: context.text },
        ...(question.length > QUERY_LENGTH ? [{ role: 'user' as const, content: question }] : []),
      ],
    });
    return { messages: [new AIMessage(choices[0]?.message.content ?? '')] };
  })
  .addNode('keep', async ({ messages }) => {
    const turns = messages.slice(-2).map((message) => ({
      role: HumanMessage.isInstance(message) ? ('user' as const) : ('assistant' as const),
      content: message.text,
    }));
    await varve.conversation.append({ tenant, sessionId, identifiers: { userId }, turns });
    return {};
  })
  .addEdge(START, 'answer')
  .addEdge('answer', 'keep')
  .addEdge('keep', END)
  .compile({ checkpointer: new MemorySaver() });

for await (const line of createInterface({ input: process.stdin })) {
  const question = line.trim();
  if (question === '') continue;
  const messages = [new HumanMessage(question)];
  const state = await graph.invoke({ messages }, { configurable: { thread_id: sessionId } });
  console.log(state.messages.at(-1)?.text);
}
