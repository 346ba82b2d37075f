/** A tenant in which one person left a canary in every field that a caller can write. */
import path from 'node:path';
import { readdir, readFile } from 'node:fs/promises';

import { libraryOf, type Library } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { dreamsInProcess, refreshInProcess } from '#cli/in-process-work.ts';
import type { PartsSettings } from '#cli/store-and-model-settings.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';

import { answerOf } from './answer-suite.ts';
import { variantOf } from './variant-suite.ts';

export const TENANT = 'acme';
/** In every canary; no word, stem or name of Varve has it. */
export const MARK = 'zyqxvwkj';
export const USER = `${MARK}user`;
export const SESSION = `${MARK}session`;
/** After the mark, what each field has; the caller's key of a call is kept as a hash alone. */
export const WORDS: readonly string[] = (
  'user session first second meta field tag key gone gonekey ware sharedkey town tea sql speaker ' +
  'turn label caller heading block daily edited answer'
).split(' ');
const PROJECT = 'shop';
const USER_SUBJECT = { kind: 'user', id: USER } as const;

/** What callers reach over one store, and the store itself. */
export interface Harness extends AsyncDisposable {
  readonly library: Library;
  readonly parts: Parts;
  readonly ports: ApiPorts;
}

export async function openHarness(dataDir: string, settings: PartsSettings = {}): Promise<Harness> {
  const parts = await openParts({
    dataDir,
    log: SILENT_LOG,
    settings: { auditDays: 9, ...settings },
  });
  const ports = {
    ...apiPortsOf(parts, dreamsInProcess(parts), null),
    refreshHere: refreshInProcess.bind(null, parts),
  };
  return {
    parts,
    ports,
    library: libraryOf(ports, LOCAL_OPERATOR),
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

/** Of the one who stays: nothing of it may go. */
export interface Kept {
  readonly memory: string;
  readonly shared: string;
}

/** Of the one who goes. */
export interface Canaries {
  /** In the layer of the user, changed once. */
  readonly memory: string;
  /** In a layer that others share. */
  readonly shared: string;
}

export async function fillBystander({ library }: Harness): Promise<Kept> {
  const own = { tenant: TENANT, layer: 'user', identifiers: { userId: 'bob' } } as const;
  const { memory } = await library.memory.add({ ...own, content: 'Bob likes tulips.' });
  const ofShop = { tenant: TENANT, layer: 'project', identifiers: { projectId: PROJECT } } as const;
  const shared = await library.memory.add({ ...ofShop, content: 'The shop opens at nine.' });
  const turns = [{ id: 'turn-1', role: 'user' as const, content: 'I live in Berlin.' }];
  const identifiers = { userId: 'bob', projectId: PROJECT };
  await library.conversation.append({ tenant: TENANT, sessionId: 'bobs', identifiers, turns });
  await library.conversation.flush({ tenant: TENANT, sessionId: 'bobs' });
  const subject = { kind: 'user', id: 'bob' } as const;
  await library.daily.append({ tenant: TENANT, subject, text: 'Bob planted tulips.' });
  return { memory: memory.id, shared: shared.memory.id };
}

/** What callers can write, and what becomes of it. */
export async function fillCanaries(harness: Harness): Promise<Canaries> {
  const { library } = harness;
  const ofUser = { tenant: TENANT, layer: 'user', identifiers: { userId: USER } } as const;
  const { memory } = await library.memory.add({
    ...ofUser,
    content: `The garden of ${MARK}first is in Hamburg.`,
    metadata: { note: `${MARK}meta`, [`${MARK}field`]: 1 },
    tags: [`${MARK}tag`],
    key: `${MARK}key`,
    idempotencyKey: `${MARK}idempotency`,
  });
  const changed = `The garden of ${MARK}second is in Bremen since May 2026.`;
  await library.memory.update({ tenant: TENANT, id: memory.id, content: changed });
  const deleted = await library.memory.add({
    ...ofUser,
    content: `${MARK}gone was here for 30 days.`,
    key: `${MARK}gonekey`,
  });
  await library.memory.delete({ tenant: TENANT, id: deleted.memory.id });
  const shared = await fillShared(harness);
  await fillSession(harness);
  await fillFiles(harness, memory.id);
  await library.refresh({ tenant: TENANT });
  await fillDerived(harness);
  const identifiers = { userId: USER, sessionId: SESSION, projectId: PROJECT };
  const query = `Where is the garden of ${MARK}second?`;
  await library.context.assemble({ tenant: TENANT, identifiers, query, layerSummaries: true });
  return { memory: memory.id, shared };
}

/** In a layer that others share. */
async function fillShared({ library }: Harness): Promise<string> {
  const { memory } = await library.memory.add({
    tenant: TENANT,
    layer: 'project',
    identifiers: { projectId: PROJECT },
    content: `The shop sells ${MARK}ware for 12 euros.`,
    key: `${MARK}sharedkey`,
  });
  return memory.id;
}

async function fillSession({ library }: Harness): Promise<void> {
  const identifiers = { userId: USER, agentId: 'helper', projectId: PROJECT };
  const said = [
    `I live in ${MARK}town.`,
    `My favorite drink is ${MARK}tea.`,
    `We decided to use ${MARK}sql for the orders of the shop.`,
  ];
  const turns = said.map((content, n) => ({
    id: `${MARK}turn-${String(n)}`,
    role: 'user' as const,
    speaker: `${MARK}speaker`,
    content,
  }));
  const session = { tenant: TENANT, sessionId: SESSION };
  const toolCalls = [
    { id: `${MARK}call`, name: `${MARK}tool`, arguments: { a: `${MARK}argument` } },
  ];
  const call = { role: 'assistant' as const, content: '', toolCalls };
  const result = { role: 'tool' as const, content: `${MARK}result`, toolCallId: `${MARK}call` };
  const all = [...turns, call, result];
  await library.conversation.append({
    ...session,
    identifiers,
    turns: all,
    tags: [`${MARK}label`],
  });
  await library.conversation.flush(session);
  await library.memory.add({
    tenant: TENANT,
    layer: 'session',
    identifiers: { sessionId: SESSION },
    content: `The call with ${MARK}caller lasts 40 minutes.`,
  });
  await library.conversation.delete({ ...session, turnIds: [`${MARK}turn-1`] });
}

/** Daily files, MEMORY.md and its versions, a dream with its diary. */
async function fillFiles({ library }: Harness, memory: string): Promise<void> {
  const ofUser = { tenant: TENANT, subject: USER_SUBJECT };
  await library.daily.append({
    ...ofUser,
    heading: `${MARK}heading`,
    key: `${MARK}block`,
    lines: [
      { text: `The garden of ${MARK}daily has 7 beds.`, sources: [memory] },
      { text: `${MARK}second moved to Bremen on 2026-05-01.`, sources: [`${MARK}turn-0`] },
    ],
  });
  // Rests on the memory, and is of another.
  const subject = { kind: 'agent', id: 'helper' } as const;
  const rests = { text: `${MARK}second has a garden.`, sources: [memory] };
  const stays = { text: 'The helper answers in English.', sources: [] };
  await library.daily.append({ tenant: TENANT, subject, lines: [rests, stays] });
  await library.daily.append({
    tenant: TENANT,
    subject,
    lines: [{ text: `${MARK}town was said.`, sources: [`${MARK}turn-0`] }],
  });
  await library.dream.run(ofUser);
  await library.dream.run({ tenant: TENANT, subject });
  const before = await library.document.get({ ...ofUser, path: 'MEMORY.md' });
  await library.document.edit({
    ...ofUser,
    expectedVersion: before?.version ?? 0,
    text: `${before?.text ?? ''}\n- ${MARK}edited by hand.\n`,
  });
}

/** What exists only during work, or for certain readers. */
async function fillDerived({ parts: { store }, library }: Harness): Promise<void> {
  const scope = { tenant: TENANT, layer: 'project', scopeId: PROJECT } as const;
  await store.variants.put(variantOf(scope, `user:${USER}`));
  const answer = answerOf(TENANT, { attemptId: 'open', batchId: 'open', text: `${MARK}answer` });
  await store.answers.put(answer);
  const key = { tenant: TENANT, name: 'app', role: 'write' } as const;
  await library.key.create({ ...key, identifiers: { userId: USER } });
}

/** The canary as bytes would have it: as it is, in UTF-16, and inside of any base64. */
export function formsOf(mark = MARK): readonly (readonly [form: string, bytes: Buffer])[] {
  // Of any alignment: six characters that are eight of base64, whatever is next to them.
  const inBase64 = [0, 1, 2].map((at) => btoa(mark.slice(at, at + 6)));
  return [
    ['plain', Buffer.from(mark)],
    ['upper case', Buffer.from(mark.toUpperCase())],
    ['UTF-16', Buffer.from(mark, 'utf16le')],
    ...inBase64.map((text) => ['base64', Buffer.from(text)] as const),
  ];
}

/** Files of a folder that hold the canary, and how. */
export async function tracesIn(folder: string, mark = MARK): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const bytes = await readFile(path.join(entry.parentPath, entry.name));
    for (const [form, trace] of formsOf(mark)) {
      if (bytes.includes(trace)) found.push(`${entry.name}: ${form}, ${around(bytes, trace)}`);
    }
  }
  return found;
}

/** The text at that place, to find out where it comes from. */
function around(bytes: Buffer, trace: Buffer): string {
  const at = bytes.indexOf(trace);
  return bytes.toString('latin1', Math.max(0, at - 80), at + 60).replaceAll(/[^ -~]/gu, '.');
}
