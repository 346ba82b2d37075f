/** MCP: a model that uses the tools of `varve mcp`, by the official client. Run it twice. */
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { OpenAI } from 'openai';

// Reads OPENAI_API_KEY, and OPENAI_BASE_URL for another endpoint of the same protocol.
const openai = new OpenAI();
const model = process.env['MODEL'] ?? 'gpt-5-mini';

const STEPS_MAX = 5;
const user = process.env['VARVE_USER'] ?? 'ann';
const args = ['varve', 'mcp', '--data-dir', 'memory', '--user', user];
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'npx', args, stderr: 'ignore' }));
const listed = await client.listTools();
const tools = listed.tools.map(({ name, description = '', inputSchema }) => ({
  type: 'function' as const,
  function: { name, description, parameters: { ...inputSchema } },
}));

const messages: OpenAI.ChatCompletionMessageParam[] = [];

/** Asks until the model answers in words, and runs the tool calls that it makes. */
async function answer(): Promise<string> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const { choices } = await openai.chat.completions.create({ model, messages, tools });
    const message = choices[0]?.message;
    if (message === undefined) break;
    messages.push(message);
    if (message.tool_calls === undefined) return message.content ?? '';
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue;
      const input = JSON.parse(call.function.arguments) as Record<string, unknown>;
      const result = await client.callTool({ name: call.function.name, arguments: input });
      // The text says it all; `structuredContent` repeats it for programs, with a receipt.
      const content = JSON.stringify(result.content);
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
  return 'There is no answer.';
}

for await (const question of createInterface({ input: process.stdin })) {
  messages.push({ role: 'user', content: question });
  console.log(await answer());
}
await client.close();
