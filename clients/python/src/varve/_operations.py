"""Operations and their types, made from the table of them by npm run docs:api."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Iterator, List, Literal, Optional, TypedDict, Union

from ._transport import ALL, RETRIES_DEFAULT, TIMEOUT_SECONDS, Transport, narrowed


class Identifiers(TypedDict, total=False):
    agentId: str
    userId: str
    sessionId: str
    projectId: str
    teamId: str
    orgId: str
    companyId: str

class MemoryOrigin(TypedDict):
    channel: Literal["api", "import", "extraction", "dream", "promotion"]
    principal: str
    sources: List[str]

class Memory(TypedDict, total=False):
    tenant: str
    id: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    kind: Literal["memory", "entity"]
    content: str
    contentHash: str
    key: Optional[str]
    tags: List[str]
    metadata: Dict[str, Any]
    origin: "MemoryOrigin"
    trust: Literal["untrusted", "observed", "stated", "verified"]
    validFrom: int
    utcOffset: int
    validTo: Optional[int]
    supersededBy: Optional[str]
    expiresAt: Optional[int]
    state: Literal["active", "superseded", "quarantined"]
    isRepeat: Literal[True]
    mentions: List[str]
    version: int
    createdAt: int
    updatedAt: int
    tokenCount: int
    embeddingGeneration: Optional[str]
    vector: Optional[List[float]]

class ScopeEffect(TypedDict):
    changes: int
    dueAt: Optional[int]
    trigger: Optional[Literal["Changes", "Interval", "MaxAge", "Urgent", "Recipe", "Requested"]]

class StoredMemory(TypedDict):
    memory: "Memory"
    embeddingGenerated: bool
    deduplicated: bool
    scope: "ScopeEffect"

class MemoryBulkAddMemoriesItemExtracted(TypedDict, total=False):
    sessionId: str
    turnId: str
    supersedes: List[str]
    repeats: str

class MemoryBulkAddMemoriesItem(TypedDict, total=False):
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    identifiers: "Identifiers"
    content: str
    key: str
    onConflict: Literal["update", "error"]
    deduplicate: Literal["Exact"]
    kind: Literal["memory", "entity"]
    tags: List[str]
    metadata: Dict[str, Any]
    at: Union[int, str, datetime]
    expiresAt: Union[int, str, datetime]
    extracted: "MemoryBulkAddMemoriesItemExtracted"

class AddedItem(TypedDict):
    ok: Literal[True]
    id: str
    key: Optional[str]
    version: int
    embeddingGenerated: bool
    deduplicated: bool

class ItemFailureError(TypedDict):
    code: Literal["INVALID_INPUT", "MISSING_IDENTIFIER", "INVALID_LAYER", "CONTENT_TOO_LONG", "UNAUTHENTICATED", "FORBIDDEN", "MEMORY_NOT_FOUND", "NOT_FOUND", "CONFLICT", "BUDGET_EXHAUSTED", "CONTEXT_LIMIT_TOO_SMALL", "FILTER_TOO_BROAD", "TENANT_CLAIMED", "RATE_LIMITED", "PROVIDER_ERROR", "PROVIDER_REJECTED", "MISSING_PACKAGE", "MODEL_OUTPUT_INVALID", "TIMEOUT", "CANCELLED", "CORRUPT"]
    message: str
    retryable: bool
    details: Dict[str, Any]

class ItemFailure(TypedDict):
    ok: Literal[False]
    error: "ItemFailureError"

class MemoryBulkAddOutput(TypedDict):
    items: List[Union["AddedItem", "ItemFailure"]]
    succeeded: int
    failed: int

class MemoryDeleteOutput(TypedDict):
    success: Literal[True]
    deleted: bool
    scope: Optional["ScopeEffect"]

class DeletedItem(TypedDict):
    ok: Literal[True]
    id: str

class MemoryBulkDeleteOutput(TypedDict):
    items: List[Union["DeletedItem", "ItemFailure"]]
    succeeded: int
    failed: int

class MemoryAddMessagesMessagesItem(TypedDict, total=False):
    id: str
    role: Literal["user", "assistant", "system", "tool"]
    speaker: str
    content: str
    at: Union[int, str, datetime]

class MemoryAddMessagesOutputResultsItem(TypedDict, total=False):
    event: Literal["ADD", "SUPERSEDE", "NOOP"]
    id: Optional[str]
    text: str
    supersedes: List[str]
    kind: Literal["Self", "Preference", "Instruction", "Possession", "Decision", "Ownership", "Date", "Task", "Goal", "Lesson"]
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    source: str
    reason: Literal["Known", "Outdated"]

class MemoryAddMessagesOutput(TypedDict, total=False):
    results: List["MemoryAddMessagesOutputResultsItem"]
    extractedBy: Literal["Model", "Rules"]
    reason: Literal["NoModel", "WorkersOnly", "Unavailable", "Refused", "Unusable", "Unsupported", "TooLong", "BudgetExhausted"]

class MemorySearchOutputHitsItemTurn(TypedDict):
    sessionId: str
    speaker: str
    role: str
    content: str
    trust: Literal["untrusted", "observed", "stated", "verified"]

class Subject(TypedDict):
    kind: Literal["agent", "user"]
    id: str

class MemorySearchOutputHitsItemLine(TypedDict):
    subject: "Subject"
    path: str
    heading: Optional[str]
    sources: List[str]
    trust: Literal["untrusted", "observed", "stated", "verified"]

class MemorySearchOutputHitsItemExplanation(TypedDict):
    cosine: Optional[float]
    generation: Optional[str]
    keyword: Optional[float]
    similarity: Optional[float]
    semanticScore: Optional[float]
    keywordScore: Optional[float]
    path: Literal["Memory", "VectorIndex", "CandidateIds", "ExactScan"]

class MemorySearchOutputHitsItem(TypedDict, total=False):
    source: Literal["memory", "turn", "line"]
    id: str
    text: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    at: int
    utcOffset: float
    score: float
    memory: Optional["Memory"]
    turn: Optional["MemorySearchOutputHitsItemTurn"]
    line: Optional["MemorySearchOutputHitsItemLine"]
    outdated: bool
    outdatedInPart: bool
    conflictsWith: List[str]
    explanation: Optional["MemorySearchOutputHitsItemExplanation"]

class MemorySearchOutputDuplicatesItem(TypedDict):
    id: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    of: str
    similarity: float

class MemorySearchOutputNearestMissesItem(TypedDict):
    id: str
    score: float

class MemorySearchOutputNothingFoundScopesItem(TypedDict):
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    id: str
    memories: int

class MemorySearchOutputNothingFoundElsewhereItem(TypedDict):
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    id: str

class MemorySearchOutputNothingFound(TypedDict):
    scopes: List["MemorySearchOutputNothingFoundScopesItem"]
    sessions: int
    lines: int
    moreIdentifiers: List[str]
    elsewhere: List["MemorySearchOutputNothingFoundElsewhereItem"]
    nearestScore: Optional[float]

class MemorySearchOutputPathsItem(TypedDict):
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    path: Literal["Memory", "VectorIndex", "CandidateIds", "ExactScan"]
    compared: int

class MemorySearchOutput(TypedDict):
    hits: List["MemorySearchOutputHitsItem"]
    searchedLayers: List[Literal["agent", "user", "session", "project", "team", "org", "company"]]
    skippedLayers: List[Literal["agent", "user", "session", "project", "team", "org", "company"]]
    duplicates: List["MemorySearchOutputDuplicatesItem"]
    degraded: bool
    degradedReason: Optional[str]
    nearestMisses: List["MemorySearchOutputNearestMissesItem"]
    nothingFound: Optional["MemorySearchOutputNothingFound"]
    paths: List["MemorySearchOutputPathsItem"]

class ListedMemory(TypedDict, total=False):
    tenant: str
    id: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    kind: Literal["memory", "entity"]
    content: str
    contentHash: str
    key: Optional[str]
    tags: List[str]
    metadata: Dict[str, Any]
    origin: "MemoryOrigin"
    trust: Literal["untrusted", "observed", "stated", "verified"]
    validFrom: int
    utcOffset: int
    validTo: Optional[int]
    supersededBy: Optional[str]
    expiresAt: Optional[int]
    state: Literal["active", "superseded", "quarantined"]
    isRepeat: Literal[True]
    mentions: List[str]
    version: int
    createdAt: int
    updatedAt: int
    tokenCount: int
    embeddingGeneration: Optional[str]
    vector: Optional[List[float]]
    outdated: bool
    outdatedInPart: bool
    outdatedBy: List[str]

class MemoryListOutput(TypedDict):
    memories: List["ListedMemory"]
    nextCursor: Optional[str]
    totalCount: int

class MemoryHistoryOutputChangesItem(TypedDict):
    tenant: str
    memoryId: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    version: int
    at: int
    principal: str
    action: Literal["Added", "Updated", "United", "Superseded", "Restored", "Deleted"]
    before: Dict[str, Any]

class MemoryHistoryOutput(TypedDict):
    changes: List["MemoryHistoryOutputChangesItem"]

class MemoryCompactOutputCounts(TypedDict):
    sessions: int
    turns: int
    quotes: int
    bytesFreed: int
    unsummarized: int
    waiting: int
    answers: int

class MemoryCompactOutput(TypedDict):
    state: Literal["Preview", "Started", "UnderWay", "Done"]
    counts: Optional["MemoryCompactOutputCounts"]

class MemoryCompactionStatusOutput(TypedDict):
    state: Literal["Never", "UnderWay", "Done", "Failed"]
    counts: Optional["MemoryCompactOutputCounts"]

class ErasureErasedItem(TypedDict):
    kind: Literal["Memory", "Turn", "Session", "User", "Document", "Line", "Proposal", "ApiKey", "Call", "AuditEntry", "Record"]
    count: int

class ErasureReceiptOf(TypedDict):
    kind: Literal["Memory", "Session", "User", "Turn", "Tenant"]
    fingerprint: Optional[str]

class ErasureReceiptErasedItem(TypedDict):
    kind: Literal["Memory", "Turn", "Session", "User", "Document", "Line", "Proposal", "ApiKey", "Call", "AuditEntry", "Record"]
    count: int
    fingerprints: List[str]

class ErasureReceiptFiles(TypedDict):
    engine: Literal["sqlite", "mongodb"]
    rewritten: bool
    remains: List[Literal["FreedBlocks", "Journal", "Oplog"]]

class ErasureReceipt(TypedDict):
    sequence: int
    id: str
    of: "ErasureReceiptOf"
    by: str
    again: Optional[str]
    requestedAt: int
    erasedAt: int
    erased: List["ErasureReceiptErasedItem"]
    files: "ErasureReceiptFiles"
    previousHash: str
    hash: str

class Erasure(TypedDict):
    state: Literal["Preview", "Done", "Nothing"]
    erased: List["ErasureErasedItem"]
    receipt: Optional["ErasureReceipt"]

class ReviewTarget(TypedDict):
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str

class ReviewProposed(TypedDict):
    at: int
    principal: str
    reason: str

class Review(TypedDict):
    id: str
    kind: Literal["Turn", "Promotion"]
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    sourceId: str
    rule: Optional[Literal["Override", "Address", "Role", "Remember", "Summary", "Answer", "Hidden", "Sending"]]
    target: Optional["ReviewTarget"]
    proposed: Optional["ReviewProposed"]
    state: Literal["Waiting", "Approved", "Refused", "Outdated"]
    decision: Optional["ReviewProposed"]
    memoryId: Optional[str]
    at: int
    text: Optional[str]
    tags: List[str]
    metadata: Dict[str, Any]
    by: Optional[str]

class ConversationAppendTurnsItemToolCallsItem(TypedDict, total=False):
    id: str
    name: str
    arguments: Dict[str, Any]

class ConversationAppendTurnsItem(TypedDict, total=False):
    id: str
    role: Literal["user", "assistant", "system", "tool"]
    speaker: str
    content: str
    toolCalls: List["ConversationAppendTurnsItemToolCallsItem"]
    toolCallId: str
    at: Union[int, str, datetime]

class ConversationAppendOutputSkippedItem(TypedDict):
    id: str
    reason: Literal["Deleted", "Differs", "Blank"]

class ConversationAppendOutput(TypedDict, total=False):
    appended: float
    ids: List[str]
    skipped: List["ConversationAppendOutputSkippedItem"]

class ConversationMessagesOutputMessagesItemToolCallsItem(TypedDict):
    id: str
    name: str
    arguments: Dict[str, Any]

class ConversationMessagesOutputMessagesItem(TypedDict, total=False):
    id: str
    role: Literal["user", "assistant", "system", "tool"]
    speaker: Optional[str]
    content: str
    toolCalls: List["ConversationMessagesOutputMessagesItemToolCallsItem"]
    toolCallId: Optional[str]
    at: int
    utcOffset: float
    sequence: int

class ConversationMessagesOutput(TypedDict):
    messages: List["ConversationMessagesOutputMessagesItem"]
    nextAfter: Optional[int]
    nextBefore: Optional[int]

class ConversationListOutputSessionsItem(TypedDict):
    sessionId: str
    identifiers: "Identifiers"
    firstAt: int
    lastAt: int
    endedAt: Optional[float]
    tags: List[str]

class ConversationListOutput(TypedDict):
    sessions: List["ConversationListOutputSessionsItem"]
    nextCursor: Optional[str]

class ConversationEndOutput(TypedDict):
    ended: bool

class ConversationFlushOutput(TypedDict):
    state: Literal["Done", "Started"]
    turns: int
    results: List["MemoryAddMessagesOutputResultsItem"]
    daily: Optional[str]

class ConversationDeleteOutput(TypedDict):
    deleted: List[str]

class ConversationSummarizeMessagesItem(TypedDict, total=False):
    role: Literal["user", "assistant", "system", "tool"]
    speaker: str
    content: str

class ConversationSummarizeOutput(TypedDict):
    text: str
    model: str
    inputTokens: int
    outputTokens: int
    microDollars: int

class SummaryGetOutputFactsItemDerived(TypedDict):
    operation: Literal["sum", "count", "difference", "average", "min", "max", "duration"]
    ids: List[str]

class SummaryGetOutputFactsItem(TypedDict, total=False):
    text: str
    sources: List[str]
    quote: Optional[str]
    speaker: Optional[str]
    trust: Literal["untrusted", "observed", "stated", "verified"]
    at: int
    derived: "SummaryGetOutputFactsItemDerived"
    depths: List[Literal["sentence", "paragraph", "detailed"]]
    marks: List[Literal["SourceWording"]]

class SummaryGetOutputUsage(TypedDict):
    inputTokens: int
    outputTokens: int

class FreshnessHoldExhaustion(TypedDict):
    measure: Literal["tokens", "microDollars"]
    limit: int
    spent: int
    reserved: int
    requested: int
    periodEndsAt: int

class FreshnessHold(TypedDict):
    until: int
    dueAt: int
    code: str
    since: int
    exhaustion: Optional["FreshnessHoldExhaustion"]

class FreshnessDeadLetter(TypedDict):
    code: str
    reason: str
    at: int

class Freshness(TypedDict):
    stale: bool
    reason: Optional[Literal["NeverGenerated", "SourceDeleted", "SourceReplaced", "SourceExpired", "SourceChanged", "MaxAge", "RecipeChanged", "LowGrounding", "Erased"]]
    since: Optional[int]
    needsRegeneration: bool
    dueAt: Optional[int]
    trigger: Optional[Literal["Changes", "Interval", "MaxAge", "Urgent", "Recipe", "Requested"]]
    changes: int
    hold: Optional["FreshnessHold"]
    deadLetter: Optional["FreshnessDeadLetter"]

class SummaryGetOutputSentencesItem(TypedDict):
    text: str
    sources: List[str]
    trust: Literal["untrusted", "observed", "stated", "verified"]
    sinceThen: bool

class SummaryGetOutput(TypedDict):
    id: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    facts: List["SummaryGetOutputFactsItem"]
    sourceHash: str
    sourceCount: int
    model: str
    usage: "SummaryGetOutputUsage"
    priceMicroDollars: int
    generatedAt: int
    checkedAt: int
    personalized: bool
    freshness: "Freshness"
    text: str
    tokens: int
    sentences: List["SummaryGetOutputSentencesItem"]
    cut: bool

class SummaryListOutputSummariesItemScope(TypedDict):
    tenant: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str

class SummaryListOutputSummariesItemSummary(TypedDict):
    id: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    facts: List["SummaryGetOutputFactsItem"]
    sourceHash: str
    sourceCount: int
    model: str
    usage: "SummaryGetOutputUsage"
    priceMicroDollars: int
    generatedAt: int
    checkedAt: int
    personalized: bool
    freshness: "Freshness"
    depths: Dict[str, Any]

class SummaryListOutputSummariesItemContextVector(TypedDict):
    generation: str
    values: List[float]

class Relevance(TypedDict):
    relevance: float
    similarity: Optional[float]
    semanticScore: Optional[float]
    keywordScore: float

class SummaryListOutputSummariesItem(TypedDict):
    scope: "SummaryListOutputSummariesItemScope"
    summary: Optional["SummaryListOutputSummariesItemSummary"]
    freshness: "Freshness"
    contextVector: Optional["SummaryListOutputSummariesItemContextVector"]
    relevance: Optional["Relevance"]

class SummaryListOutput(TypedDict):
    summaries: List["SummaryListOutputSummariesItem"]
    skippedLayers: List[Literal["agent", "user", "session", "project", "team", "org", "company"]]

class SummaryDeadLettersOutputDeadLettersItem(TypedDict):
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    code: str
    reason: str
    since: int
    changes: int

class SummaryDeadLettersOutput(TypedDict):
    deadLetters: List["SummaryDeadLettersOutputDeadLettersItem"]
    total: int

class SummaryRetryOutput(TypedDict):
    retried: int

class ContextAssembleOutputReceiptItem(TypedDict):
    kind: Literal["instructions", "layerSummary", "sessionSummary", "hotTurn", "pastTurn", "relatedEntity", "query"]
    id: str
    key: Optional[str]
    layer: Optional[Literal["agent", "user", "session", "project", "team", "org", "company"]]
    included: bool
    reason: Literal["Always", "Recent", "Relevant", "RoomLeft", "LatestSession", "OpenLayer", "OverLimit", "OverShare", "NoText", "Duplicate", "Superseded"]
    depth: Optional[Literal["sentence", "paragraph", "detailed"]]
    tokens: float
    sources: List[str]
    freshness: Optional["Freshness"]
    trust: Optional[Literal["untrusted", "observed", "stated", "verified"]]
    relevance: Optional[float]
    similarity: Optional[float]
    personalized: Optional[bool]
    sinceThen: List[str]

class ContextAssembleOutputBudget(TypedDict):
    requested: Optional[int]
    applied: int
    estimatedUsed: int

class ContextAssembleOutput(TypedDict):
    text: str
    tokens: int
    limit: int
    receipt: List["ContextAssembleOutputReceiptItem"]
    budget: "ContextAssembleOutputBudget"
    stablePrefixTokens: Optional[float]
    degraded: bool
    degradedReason: Optional[str]

class BudgetMeasure(TypedDict):
    limit: Optional[float]
    granted: int
    spent: int
    reserved: int
    left: Optional[int]

class BudgetGetOutputGrantsItemAmount(TypedDict):
    tokens: int
    microDollars: int

class BudgetGetOutputGrantsItem(TypedDict):
    id: str
    key: str
    amount: "BudgetGetOutputGrantsItemAmount"
    principal: str
    reason: str
    at: int

class BudgetGetOutput(TypedDict):
    tenant: str
    period: str
    periodEndsAt: int
    onExhausted: Literal["Reject", "ServeStale", "Extractive"]
    tokens: "BudgetMeasure"
    microDollars: "BudgetMeasure"
    callsUnderWay: int
    grants: List["BudgetGetOutputGrantsItem"]
    waitingScopes: int
    exhaustion: Optional["FreshnessHoldExhaustion"]

class BudgetGrantOutput(TypedDict):
    tenant: str
    period: str
    periodEndsAt: int
    onExhausted: Literal["Reject", "ServeStale", "Extractive"]
    tokens: "BudgetMeasure"
    microDollars: "BudgetMeasure"
    callsUnderWay: int
    grants: List["BudgetGetOutputGrantsItem"]
    waitingScopes: int
    exhaustion: Optional["FreshnessHoldExhaustion"]
    added: bool
    freedScopes: int

class DailyAppendLinesItem(TypedDict, total=False):
    text: str
    sources: List[str]

class DailyAppendOutput(TypedDict):
    path: str
    day: str
    version: int
    id: str
    lines: int
    added: bool

class DocumentLine(TypedDict, total=False):
    id: str
    heading: Optional[str]
    text: str
    sources: List[str]
    trust: Literal["untrusted", "observed", "stated", "verified"]
    at: int
    isFixed: bool
    blockId: Optional[str]

class Document(TypedDict):
    path: str
    kind: Literal["Daily", "Core", "Diary", "Archive"]
    version: float
    text: str
    lines: List["DocumentLine"]
    outdatedLines: float
    author: Literal["dream", "caller", "flush"]
    dreamId: Optional[str]
    at: int
    nextAfter: Optional[float]

class DocumentListOutput(TypedDict):
    paths: List[str]

class DocumentChange(TypedDict):
    version: int
    added: int
    removed: int

class DocumentVersionsOutputVersionsItem(TypedDict):
    version: int
    at: int
    author: Literal["dream", "caller", "flush"]
    dreamId: Optional[str]
    lines: int
    added: int
    removed: int

class DocumentVersionsOutput(TypedDict):
    versions: List["DocumentVersionsOutputVersionsItem"]
    nextBefore: Optional[int]

class DreamRunOutput(TypedDict):
    dreamId: Optional[str]
    state: Literal["Started", "Running", "NothingNew"]

class DreamStatusOutputLast(TypedDict, total=False):
    at: int
    dreamId: str
    outcome: Literal["Dreamed", "Unchanged", "NothingNew", "SameContent", "DeadLettered", "Waiting", "LowGrounding", "Outdated", "BudgetExhausted", "Failed"]
    code: str

class DreamStatusOutput(TypedDict):
    hasNew: bool
    last: Optional["DreamStatusOutputLast"]
    proposal: Optional[Literal["Waiting", "Approved", "Applied", "Rejected", "Outdated"]]
    subject: Optional["Subject"]
    subjectId: Optional[str]

class ProposedLine(TypedDict):
    heading: Optional[str]
    text: str
    sources: List[str]

class ProposalDifferenceDroppedItem(TypedDict):
    text: str
    reason: str

class ProposalDifference(TypedDict):
    added: List["ProposedLine"]
    removed: List["ProposedLine"]
    replaced: List["ProposedLine"]
    archived: List["ProposedLine"]
    dropped: List["ProposalDifferenceDroppedItem"]

class Proposal(TypedDict):
    id: str
    subject: Optional["Subject"]
    schedule: Optional[str]
    state: Literal["Waiting", "Approved", "Applied", "Rejected", "Outdated"]
    findings: List[Literal["ApprovalRequired", "TooManyRemoved", "TooManyAdded", "TooManyArchived"]]
    at: int
    baseVersion: float
    readLines: int
    decision: Optional["ReviewProposed"]
    model: str
    day: str
    difference: "ProposalDifference"
    kept: int
    leftBlocks: int
    diary: List[str]

class DreamListOutputDreamsItem(TypedDict):
    id: str
    subject: Optional["Subject"]
    schedule: Optional[str]
    state: Literal["Waiting", "Approved", "Applied", "Rejected", "Outdated"]
    findings: List[Literal["ApprovalRequired", "TooManyRemoved", "TooManyAdded", "TooManyArchived"]]
    at: int
    baseVersion: float
    readLines: int
    decision: Optional["ReviewProposed"]
    added: int
    removed: int
    archived: int
    dropped: int

class DreamListOutput(TypedDict):
    dreams: List["DreamListOutputDreamsItem"]
    nextBefore: Optional[str]

class DreamSchedulesOutputSchedulesItemLast(TypedDict):
    at: int
    started: int
    outcomes: Dict[str, Any]
    endedAt: Optional[int]

class DreamSchedulesOutputSchedulesItem(TypedDict):
    name: str
    cron: str
    timeZone: str
    nextAt: Optional[int]
    last: Optional["DreamSchedulesOutputSchedulesItemLast"]

class DreamSchedulesOutput(TypedDict):
    schedules: List["DreamSchedulesOutputSchedulesItem"]

class ReviewListOutput(TypedDict):
    reviews: List["Review"]
    nextBefore: Optional[str]

class KeyCreateOutput(TypedDict):
    id: str
    name: str
    role: Literal["read", "write", "operate", "admin"]
    identifiers: "Identifiers"
    layers: Optional[List[Literal["agent", "user", "session", "project", "team", "org", "company"]]]
    createdAt: int
    createdBy: str
    expiresAt: Optional[int]
    hasExpired: bool
    key: str

class KeyListOutputKeysItem(TypedDict):
    id: str
    name: str
    role: Literal["read", "write", "operate", "admin"]
    identifiers: "Identifiers"
    layers: Optional[List[Literal["agent", "user", "session", "project", "team", "org", "company"]]]
    createdAt: int
    createdBy: str
    expiresAt: Optional[int]
    hasExpired: bool

class KeyListOutput(TypedDict):
    keys: List["KeyListOutputKeysItem"]

class KeyRevokeOutput(TypedDict):
    revoked: Literal[True]

class AuditListOutputEntriesItem(TypedDict):
    id: str
    at: int
    principal: str
    operation: str
    outcome: str
    ids: Dict[str, Any]
    idsLeftOut: int

class AuditListOutput(TypedDict):
    entries: List["AuditListOutputEntriesItem"]
    nextAfter: Optional[str]

class EventListOutputEventsItem(TypedDict):
    id: str
    at: int
    type: Literal["memory_summary_created", "memory_summary_checked", "memory_summary_emptied", "memory_summary_refused", "memory_batch_dead_lettered", "memory_dream_ended", "memory_proposal_decided", "memory_compaction_completed", "memory_erasure_completed", "memory_policy_applied", "memory_budget_granted", "memory_refresh_retried"]
    attributes: Dict[str, Any]

class EventListOutput(TypedDict):
    events: List["EventListOutputEventsItem"]
    nextAfter: Optional[str]

class TenantGetOutputDeclaredBy(TypedDict):
    cluster: str
    namespace: str
    name: str
    generation: int
    appliedAt: int

class TenantGetOutputModelsItem(TypedDict):
    modelClass: Literal["economy", "standard"]
    provider: str
    model: str
    state: Literal["Unchecked", "Available", "Unavailable"]
    code: Optional[str]
    since: Optional[int]

class TenantGetOutputEmbeddings(TypedDict):
    active: str
    target: Optional[str]
    phase: Literal["Steady", "Filling", "Paused", "Dropping"]
    dropping: Optional[str]
    keptUntil: Optional[int]
    done: float
    missing: int

class TenantGetOutput(TypedDict):
    tenant: str
    declaredBy: Optional["TenantGetOutputDeclaredBy"]
    releasedAt: Optional[int]
    erasesAt: Optional[int]
    models: List["TenantGetOutputModelsItem"]
    embeddings: Optional["TenantGetOutputEmbeddings"]

class ErasureListOutputPendingItem(TypedDict):
    id: str
    of: "ErasureReceiptOf"
    by: str
    requestedAt: int

class ErasureListOutput(TypedDict):
    receipts: List["ErasureReceipt"]
    brokenAt: Optional[float]
    pending: List["ErasureListOutputPendingItem"]
    nextAfter: Optional[int]

class ErasureReapplyOutputOutcomesItem(TypedDict):
    id: str
    outcome: Literal["Known", "Absent", "Present", "Erased"]

class ErasureReapplyOutput(TypedDict):
    outcomes: List["ErasureReapplyOutputOutcomesItem"]

class TraceWhyOutputReview(TypedDict):
    id: str
    rule: Optional[Literal["Override", "Address", "Role", "Remember", "Summary", "Answer", "Hidden", "Sending"]]
    state: Literal["Waiting", "Approved", "Refused", "Outdated"]
    decision: Optional["ReviewProposed"]

class TraceWhyOutputMade(TypedDict):
    model: str
    inputTokens: int
    outputTokens: int
    priceMicroDollars: int
    at: int

class TraceWhyOutputFactsItem(TypedDict):
    text: str
    sources: List[str]
    quote: Optional[str]
    trust: Literal["untrusted", "observed", "stated", "verified"]

class WhySource(TypedDict):
    id: str
    kind: Literal["memory", "turn", "line", "unknown"]
    state: Optional[Literal["Current", "Stale", "Superseded", "Expired", "Quarantined", "Refused", "Deleted", "TextGone", "Erased"]]
    text: Optional[str]
    layer: Optional[Literal["agent", "user", "session", "project", "team", "org", "company"]]
    scopeId: Optional[str]
    at: Optional[int]
    by: Optional[str]
    restsOn: List[str]

class TraceWhyOutputChangesItem(TypedDict):
    version: int
    at: int
    action: Literal["Added", "Updated", "United", "Superseded", "Restored", "Deleted"]
    by: str

class TraceWhyOutputCitedByItem(TypedDict):
    summaryId: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    fact: str

class TraceWhyOutputWritesItem(TypedDict):
    at: int
    principal: str
    operation: str
    outcome: str

class TraceWhyOutput(TypedDict):
    kind: Literal["memory", "turn", "summary", "fact", "line"]
    id: str
    layer: Literal["agent", "user", "session", "project", "team", "org", "company"]
    scopeId: str
    text: Optional[str]
    state: Literal["Current", "Stale", "Superseded", "Expired", "Quarantined", "Refused", "Deleted", "TextGone", "Erased"]
    review: Optional["TraceWhyOutputReview"]
    at: Optional[int]
    by: Optional[str]
    channel: Optional[Literal["api", "import", "extraction", "dream", "promotion"]]
    supersededBy: Optional[str]
    made: Optional["TraceWhyOutputMade"]
    facts: List["TraceWhyOutputFactsItem"]
    sources: List["WhySource"]
    sourcesLeftOut: float
    changes: List["TraceWhyOutputChangesItem"]
    citedBy: List["TraceWhyOutputCitedByItem"]
    writes: Optional[List["TraceWhyOutputWritesItem"]]

class HealthOutputStore(TypedDict):
    ok: bool
    engine: str
    schemaVersion: int
    findings: List[str]

class HealthOutputRetrieval(TypedDict):
    quality: Literal["keyword", "semantic"]
    generation: str

class HealthOutputRefresh(TypedDict):
    ok: bool
    findings: List[str]
    by: Literal["inline", "temporal"]

class HealthOutput(TypedDict):
    ok: bool
    store: "HealthOutputStore"
    retrieval: "HealthOutputRetrieval"
    tokens: str
    refresh: "HealthOutputRefresh"


class MemoryCalls:
    """Operations on ``memory``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def add(
        self,
        *,
        layer: Literal["agent", "user", "session", "project", "team", "org", "company"],
        content: str,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        key: Optional[str] = None,
        on_conflict: Optional[Literal["update", "error"]] = None,
        deduplicate: Optional[Literal["Exact"]] = None,
        kind: Optional[Literal["memory", "entity"]] = None,
        tags: Optional[List[str]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        at: Optional[Union[int, str, datetime]] = None,
        expires_at: Optional[Union[int, str, datetime]] = None,
        idempotency_key: Optional[str] = None,
        include_vector: Optional[bool] = None,
    ) -> "StoredMemory":
        """Adds a memory to the scope that the layer and the identifiers name. For messages,
        use ``memory.addMessages``."""
        answer: "StoredMemory" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/memories",
            "keyed",
            {
                "layer": layer,
                "content": content,
                "tenant": tenant,
                "identifiers": identifiers,
                "key": key,
                "onConflict": on_conflict,
                "deduplicate": deduplicate,
                "kind": kind,
                "tags": tags,
                "metadata": metadata,
                "at": at,
                "expiresAt": expires_at,
                "idempotencyKey": idempotency_key,
                "includeVector": include_vector,
            },
        )
        return answer

    def bulk_add(
        self,
        *,
        memories: List["MemoryBulkAddMemoriesItem"],
        tenant: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> "MemoryBulkAddOutput":
        """Adds many memories, each with its own outcome. If one input is invalid, Varve
        refuses the whole call before it writes anything."""
        answer: "MemoryBulkAddOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/memories/bulk-add",
            "keyed",
            {
                "memories": memories,
                "tenant": tenant,
                "idempotencyKey": idempotency_key,
            },
        )
        return answer

    def get(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
        include_vector: Optional[bool] = None,
    ) -> Optional["Memory"]:
        """Returns a memory by its id, or null if no memory that is open to the caller has
        this id, or the memory has expired."""
        answer: Optional["Memory"] = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/memories/{id}",
            "read",
            {
                "id": id,
                "tenant": tenant,
                "includeVector": include_vector,
            },
        )
        return answer

    def update(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
        content: Optional[str] = None,
        tags: Optional[List[str]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        expected_version: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        include_vector: Optional[bool] = None,
    ) -> Optional["StoredMemory"]:
        """Changes the text, the tags or metadata fields of a memory. A call that changes
        nothing makes no new version."""
        answer: Optional["StoredMemory"] = self._transport.call(
            "PATCH",
            "/v1/tenants/{tenant}/memories/{id}",
            "keyed",
            {
                "id": id,
                "tenant": tenant,
                "content": content,
                "tags": tags,
                "metadata": metadata,
                "expectedVersion": expected_version,
                "idempotencyKey": idempotency_key,
                "includeVector": include_vector,
            },
        )
        return answer

    def delete(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Optional["MemoryDeleteOutput"]:
        """Deletes a memory; facts that rest on it leave every summary at once. A turn that
        says the same stays: ``conversation.delete`` deletes it. The history of the memory
        keeps the text for admins of the tenant until you erase it. For an unknown id,
        ``deleted`` is false: you can repeat the call."""
        answer: Optional["MemoryDeleteOutput"] = self._transport.call(
            "DELETE",
            "/v1/tenants/{tenant}/memories/{id}",
            "keyed",
            {
                "id": id,
                "tenant": tenant,
                "idempotencyKey": idempotency_key,
            },
        )
        return answer

    def bulk_delete(
        self,
        *,
        ids: List[str],
        tenant: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> "MemoryBulkDeleteOutput":
        """Deletes many memories. An id that does not exist, or that the caller may not see,
        counts as deleted."""
        answer: "MemoryBulkDeleteOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/memories/bulk-delete",
            "keyed",
            {
                "ids": ids,
                "tenant": tenant,
                "idempotencyKey": idempotency_key,
            },
        )
        return answer

    def add_messages(
        self,
        *,
        messages: List["MemoryAddMessagesMessagesItem"],
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        extract_by: Optional[Literal["Policy", "Rules"]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        expires_at: Optional[Union[int, str, datetime]] = None,
    ) -> "MemoryAddMessagesOutput":
        """Extracts the lasting statements of messages: preferences, facts about the user,
        decisions, owners, dates. Varve compares each with what its scope knows; a
        correction ends what it corrects. Rules read the messages, or the model that the
        policy of the tenant names; both leave out what is in doubt."""
        answer: "MemoryAddMessagesOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/memories/from-messages",
            "write",
            {
                "messages": messages,
                "tenant": tenant,
                "identifiers": identifiers,
                "extractBy": extract_by,
                "metadata": metadata,
                "expiresAt": expires_at,
            },
        )
        return answer

    def search(
        self,
        *,
        query: str,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        layers: Optional[List[Literal["agent", "user", "session", "project", "team", "org", "company"]]] = None,
        tags: Optional[List[str]] = None,
        filter: Optional[Dict[str, Any]] = None,
        kind: Optional[Literal["memory", "entity"]] = None,
        latest_only: Optional[bool] = None,
        include_vector: Optional[bool] = None,
        sources: Optional[List[Literal["memory", "turn", "line"]]] = None,
        at: Optional[Union[int, str, datetime]] = None,
        mode: Optional[Literal["hybrid", "semantic", "keyword"]] = None,
        limit: Optional[int] = None,
        threshold: Optional[float] = None,
        order: Optional[Literal["precedence", "relevance"]] = None,
        explain: Optional[bool] = None,
    ) -> "MemorySearchOutput":
        """Finds what fits a question, by words and by vectors: memories, turns of past
        sessions and lines of files in every layer that the identifiers open."""
        answer: "MemorySearchOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/memories/search",
            "read",
            {
                "query": query,
                "tenant": tenant,
                "identifiers": identifiers,
                "layers": layers,
                "tags": tags,
                "filter": filter,
                "kind": kind,
                "latestOnly": latest_only,
                "includeVector": include_vector,
                "sources": sources,
                "at": at,
                "mode": mode,
                "limit": limit,
                "threshold": threshold,
                "order": order,
                "explain": explain,
            },
        )
        return answer

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        layers: Optional[List[Literal["agent", "user", "session", "project", "team", "org", "company"]]] = None,
        tags: Optional[List[str]] = None,
        filter: Optional[Dict[str, Any]] = None,
        kind: Optional[Literal["memory", "entity"]] = None,
        latest_only: Optional[bool] = None,
        include_vector: Optional[bool] = None,
        order: Optional[Literal["newest", "oldest"]] = None,
        mark_outdated: Optional[bool] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "MemoryListOutput":
        """Lists the memories that the identifiers open, page by page, and marks what newer
        ones replace."""
        answer: "MemoryListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/memories",
            "read",
            {
                "tenant": tenant,
                "identifiers": identifiers,
                "layers": layers,
                "tags": tags,
                "filter": filter,
                "kind": kind,
                "latestOnly": latest_only,
                "includeVector": include_vector,
                "order": order,
                "markOutdated": mark_outdated,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return answer

    def history(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
        before_version: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "MemoryHistoryOutput":
        """Lists the changes of a memory, the newest first. Only admins of the tenant see
        the earlier texts of a deleted memory."""
        answer: "MemoryHistoryOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/memories/{id}/history",
            "read",
            {
                "id": id,
                "tenant": tenant,
                "beforeVersion": before_version,
                "limit": limit,
            },
        )
        return answer

    def compact(
        self,
        *,
        tenant: Optional[str] = None,
        dry_run: Optional[bool] = None,
    ) -> "MemoryCompactOutput":
        """Deletes the text of turns that are older than their retention time, once a
        summary covers them and a flush made memories of them, except sentences that
        summaries cite. Without Temporal, the call does this at once."""
        answer: "MemoryCompactOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/compaction",
            "write",
            {
                "tenant": tenant,
                "dryRun": dry_run,
            },
        )
        return answer

    def compaction_status(
        self,
        *,
        tenant: Optional[str] = None,
    ) -> "MemoryCompactionStatusOutput":
        """Returns how the last durable compaction of a tenant ended."""
        answer: "MemoryCompactionStatusOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/compaction",
            "read",
            {
                "tenant": tenant,
            },
        )
        return answer

    def erase(
        self,
        *,
        target: Any,
        tenant: Optional[str] = None,
        dry_run: Optional[bool] = None,
    ) -> "Erasure":
        """Erases a memory, a turn, a session or a person for good: the originals,
        everything made from them, their history, and every record that names them. The
        database then rewrites its files, and summaries that others share are regenerated.
        To continue an interrupted call, repeat it."""
        answer: "Erasure" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/erasures",
            "write",
            {
                "target": target,
                "tenant": tenant,
                "dryRun": dry_run,
            },
        )
        return answer

    def promote(
        self,
        *,
        id: str,
        layer: Literal["agent", "user", "session", "project", "team", "org", "company"],
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        reason: Optional[str] = None,
    ) -> "Review":
        """Proposes a memory for a broader layer, such as a team. Once a person approves it
        (``review.approve``), that layer gets a memory with the same text, which names the
        original as its source. The same text can be proposed for the same scope only once."""
        answer: "Review" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/memories/{id}/promotion",
            "write",
            {
                "id": id,
                "layer": layer,
                "tenant": tenant,
                "identifiers": identifiers,
                "reason": reason,
            },
        )
        return answer


class ConversationCalls:
    """Operations on ``conversation``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def append(
        self,
        *,
        session_id: str,
        turns: List["ConversationAppendTurnsItem"],
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        tags: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> "ConversationAppendOutput":
        """Appends turns to a session."""
        answer: "ConversationAppendOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/sessions/{sessionId}/turns",
            "keyed",
            {
                "sessionId": session_id,
                "turns": turns,
                "tenant": tenant,
                "identifiers": identifiers,
                "tags": tags,
                "idempotencyKey": idempotency_key,
            },
        )
        return answer

    def messages(
        self,
        *,
        session_id: str,
        tenant: Optional[str] = None,
        after: Optional[int] = None,
        before: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "ConversationMessagesOutput":
        """Returns the turns of a session in their order, page by page."""
        answer: "ConversationMessagesOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/sessions/{sessionId}/turns",
            "read",
            {
                "sessionId": session_id,
                "tenant": tenant,
                "after": after,
                "before": before,
                "limit": limit,
            },
        )
        return answer

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "ConversationListOutput":
        """Lists the sessions that the identifiers open, the newest first, page by page."""
        answer: "ConversationListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/sessions",
            "read",
            {
                "tenant": tenant,
                "identifiers": identifiers,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return answer

    def end(
        self,
        *,
        session_id: str,
        tenant: Optional[str] = None,
    ) -> "ConversationEndOutput":
        """Ends a session and flushes it, as ``conversation.flush`` does; if workflows run,
        in a durable run. A later turn opens the session again. Varve flushes a session
        automatically after 30 minutes of silence, or after ``sessions.endAfterSilence`` of
        the policy."""
        answer: "ConversationEndOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/sessions/{sessionId}/end",
            "write",
            {
                "sessionId": session_id,
                "tenant": tenant,
            },
        )
        return answer

    def flush(
        self,
        *,
        session_id: str,
        tenant: Optional[str] = None,
    ) -> "ConversationFlushOutput":
        """Processes the turns since the last flush: keeps their lasting statements in the
        layers that the identifiers of the session open, and appends lines to the daily file
        of the day on which they were said. Each turn takes effect once, however often you
        call this."""
        answer: "ConversationFlushOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/sessions/{sessionId}/flush",
            "write",
            {
                "sessionId": session_id,
                "tenant": tenant,
            },
        )
        return answer

    def delete(
        self,
        *,
        session_id: str,
        tenant: Optional[str] = None,
        turn_ids: List[str] = ALL,
    ) -> Optional["ConversationDeleteOutput"]:
        """Deletes turns or a whole session. They leave every context and summary at once,
        with the memories that were extracted from them. A reply that repeats the words of a
        turn is a separate turn, and stays unless you name it too."""
        answer: Optional["ConversationDeleteOutput"] = self._transport.call(
            "DELETE",
            "/v1/tenants/{tenant}/sessions/{sessionId}",
            "write",
            {
                "sessionId": session_id,
                "tenant": tenant,
                "turnIds": narrowed("turn_ids", turn_ids),
            },
        )
        return answer

    def summarize(
        self,
        *,
        messages: List["ConversationSummarizeMessagesItem"],
        tenant: Optional[str] = None,
        instruction: Optional[str] = None,
        max_tokens: Optional[int] = None,
    ) -> "ConversationSummarizeOutput":
        """Asks the model that summarizes the sessions of the tenant to write about
        messages, such as a running summary, within the budget. Varve stores only the entry
        of the ledger, with the purpose ``conversation``; a repeated call costs again."""
        answer: "ConversationSummarizeOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/conversation-summary",
            "write",
            {
                "messages": messages,
                "tenant": tenant,
                "instruction": instruction,
                "maxTokens": max_tokens,
            },
        )
        return answer


class SummaryCalls:
    """Operations on ``summary``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        layer: Literal["agent", "user", "session", "project", "team", "org", "company"],
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        depth: Optional[Literal["sentence", "paragraph", "detailed"]] = None,
    ) -> Optional["SummaryGetOutput"]:
        """Returns the summary of one layer at one depth, or null if there is none yet."""
        answer: Optional["SummaryGetOutput"] = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/summaries/{layer}",
            "read",
            {
                "layer": layer,
                "tenant": tenant,
                "identifiers": identifiers,
                "depth": depth,
            },
        )
        return answer

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        query: Optional[str] = None,
    ) -> "SummaryListOutput":
        """Lists the summaries of all layers that the identifiers open, the more specific
        first, and says how fresh each one is."""
        answer: "SummaryListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/summaries",
            "read",
            {
                "tenant": tenant,
                "identifiers": identifiers,
                "query": query,
            },
        )
        return answer

    def dead_letters(
        self,
        *,
        tenant: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "SummaryDeadLettersOutput":
        """Lists the dead letters: scopes that failed three times, the oldest first."""
        answer: "SummaryDeadLettersOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/dead-letters",
            "read",
            {
                "tenant": tenant,
                "limit": limit,
            },
        )
        return answer

    def retry(
        self,
        *,
        tenant: Optional[str] = None,
        layer: Optional[Literal["agent", "user", "session", "project", "team", "org", "company"]] = None,
        scope_id: Optional[str] = None,
    ) -> "SummaryRetryOutput":
        """Makes dead letters due again: all of a tenant, those of a layer, or one."""
        answer: "SummaryRetryOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/dead-letters/retry",
            "write",
            {
                "tenant": tenant,
                "layer": layer,
                "scopeId": scope_id,
            },
        )
        return answer


class ContextCalls:
    """Operations on ``context``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def assemble(
        self,
        *,
        query: str,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        max_tokens: Optional[int] = None,
        layer_summaries: Optional[bool] = None,
        own_session: Optional[bool] = None,
        layout: Optional[Literal["byQuestion", "cacheStable"]] = None,
        at: Optional[Union[int, str, datetime]] = None,
    ) -> "ContextAssembleOutput":
        """Assembles the context for a question inside a token limit, with a receipt that
        says why each part is in it or not."""
        answer: "ContextAssembleOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/contexts",
            "read",
            {
                "query": query,
                "tenant": tenant,
                "identifiers": identifiers,
                "maxTokens": max_tokens,
                "layerSummaries": layer_summaries,
                "ownSession": own_session,
                "layout": layout,
                "at": at,
            },
        )
        return answer


class BudgetCalls:
    """Operations on ``budget``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        tenant: Optional[str] = None,
        period: Optional[str] = None,
    ) -> "BudgetGetOutput":
        """Returns what a tenant may spend in a month, what it has spent, and what is
        reserved."""
        answer: "BudgetGetOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/budget",
            "read",
            {
                "tenant": tenant,
                "period": period,
            },
        )
        return answer

    def grant(
        self,
        *,
        reason: str,
        tenant: Optional[str] = None,
        period: Optional[str] = None,
        tokens: Optional[int] = None,
        micro_dollars: Optional[int] = None,
        key: Optional[str] = None,
    ) -> "BudgetGrantOutput":
        """Adds to the limits of one month; scopes that waited for budget are due at once."""
        answer: "BudgetGrantOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/budget/grants",
            "write",
            {
                "reason": reason,
                "tenant": tenant,
                "period": period,
                "tokens": tokens,
                "microDollars": micro_dollars,
                "key": key,
            },
        )
        return answer


class DailyCalls:
    """Operations on ``daily``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def append(
        self,
        *,
        subject: "Subject",
        tenant: Optional[str] = None,
        text: Optional[str] = None,
        lines: Optional[List["DailyAppendLinesItem"]] = None,
        heading: Optional[str] = None,
        at: Optional[Union[int, str, datetime]] = None,
        key: Optional[str] = None,
        sources: Optional[List[str]] = None,
    ) -> "DailyAppendOutput":
        """Appends a block to the daily file of a subject, in the subject’s time zone."""
        answer: "DailyAppendOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/daily",
            "write",
            {
                "subject": subject,
                "tenant": tenant,
                "text": text,
                "lines": lines,
                "heading": heading,
                "at": at,
                "key": key,
                "sources": sources,
            },
        )
        return answer

    def get(
        self,
        *,
        subject: "Subject",
        tenant: Optional[str] = None,
        day: Optional[str] = None,
        after: Optional[int] = None,
    ) -> Optional["Document"]:
        """Returns a daily file as Markdown, or null if nothing was written on that day."""
        answer: Optional["Document"] = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/daily",
            "read",
            {
                "subject": subject,
                "tenant": tenant,
                "day": day,
                "after": after,
            },
        )
        return answer


class DocumentCalls:
    """Operations on ``document``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        subject: "Subject",
        tenant: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "DocumentListOutput":
        """Lists the paths of a subject’s files, in order."""
        answer: "DocumentListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/documents",
            "read",
            {
                "subject": subject,
                "tenant": tenant,
                "after": after,
                "limit": limit,
            },
        )
        return answer

    def get(
        self,
        *,
        subject: "Subject",
        tenant: Optional[str] = None,
        path: Optional[str] = None,
        version: Optional[int] = None,
        after: Optional[int] = None,
    ) -> Optional["Document"]:
        """Returns a file as Markdown, with the sources of each line, or null if there is no
        such file."""
        answer: Optional["Document"] = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/document",
            "read",
            {
                "subject": subject,
                "tenant": tenant,
                "path": path,
                "version": version,
                "after": after,
            },
        )
        return answer

    def edit(
        self,
        *,
        subject: "Subject",
        text: str,
        expected_version: int,
        tenant: Optional[str] = None,
    ) -> "DocumentChange":
        """Writes MEMORY.md as a person edited it; no dream restores removed lines."""
        answer: "DocumentChange" = self._transport.call(
            "PUT",
            "/v1/tenants/{tenant}/document",
            "write",
            {
                "subject": subject,
                "text": text,
                "expectedVersion": expected_version,
                "tenant": tenant,
            },
        )
        return answer

    def versions(
        self,
        *,
        subject: "Subject",
        tenant: Optional[str] = None,
        before: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "DocumentVersionsOutput":
        """Lists the versions of MEMORY.md, the newest first."""
        answer: "DocumentVersionsOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/document/versions",
            "read",
            {
                "subject": subject,
                "tenant": tenant,
                "before": before,
                "limit": limit,
            },
        )
        return answer

    def restore(
        self,
        *,
        subject: "Subject",
        version: int,
        tenant: Optional[str] = None,
        expected_version: Optional[int] = None,
    ) -> "DocumentChange":
        """Restores a version of MEMORY.md, as a new version."""
        answer: "DocumentChange" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/document/restore",
            "write",
            {
                "subject": subject,
                "version": version,
                "tenant": tenant,
                "expectedVersion": expected_version,
            },
        )
        return answer


class DreamCalls:
    """Operations on ``dream``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def run(
        self,
        *,
        subject: "Subject",
        tenant: Optional[str] = None,
        lookback_days: Optional[int] = None,
    ) -> "DreamRunOutput":
        """Starts a dream of one subject; ``dream.status`` and ``dream.get`` show its
        result. Without Temporal, the dream has ended when this call returns."""
        answer: "DreamRunOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/dreams",
            "write",
            {
                "subject": subject,
                "tenant": tenant,
                "lookbackDays": lookback_days,
            },
        )
        return answer

    def status(
        self,
        *,
        tenant: Optional[str] = None,
        subject: Optional["Subject"] = None,
        subject_id: Optional[str] = None,
    ) -> "DreamStatusOutput":
        """Returns how the last dream of a subject ended, and whether there is something new
        for the next one."""
        answer: "DreamStatusOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/dreams/status",
            "read",
            {
                "tenant": tenant,
                "subject": subject,
                "subjectId": subject_id,
            },
        )
        return answer

    def get(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
    ) -> Optional["Proposal"]:
        """Returns what one dream proposed, or null if it made no proposal or has not ended."""
        answer: Optional["Proposal"] = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/dreams/{id}",
            "read",
            {
                "id": id,
                "tenant": tenant,
            },
        )
        return answer

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        subject: Optional["Subject"] = None,
        state: Optional[Literal["Waiting", "Approved", "Applied", "Rejected", "Outdated"]] = None,
        before: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "DreamListOutput":
        """Lists what dreams proposed, the newest first."""
        answer: "DreamListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/dreams",
            "read",
            {
                "tenant": tenant,
                "subject": subject,
                "state": state,
                "before": before,
                "limit": limit,
            },
        )
        return answer

    def approve(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
        reason: Optional[str] = None,
    ) -> "Proposal":
        """Approves a proposal, which is then applied."""
        answer: "Proposal" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/dreams/{id}/approve",
            "write",
            {
                "id": id,
                "tenant": tenant,
                "reason": reason,
            },
        )
        return answer

    def reject(
        self,
        *,
        id: str,
        reason: str,
        tenant: Optional[str] = None,
    ) -> "Proposal":
        """Rejects a proposal: MEMORY.md stays unchanged."""
        answer: "Proposal" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/dreams/{id}/reject",
            "write",
            {
                "id": id,
                "reason": reason,
                "tenant": tenant,
            },
        )
        return answer

    def schedules(
        self,
        *,
        tenant: Optional[str] = None,
    ) -> "DreamSchedulesOutput":
        """Returns when each DeepDream of a tenant runs next, and how its last run ended."""
        answer: "DreamSchedulesOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/dreams/schedules",
            "read",
            {
                "tenant": tenant,
            },
        )
        return answer


class ReviewCalls:
    """Operations on ``review``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        state: Optional[Literal["Waiting", "Approved", "Refused", "Outdated"]] = None,
        before: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "ReviewListOutput":
        """Lists what waits for a decision by a person, and past decisions, the newest
        first."""
        answer: "ReviewListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/reviews",
            "read",
            {
                "tenant": tenant,
                "state": state,
                "before": before,
                "limit": limit,
            },
        )
        return answer

    def approve(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
        reason: Optional[str] = None,
    ) -> "Review":
        """Approves a review; this is final. A text that was held back then counts like any
        other of its session, and a promotion becomes a memory of its layer."""
        answer: "Review" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/reviews/{id}/approve",
            "write",
            {
                "id": id,
                "tenant": tenant,
                "reason": reason,
            },
        )
        return answer

    def refuse(
        self,
        *,
        id: str,
        reason: str,
        tenant: Optional[str] = None,
    ) -> "Review":
        """Refuses a review; this is final. The text stays out for good."""
        answer: "Review" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/reviews/{id}/refuse",
            "write",
            {
                "id": id,
                "reason": reason,
                "tenant": tenant,
            },
        )
        return answer


class KeyCalls:
    """Operations on ``key``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        role: Literal["read", "write", "operate", "admin"],
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
        layers: Optional[List[Literal["agent", "user", "session", "project", "team", "org", "company"]]] = None,
        expires_at: Optional[Union[int, str, datetime]] = None,
    ) -> "KeyCreateOutput":
        """Creates an API key of a tenant. Varve stores only a hash of its secret."""
        answer: "KeyCreateOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/keys",
            "write",
            {
                "name": name,
                "role": role,
                "tenant": tenant,
                "identifiers": identifiers,
                "layers": layers,
                "expiresAt": expires_at,
            },
        )
        return answer

    def list(
        self,
        *,
        tenant: Optional[str] = None,
    ) -> "KeyListOutput":
        """Lists the API keys of a tenant, without their secrets."""
        answer: "KeyListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/keys",
            "read",
            {
                "tenant": tenant,
            },
        )
        return answer

    def revoke(
        self,
        *,
        id: str,
        tenant: Optional[str] = None,
    ) -> Optional["KeyRevokeOutput"]:
        """Revokes an API key at once, in every process, and deletes its record."""
        answer: Optional["KeyRevokeOutput"] = self._transport.call(
            "DELETE",
            "/v1/tenants/{tenant}/keys/{id}",
            "write",
            {
                "id": id,
                "tenant": tenant,
            },
        )
        return answer


class AuditCalls:
    """Operations on ``audit``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        order: Optional[Literal["newest", "oldest"]] = None,
        after: Optional[str] = None,
        since: Optional[Union[int, str, datetime]] = None,
        limit: Optional[int] = None,
    ) -> "AuditListOutput":
        """Lists what callers of a tenant wrote, and which calls were refused, without any
        content."""
        answer: "AuditListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/audit",
            "read",
            {
                "tenant": tenant,
                "order": order,
                "after": after,
                "since": since,
                "limit": limit,
            },
        )
        return answer


class EventCalls:
    """Operations on ``event``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        after: Optional[str] = None,
        types: Optional[List[Literal["memory_summary_created", "memory_summary_checked", "memory_summary_emptied", "memory_summary_refused", "memory_batch_dead_lettered", "memory_dream_ended", "memory_proposal_decided", "memory_compaction_completed", "memory_erasure_completed", "memory_policy_applied", "memory_budget_granted", "memory_refresh_retried"]]] = None,
        layers: Optional[List[Literal["agent", "user", "session", "project", "team", "org", "company"]]] = None,
        limit: Optional[int] = None,
    ) -> "EventListOutput":
        """Lists what happened in a tenant: refreshes, dreams and operations. Over REST with
        ``Accept: text/event-stream``, it streams what happens from now on."""
        answer: "EventListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/events",
            "read",
            {
                "tenant": tenant,
                "after": after,
                "types": types,
                "layers": layers,
                "limit": limit,
            },
        )
        return answer


class TenantCalls:
    """Operations on ``tenant``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def erase(
        self,
        *,
        confirm: str,
        tenant: Optional[str] = None,
    ) -> "Erasure":
        """Erases everything of a tenant for good, including its keys and its audit. Its
        policy stays until its owner removes it, and so do the receipts of erasures."""
        answer: "Erasure" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/erase-everything",
            "write",
            {
                "confirm": confirm,
                "tenant": tenant,
            },
        )
        return answer

    def get(
        self,
        *,
        tenant: Optional[str] = None,
    ) -> Optional["TenantGetOutput"]:
        """Returns which resource declares a tenant, whether it was released and will be
        erased, which models serve it, and how far a change of the embedding model is."""
        answer: Optional["TenantGetOutput"] = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}",
            "read",
            {
                "tenant": tenant,
            },
        )
        return answer


class ErasureCalls:
    """Operations on ``erasure``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        tenant: Optional[str] = None,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "ErasureListOutput":
        """Lists the receipts of erasures, and says whether their chain of hashes is intact."""
        answer: "ErasureListOutput" = self._transport.call(
            "GET",
            "/v1/tenants/{tenant}/erasures",
            "read",
            {
                "tenant": tenant,
                "after": after,
                "limit": limit,
            },
        )
        return answer

    def reapply(
        self,
        *,
        receipts: List["ErasureReceipt"],
        tenant: Optional[str] = None,
        dry_run: Optional[bool] = None,
    ) -> "ErasureReapplyOutput":
        """Erases again what a restored backup brought back, using receipts that were stored
        outside the database. Receipts contain no names: Varve compares every name of the
        tenant with them. Call it before any caller writes; a second call does nothing."""
        answer: "ErasureReapplyOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/erasures/reapply",
            "write",
            {
                "receipts": receipts,
                "tenant": tenant,
                "dryRun": dry_run,
            },
        )
        return answer


class TraceCalls:
    """Operations on ``trace``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def why(
        self,
        *,
        ref: str,
        tenant: Optional[str] = None,
        identifiers: Optional["Identifiers"] = None,
    ) -> "TraceWhyOutput":
        """Traces something that Varve says: its facts, the sources of each and their words,
        who said or stored them, which model made it and at what cost, and what was changed,
        deleted or erased."""
        answer: "TraceWhyOutput" = self._transport.call(
            "POST",
            "/v1/tenants/{tenant}/why",
            "read",
            {
                "ref": ref,
                "tenant": tenant,
                "identifiers": identifiers,
            },
        )
        return answer


class Varve:
    """A running Varve. ``tenant`` is for calls that name none."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        tenant: Optional[str] = None,
        timeout: float = TIMEOUT_SECONDS,
        retries: int = RETRIES_DEFAULT,
    ) -> None:
        self._transport = Transport(
            url, token, tenant=tenant, timeout=timeout, retries=retries
        )
        self.memory = MemoryCalls(self._transport)
        self.conversation = ConversationCalls(self._transport)
        self.summary = SummaryCalls(self._transport)
        self.context = ContextCalls(self._transport)
        self.budget = BudgetCalls(self._transport)
        self.daily = DailyCalls(self._transport)
        self.document = DocumentCalls(self._transport)
        self.dream = DreamCalls(self._transport)
        self.review = ReviewCalls(self._transport)
        self.key = KeyCalls(self._transport)
        self.audit = AuditCalls(self._transport)
        self.event = EventCalls(self._transport)
        self.tenant = TenantCalls(self._transport)
        self.erasure = ErasureCalls(self._transport)
        self.trace = TraceCalls(self._transport)

    def health(
        self,
    ) -> "HealthOutput":
        """Checks whether every part works."""
        answer: "HealthOutput" = self._transport.call(
            "GET",
            "/v1/health",
            "read",
            {
            },
        )
        return answer

    def follow(
        self,
        *,
        tenant: Optional[str] = None,
        after: Optional[str] = None,
        types: Optional[List[str]] = None,
        layers: Optional[List[str]] = None,
    ) -> Iterator[EventListOutputEventsItem]:
        """What happens in a tenant from now on; a cut connection is made again."""
        fields = {"tenant": tenant, "after": after, "types": types, "layers": layers}
        return self._transport.follow("/v1/tenants/{tenant}/events", fields)
