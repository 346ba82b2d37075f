/** Marks middleware for `createAgent` of LangChain. */
import type { AgentMiddleware } from 'langchain';

/** The mark of `createMiddleware`; set here, so that `langchain` stays an optional package. */
const BRAND = Symbol.for('AgentMiddleware');

export function markMiddleware<T extends AgentMiddleware>(middleware: T): T {
  return Object.defineProperty(middleware, BRAND, { value: true, enumerable: true });
}
