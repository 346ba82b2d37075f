/** Varve for the AI SDK: a middleware that remembers, and tools to search and add memories. */
export { memoryMiddleware, type MemoryMiddlewareOptions } from './middleware.ts';
export { memoryTools, type MemoryToolsOptions } from './tools.ts';
export type { AgentMemory, Whose } from '#core/agent-memory/agent-memory.ts';
