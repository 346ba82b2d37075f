/**
 * The thread that embeds: it holds the one session of its model, loaded at the first text.
 *
 * Each text runs alone. A quantized model scales the numbers of a whole call together, so in a call
 * with others the vector of a text would depend on the others.
 */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Tokenizer } from '@huggingface/tokenizers';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { pooled, windowsOf, type WindowOutput } from './pooling.ts';
import type { TextMessage, ThreadAnswer, ThreadMessage, ThreadStart } from './thread-message.ts';

const HIDDEN_STATE = 'last_hidden_state';
/** Rank of an output with a vector for each token: texts, tokens, numbers. */
const RANK_OF_TOKENS = 3;

interface Loaded {
  readonly tokenizer: Tokenizer;
  readonly session: InferenceSession;
  readonly tensorOf: (values: readonly number[]) => Tensor;
  readonly head: readonly number[];
  readonly tail: readonly number[];
}

const start = workerData as ThreadStart;
const port = parentPort;
let loading: Promise<Loaded> | null = null;

port?.on('message', (message: ThreadMessage) => {
  if (message.kind === 'Close') port.close();
  else answer(message).catch(endThread);
});

/** Ends the thread with an uncaught error, so that the parent starts another one. */
function endThread(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

async function answer(message: TextMessage): Promise<void> {
  const { number } = message;
  loading ??= load();
  const send = (answered: ThreadAnswer): void => port?.postMessage(answered);
  const loaded = await loading.catch((error: unknown) => {
    send({ number, failure: 'Load', reason: reasonOf(error) });
    return null;
  });
  if (loaded === null) return;
  try {
    send({ number, vector: await embed(loaded, message) });
  } catch (error) {
    send({ number, failure: 'Run', reason: reasonOf(error) });
  }
}

async function load(): Promise<Loaded> {
  const { places } = start;
  const [{ Tokenizer }, { InferenceSession, Tensor }] = await Promise.all([
    import('@huggingface/tokenizers'),
    import('onnxruntime-node'),
  ]);
  const tokenizer = new Tokenizer(
    await jsonOf(places.tokenizer),
    await jsonOf(places.tokenizerConfig),
  );
  const marks = tokenizer.encode('').ids;
  const middle = Math.floor(marks.length / 2);
  return {
    tokenizer,
    session: await InferenceSession.create(places.graph),
    tensorOf: (values) =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]),
    head: marks.slice(0, middle),
    tail: marks.slice(middle),
  };
}

async function embed(loaded: Loaded, { prefix, text }: TextMessage): Promise<Float32Array> {
  const { tokenizer, head, tail } = loaded;
  const tokensOf = (said: string) => tokenizer.encode(said, { add_special_tokens: false }).ids;
  const { tokensMax, pooling } = start;
  const frame = { head, tail, lead: prefix === '' ? [] : tokensOf(prefix), tokensMax };
  const outputs: WindowOutput[] = [];
  for (const window of windowsOf(tokensOf(`${prefix}${text}`), frame)) {
    outputs.push(await run(loaded, window));
  }
  return pooled(outputs, pooling);
}

async function run({ session, tensorOf }: Loaded, window: number[]): Promise<WindowOutput> {
  const tokens = window.length;
  const known: Readonly<Record<string, () => readonly number[]>> = {
    input_ids: () => window,
    attention_mask: () => window.map(() => 1),
    token_type_ids: () => window.map(() => 0),
    position_ids: () => window.map((_, index) => index),
  };
  const feeds = session.inputNames.map((name) => {
    const values = known[name];
    if (values === undefined) throw new Error(`the model asks for the input "${name}"`);
    return [name, tensorOf(values())] as const;
  });
  const answers = await session.run(Object.fromEntries(feeds));
  const output = answers[HIDDEN_STATE] ?? answers[session.outputNames[0] ?? ''];
  if (output === undefined || !(output.data instanceof Float32Array)) {
    throw new Error('the model gives no numbers of single precision');
  }
  const dimensions = output.dims.at(-1) ?? 0;
  const rows = output.dims.length === RANK_OF_TOKENS ? tokens : 1;
  if (dimensions === 0 || output.data.length !== rows * dimensions) {
    throw new Error(`the model gives an output of the shape ${output.dims.join(' × ')}`);
  }
  return { data: output.data, tokens, dimensions };
}

async function jsonOf(file: string): Promise<object> {
  return JSON.parse(await readFile(file, 'utf8')) as object;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
