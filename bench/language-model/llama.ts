/** The part of llama.cpp's module that the server uses; it is installed outside of the project. */
/** Half of what the weights were trained for: enough for a prompt, and quick to make. */
export const CONTEXT_TOKENS = 4_096;
/** Two threads that wait for each other at every step are far slower than one on a busy machine. */
const THREADS_MAX = 1;

interface TokenState {
  readonly usedOutputTokens: number;
}

interface Sequence {
  readonly tokenMeter: { getState(): TokenState };
}

interface Options {
  readonly maxTokens: number;
  readonly temperature: number;
  readonly signal: AbortSignal;
  readonly stopOnAbortSignal: boolean;
}

interface Session {
  promptWithMeta(
    text: string,
    options: Options,
  ): Promise<{ readonly responseText: string; readonly stopReason: string }>;
  dispose(): void;
}

interface LlamaModel {
  tokenize(text: string): readonly number[];
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
}

/** The exports of `node-llama-cpp` that are used here. */
export interface LlamaModule {
  getLlama(options: object): Promise<{ loadModel(options: object): Promise<LlamaModel> }>;
  readonly LlamaChatSession: new (options: object) => Session;
}

export interface ChatAnswer {
  readonly text: string;
  readonly isCut: boolean;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface Question {
  readonly system: string;
  readonly user: string;
  readonly tokensMax: number;
  readonly signal: AbortSignal;
}

export interface Llama {
  tokensOf(text: string): number;
  /** One at a time: there is one context, and it keeps the common beginning of two prompts. */
  ask(question: Question): Promise<ChatAnswer>;
}

export async function loadLlama(
  { getLlama, LlamaChatSession }: LlamaModule,
  weights: string,
): Promise<Llama> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    logLevel: 'error',
    progressLogs: false,
    maxThreads: THREADS_MAX,
  });
  const model = await llama.loadModel({ modelPath: weights });
  const context = await model.createContext({ contextSize: CONTEXT_TOKENS, sequences: 1 });
  const sequence = context.getSequence();
  return {
    tokensOf: (text) => model.tokenize(text).length,
    ask: async ({ system, user, tokensMax, signal }) => {
      const session = new LlamaChatSession({
        contextSequence: sequence,
        systemPrompt: system,
        autoDisposeSequence: false,
      });
      const before = sequence.tokenMeter.getState();
      const { responseText, stopReason } = await session.promptWithMeta(user, {
        maxTokens: tokensMax,
        temperature: 0,
        signal,
        stopOnAbortSignal: true,
      });
      const after = sequence.tokenMeter.getState();
      session.dispose();
      return {
        text: responseText,
        isCut: stopReason === 'maxTokens',
        promptTokens: model.tokenize(system + user).length,
        completionTokens: after.usedOutputTokens - before.usedOutputTokens,
      };
    },
  };
}
