/** Varve for LangGraph.js: a node, a middleware, and the parts they are made of. */
export type { RunningSummary } from '#core/running-summary/running-summary.ts';
export {
  addThreadMessages,
  flushThread,
  type AddThreadMessagesOptions,
  type FailedMemoryFlush,
  type FlushingConversation,
  type FlushThreadOptions,
  type MemoryFlushErrorHook,
  type MemoryFlushEvent,
  type MemoryFlushHook,
  type MessageMemory,
} from './memory-flush-hooks.ts';
export type { AgentMemory, Whose } from '#core/agent-memory/agent-memory.ts';
export { memoryMiddleware, type MemoryMiddlewareOptions } from './memory-middleware.ts';
export {
  summarizationMiddleware,
  type SummarizationMiddleware,
  type SummarizationMiddlewareOptions,
} from './summarization-middleware.ts';
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
  type ChatModelLike,
  type MessageCounter,
  type SummarizationOptions,
} from './summarization-options.ts';
export { varveModel, type SummarizingConversation, type VarveModelOptions } from './varve-model.ts';
