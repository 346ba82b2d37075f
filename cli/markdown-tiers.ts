/** The Markdown tiers and dreams as the library offers them: procedures bound to who calls. */
import { appendDaily, getDaily } from '#api/daily.ts';
import type {
  AppendDaily,
  EditDocument,
  GetDaily,
  GetDocument,
  ListDocuments,
  ListVersions,
  RestoreDocument,
} from '#api/document-inputs.ts';
import {
  editDocument,
  getDocument,
  listDocuments,
  listVersions,
  restoreDocument,
} from '#api/documents.ts';
import { approveDream, rejectDream } from '#api/dream-decisions.ts';
import type {
  ApproveDream,
  DreamStatus,
  GetDream,
  ListDreams,
  ListSchedules,
  RejectDream,
  RunDream,
} from '#api/dream-inputs.ts';
import { dreamStatus, getDream, listDreams, listSchedules, runDream } from '#api/dreams.ts';
import type { ApiPorts } from '#api/ports.ts';
import type { Principal } from '#api/principal.ts';

type Answer<T extends (...args: never) => unknown> = ReturnType<T>;

export interface MarkdownTiers {
  readonly daily: {
    /** Appends a block to the daily file of a subject, by its own calendar. */
    append(input: AppendDaily): Answer<typeof appendDaily>;
    get(input: GetDaily): Answer<typeof getDaily>;
  };
  /** Files of a subject. What is written whole, and can be edited, is MEMORY.md. */
  readonly document: {
    list(input: ListDocuments): Answer<typeof listDocuments>;
    get(input: GetDocument): Answer<typeof getDocument>;
    edit(input: EditDocument): Answer<typeof editDocument>;
    versions(input: ListVersions): Answer<typeof listVersions>;
    /** Makes MEMORY.md say again what one of its versions says. */
    restore(input: RestoreDocument): Answer<typeof restoreDocument>;
  };
  readonly dream: {
    /** `deep_dream(lookback_days = N)`; without Temporal it has ended when this resolves. */
    run(input: RunDream): Answer<typeof runDream>;
    /** How the last dream of a subject ended. */
    status(input: DreamStatus): Answer<typeof dreamStatus>;
    get(input: GetDream): Answer<typeof getDream>;
    list(input: ListDreams): Answer<typeof listDreams>;
    approve(input: ApproveDream): Answer<typeof approveDream>;
    reject(input: RejectDream): Answer<typeof rejectDream>;
    /** When the DeepDreams of a tenant come next, and what became of the last time. */
    schedules(input: ListSchedules): Answer<typeof listSchedules>;
  };
}

export function markdownTiers(ports: ApiPorts, principal: Principal): MarkdownTiers {
  return {
    daily: {
      append: (input) => appendDaily(ports, principal, input),
      get: (input) => getDaily(ports, principal, input),
    },
    document: {
      list: (input) => listDocuments(ports, principal, input),
      get: (input) => getDocument(ports, principal, input),
      edit: (input) => editDocument(ports, principal, input),
      versions: (input) => listVersions(ports, principal, input),
      restore: (input) => restoreDocument(ports, principal, input),
    },
    dream: {
      run: (input) => runDream(ports, principal, input),
      status: (input) => dreamStatus(ports, principal, input),
      get: (input) => getDream(ports, principal, input),
      list: (input) => listDreams(ports, principal, input),
      approve: (input) => approveDream(ports, principal, input),
      reject: (input) => rejectDream(ports, principal, input),
      schedules: (input) => listSchedules(ports, principal, input),
    },
  };
}
