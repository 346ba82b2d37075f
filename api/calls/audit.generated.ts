/** Made from the schemas by `npm run docs:api`; change the schemas. */

export interface AuditListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Which entries come first. @default "newest" */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** `nextAfter` of the previous page. */
  readonly after?: string | null | undefined;
  /** Only entries from this time on. */
  readonly since?: number | string | undefined;
  /** @default 100 */
  readonly limit?: number | undefined;
}

export interface AuditListEntry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Who called: `local`, `mcp`, `key:<name>`, `jwt:<sub>` or `account:<namespace>/<name>`. */
  readonly principal: string;
  /** Name of the operation, such as `memory.add`. */
  readonly operation: string;
  /** `Done`, or the code of the error. */
  readonly outcome: string;
  /** Ids that the call and its answer named, by field. */
  readonly ids: Readonly<Record<string, string[]>>;
  /** How many more ids there were than the entry can hold. */
  readonly idsLeftOut: number;
}

export interface AuditListOutput {
  readonly entries: AuditListEntry[];
  /** Null on the last page. */
  readonly nextAfter: string | null;
}

/** Calls of `audit`. */
export interface AuditCalls {
  /** Lists what callers of a tenant wrote, and which calls were refused, without any content. */
  readonly list: (input: AuditListInput) => Promise<AuditListOutput>;
}
