/** Varve for the AI SDK: a middleware that remembers, and tools by which a model asks and keeps. */
export { memoryMiddleware, type MemoryMiddlewareOptions } from './middleware.ts';
export { memoryTools, type MemoryToolsOptions } from './tools.ts';
export type { AgentMemory, Whose } from './agent-memory.ts';
