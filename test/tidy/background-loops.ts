/**
 * What runs on by itself while a process of Varve runs, and the test in which a failure of what it
 * calls does not end it. Vitest fails a run in which a rejection is handled by nobody, so each of
 * these tests also shows that there is none.
 */

export interface BackgroundLoop {
  /** As `find-loops.ts` names it. */
  readonly place: string;
  readonly does: string;
  /** The file of its test, and the beginning of the test's name. */
  readonly proof: readonly [file: string, name: string];
}

const HERE = 'test/unit/background-loops.test.ts';

/** Loops and timers that the sources have. */
export const BACKGROUND: readonly BackgroundLoop[] = [
  {
    place: 'api/rest/event-stream.ts follow',
    does: 'passes events on to a subscriber',
    proof: ['test/unit/api/events.test.ts', 'if the store fails, the client reconnects'],
  },
  {
    place: 'api/rest/event-stream.ts passOn',
    does: 'reads the pages of one poll of the events',
    proof: ['test/unit/api/events.test.ts', 'if the store fails, the client reconnects'],
  },
  {
    place: 'api/tls-certificate.ts keepPair',
    does: 'takes a new certificate',
    proof: [HERE, 'goes on if a server refuses a new certificate'],
  },
  {
    place: 'api/fair-scheduler.ts answerOn',
    does: 'answers refused calls, a few at a time',
    proof: ['test/unit/api/fair-scheduler.test.ts', 'are all answered even if a timer fails'],
  },
  {
    place: 'cli/commands/api.ts keepTrying',
    does: 'connects the API to Temporal',
    proof: [HERE, 'goes on if Temporal cannot be reached'],
  },
  {
    place: 'cli/commands/mcp.ts keepRefreshing',
    does: 'refreshes what is due beside an MCP server',
    proof: [HERE, 'goes on if a refresh beside an MCP server fails'],
  },
  {
    place: 'cli/model-providers/model-checks.ts turn',
    does: 'asks model providers whether they are there',
    proof: [
      'test/unit/cli/model-providers/model-checks.test.ts',
      'continues after the store fails',
    ],
  },
  {
    place: 'cli/probes/health-checks.ts turn',
    does: 'asks the parts of a process whether they answer',
    proof: ['test/unit/cli/health-checks.test.ts', 'report not ready while the store is down'],
  },
  {
    place: 'cli/stack/start-stack.ts keep',
    does: 'starts Temporal again',
    proof: ['test/unit/cli/stack/temporal-deaths.test.ts', 'a failed start is retried'],
  },
  {
    place: 'cli/stack/worker-child.ts supervise',
    does: 'starts the worker again',
    proof: [HERE, 'goes on if the worker cannot be started'],
  },
  {
    place: 'client/follow-events.ts follow',
    does: 'follows events over broken connections',
    proof: ['test/unit/api/events.test.ts', 'continues after a cut connection'],
  },
  {
    place: 'langgraph/memory-flush-hooks.ts #inTime',
    does: 'hands leaving messages to a hook',
    proof: [
      'test/unit/langgraph/memory-flush-hooks.test.ts',
      'has a limit of concurrent calls, and the log shows only some',
    ],
  },
  {
    place: 'operator/cluster/operator-health.ts run',
    does: 'measures how long the event loop was blocked; calls nothing but a clock',
    proof: [
      'test/unit/operator/cluster/operator-health.test.ts',
      'the longest stop of the event loop',
    ],
  },
  {
    place: 'operator/cluster/installation-upkeep.ts checkPeriodically',
    does: 'checks schedules, providers and left-over tenants',
    proof: [
      'test/unit/operator/cluster/installation-upkeep.test.ts',
      'run again half a minute after a failure',
    ],
  },
  {
    place: 'operator/folder/watch-folder.ts watchFolder',
    does: 'applies a folder of policies',
    proof: [
      'test/thorough/watch-folder.test.ts',
      'an unexpected failure of a round is logged once and retried',
    ],
  },
  {
    place: 'operator/informer/informer.ts run',
    does: 'keeps a cache of the resources of a cluster',
    proof: [
      'test/unit/operator/informer/informer.test.ts',
      'a failed list is retried with growing pauses',
    ],
  },
  {
    place: 'operator/leader/elect-leader.ts #acquire',
    does: 'waits for the Lease of the operator',
    proof: [
      'test/unit/operator/leader/elect-leader.test.ts',
      'a leader keeps the Lease despite lost answers',
    ],
  },
  {
    place: 'operator/leader/elect-leader.ts #keep',
    does: 'renews the Lease of the operator',
    proof: [
      'test/unit/operator/leader/elect-leader.test.ts',
      'a leader keeps the Lease despite lost answers',
    ],
  },
  {
    place: 'providers/mongodb/driver.ts #startTimer',
    does: 'clears the redo entry of a write; the next write of its anchor does it too',
    proof: ['test/conformance/mongodb-connection.test.ts', 'after %s, loses and repeats nothing'],
  },
  {
    place: 'providers/sqlite/search/search-thread-program.ts keepLater',
    does: 'keeps indexes of searches in the file; a failure ends the thread, another one begins',
    proof: ['test/thorough/search-threads.test.ts', 'a thread that dies between calls is replaced'],
  },
  {
    place: 'providers/sqlite/connection.ts #drain',
    does: 'commits the writes that wait',
    proof: [
      'test/unit/sqlite/write-queue.test.ts',
      'SQLITE-9: all reject and leave nothing if the transaction fails',
    ],
  },
  {
    place: 'store/retry-concurrent-writes.ts #drain',
    does: 'commits what waits for one anchor',
    proof: ['test/conformance/driver-suite.ts', 'see the writes of earlier operations'],
  },
  {
    place: 'workflows/reembed.ts walkTenants',
    does: 'embeds again; its activities are retried by Temporal',
    proof: ['test/workflows/reembed-failures.test.ts', 'REEMBED-21'],
  },
  {
    place: 'workflows/tenant-refresh.ts tenantRefresh',
    does: 'refreshes a tenant; its activities are retried by Temporal',
    proof: ['test/workflows/failures.test.ts', 'is retried three times if it cannot be reached'],
  },
];

/** Begun by an event or a promise, where no search for loops finds them. */
export const BEGUN_BY_EVENTS: readonly BackgroundLoop[] = [
  {
    place: 'operator/queue/workqueue.ts #run',
    does: 'reconciles the keys that wait',
    proof: ['test/unit/operator/queue/workqueue.test.ts', 'an exception is counted and retried'],
  },
  {
    place: 'providers/sqlite/search/search-thread.ts',
    does: 'answers searches',
    proof: ['test/thorough/search-threads.test.ts', 'a thread that dies fails its calls'],
  },
];

/** It ends by itself, and its failure goes to the caller that waits. */
export const CALLS: readonly string[] = [
  'activities/dreams/read-dream-material.ts knownBlocks',
  'activities/retention/compact-session.ts write',
  'activities/answers-to-summary.ts treeResult',
  'api/read-markdown-file.ts readFileOfBlocks',
  'api/mem0/memory-calls.ts newest',
  'cli/operator/run-cluster.ts untilOpen',
  'client/index.ts called',
  'core/refresh/refresh-round.ts lane',
  'langgraph/memory-flush-hooks.ts settled',
  'langgraph/store/varve-store.ts #memories',
  'langgraph/store/varve-store.ts #write',
  'langgraph/summarize.ts cutToFit',
  'memory/store-and-embedder-retries.ts withRetries',
  'memory/update.ts change',
  'memory/embedding-batches.ts settleAll',
  'operator/cluster/cluster-operator.ts synced',
  'providers/mongodb/driver.ts #applyTo',
  'providers/mongodb/search/documents-without-content.ts pagesWithoutContent',
  'providers/mongodb/vector-index/vector-indexes.ts ensure',
  'providers/node/exclusive-lock.ts acquireExclusiveLock',
  'providers/openai/chat-call.ts complete',
  'providers/sqlite/connection.ts patiently',
  'providers/sqlite/missing-vectors.ts windows',
  'providers/sqlite/search/search-memories.ts listed',
  'providers/sqlite/memory-terms.ts completeTerms',
  'providers/sqlite/connection.ts idle',
  'providers/temporal/server-launch.ts retry',
  'providers/temporal/server-orphan.ts isGone',
  'scripts/install-lock.mjs takeInstallLock',
  'store/erasure/scan.ts eraseAll',
  'store/policies.ts stampAll',
  'store/sessions-and-turns.ts appendTurns',
  'workflows/reembed.ts applyCommands',
];

/** A command that a person watches: its failure is its answer. */
export const COMMANDS: readonly string[] = [
  'cli/commands/compact.ts watchCompaction',
  'cli/commands/demo.ts waitUntilIdle',
  'cli/commands/dream.ts untilApplied',
  'cli/commands/dream.ts watchDream',
  'cli/commands/embeddings.ts orderCommand',
  'cli/commands/embeddings.ts untilBegun',
  'cli/commands/embeddings.ts watch',
  'cli/json-lines.ts paged',
];

/** A timer that ends, shows or reports something and calls nothing that fails. */
export const TIMERS: readonly string[] = [
  'activities/heartbeats-and-failures.ts beating',
  'api/http-server.ts startApiServer',
  'cli/shutdown.ts endWithin',
  'cli/shutdown.ts onParentGone',
  'cli/stack/worker-child.ts askMetrics',
  'client/call-retries.ts wait',
  'client/follow-events.ts connection',
  'providers/kubernetes/requests.ts within',
  'providers/node/stall-timeout.ts arm',
  'providers/onnx/embedding-thread.ts close',
  'providers/opentelemetry/tracing.ts flushed',
  'providers/sqlite/search/search-thread.ts endThread',
  'providers/temporal/server-platform.ts runCommand',
  'providers/temporal/server-process.ts stopProcess',
  'scripts/install.mjs showProgress',
  'scripts/launch-with-node.mjs endWithNpm',
];
