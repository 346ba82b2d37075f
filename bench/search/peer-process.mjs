/**
 * The peers in a process of their own, run by the Node that installed them, since one of them is
 * compiled for it. Reads one JSON object a line and answers each with one. Plain JavaScript, so
 * that any Node runs it. Embeddings come with the texts, so their cost is not measured.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import readline from 'node:readline';

const [folder, dimensions] = process.argv.slice(2);
const load = createRequire(path.join(folder, 'package.json'));
const vectors = new Map();
// A peer may also embed parts of a text; those get the vector of another text, at no cost.
const vectorOf = (text) => vectors.get(text) ?? vectors.values().next().value;
const embeddings = {
  embedQuery: async (text) => vectorOf(text),
  embedDocuments: async (texts) => texts.map(vectorOf),
};

const NAMESPACE = ['acme', 'project'];
const peers = {
  'LangGraph InMemoryStore': langGraph(),
  'mem0 in memory': await mem0(),
};

function langGraph() {
  const { InMemoryStore } = load('@langchain/langgraph-checkpoint');
  const index = { dims: Number(dimensions), embeddings, fields: ['content'] };
  const store = new InMemoryStore({ index });
  return {
    add: (content, at) => store.put(NAMESPACE, String(at), { content }),
    search: async (query, limit) => (await store.search(NAMESPACE, { query, limit })).length,
  };
}

async function mem0() {
  const { Memory } = load('mem0ai/oss');
  const memory = new Memory({
    embedder: { provider: 'langchain', config: { model: embeddings } },
    vectorStore: {
      provider: 'memory',
      config: {
        collectionName: 'bench',
        dimension: Number(dimensions),
        dbPath: ':memory:',
      },
    },
    llm: {
      provider: 'langchain',
      config: { model: { invoke: () => Promise.reject(new Error()) } },
    },
    disableHistory: true,
  });
  // Loads what was compiled for it, which it does on first use.
  await memory.getAll({ filters: { user_id: 'ann' } });
  return {
    add: (content) => memory.add(content, { userId: 'ann', infer: false }),
    search: async (question, topK) =>
      (await memory.search(question, { filters: { user_id: 'ann' }, topK })).results.length,
  };
}

const actions = {
  /** Reads a file of [text, vector] pairs. */
  learn: ({ file }) => {
    for (const [text, vector] of JSON.parse(readFileSync(file, 'utf8'))) vectors.set(text, vector);
  },
  add: async ({ texts }) => {
    for (const peer of Object.values(peers)) {
      for (const [at, text] of texts.entries()) await peer.add(text, at);
    }
  },
  search: ({ peer, question, limit }) => peers[peer].search(question, limit),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { action, ...rest } = JSON.parse(line);
  const found = (await actions[action](rest)) ?? null;
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ found, cpuMs: (user + system) / 1_000 })}\n`);
}
