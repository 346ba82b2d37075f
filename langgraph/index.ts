/** Varve for LangGraph.js: a node, a middleware, and the parts they are made of. */
export type { RunningSummary } from '#core/running-summary/running-summary.ts';
export {
  flushThread,
  type FlushingConversation,
  type FlushThreadOptions,
} from './memory-flush-hooks.ts';
export {
  addThreadMessages,
  type AddThreadMessagesOptions,
  type MessageMemory,
} from './memory-flush-hooks.ts';
export type {
  FailedMemoryFlush,
  MemoryFlushErrorHook,
  MemoryFlushEvent,
  MemoryFlushHook,
} from './memory-flush-hooks.ts';
export type { AgentMemory, Whose } from '#core/agent-memory/agent-memory.ts';
export { memoryMiddleware, type MemoryMiddlewareOptions } from './memory-middleware.ts';
export {
  summarizationMiddleware,
  type SummarizationMiddleware,
  type SummarizationMiddlewareOptions,
} from './middleware.ts';
export type { SummarizationOptions, ChatModelLike } from './summarization-options.ts';
export { SummarizationNode, type SummarizationNodeOptions } from './summarization-node.ts';
export { VarveStore, type StoreMemory, type VarveStoreOptions } from './store/varve-store.ts';
export {
  summarizeMessages,
  type SummarizeMessagesOptions,
  type SummarizeMessagesResult,
} from './summarize.ts';
export {
  countTokensApproximately,
  loadMessageCounter,
  type MessageCounter,
} from './summarization-options.ts';
export { varveModel, type SummarizingConversation, type VarveModelOptions } from './varve-model.ts';
