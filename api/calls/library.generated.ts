/** Made from the schemas by `npm run docs:api`; change the schemas. */

import type { MemoryCalls } from './memory.generated.ts';
import type { ConversationCalls } from './conversation.generated.ts';
import type { SummaryCalls } from './summary.generated.ts';
import type { ContextCalls } from './context.generated.ts';
import type { BudgetCalls } from './budget.generated.ts';
import type { DailyCalls } from './daily.generated.ts';
import type { DocumentCalls } from './document.generated.ts';
import type { DreamCalls } from './dream.generated.ts';
import type { ReviewCalls } from './review.generated.ts';
import type { KeyCalls } from './key.generated.ts';
import type { AuditCalls } from './audit.generated.ts';
import type { EventCalls } from './event.generated.ts';
import type { TenantCalls } from './tenant.generated.ts';
import type { ErasureCalls } from './erasure.generated.ts';
import type { TraceCalls } from './trace.generated.ts';
import type { InstallationCalls } from './installation.generated.ts';

export type { Filter } from '#core/search/filter.ts';
export type * from './memory.generated.ts';
export type * from './conversation.generated.ts';
export type * from './summary.generated.ts';
export type * from './context.generated.ts';
export type * from './budget.generated.ts';
export type * from './daily.generated.ts';
export type * from './document.generated.ts';
export type * from './dream.generated.ts';
export type * from './review.generated.ts';
export type * from './key.generated.ts';
export type * from './audit.generated.ts';
export type * from './event.generated.ts';
export type * from './tenant.generated.ts';
export type * from './erasure.generated.ts';
export type * from './trace.generated.ts';
export type * from './installation.generated.ts';
export type * from './memory-answers.generated.ts';
export type * from './memory-inputs.generated.ts';
export type * from './shared.generated.ts';

/** Every operation as a method, such as `memory.add(input)`. */
export interface Library extends InstallationCalls {
  readonly memory: MemoryCalls;
  readonly conversation: ConversationCalls;
  readonly summary: SummaryCalls;
  readonly context: ContextCalls;
  readonly budget: BudgetCalls;
  readonly daily: DailyCalls;
  readonly document: DocumentCalls;
  readonly dream: DreamCalls;
  readonly review: ReviewCalls;
  readonly key: KeyCalls;
  readonly audit: AuditCalls;
  readonly event: EventCalls;
  readonly tenant: TenantCalls;
  readonly erasure: ErasureCalls;
  readonly trace: TraceCalls;
}

/** The operations that a network interface offers. */
export type ServedLibrary = Omit<Library, 'refresh'>;
