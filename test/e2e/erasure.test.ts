/** A person's words pass through the whole stack; after an erasure, none of its files has them. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stackPaths } from '#cli/installation-files.ts';
import { MARK, SESSION, tracesIn, USER } from '#test/conformance/erasure-harness.ts';
import { startStackOn, TENANT, untilSummarized, type RunningStack } from './running-stack.ts';
import { until } from './until.ts';
import { runVarve, temporaryFolder } from './varve-process.ts';

const SUBJECT = { kind: 'user', id: USER } as const;

test('erasing a user leaves nothing in the database, Temporal, logs and exports', async () => {
  await using folder = await temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  const exports = path.join(folder.path, 'exports');
  await using stack = await startStackOn(dataDir, { env: { VARVE_LOG_LEVEL: 'debug' } });
  await live(stack);
  expect(await tracesIn(dataDir)).not.toEqual([]);

  const target = { kind: 'User', id: USER } as const;
  const { receipt } = await stack.api.memory.erase({ tenant: TENANT, target });
  expect(receipt).not.toBeNull();
  await mkdir(exports);
  for (const command of ['audit', 'erasures']) {
    const place = ['--tenant', TENANT, '--data-dir', dataDir];
    const { status, stdout } = await runVarve([command, '--json-lines', ...place]);
    expect({ command, status, isEmpty: stdout === '' }).toEqual({
      command,
      status: 0,
      isEmpty: false,
    });
    await writeFile(path.join(exports, command), stdout);
  }
  stack.process.kill('SIGINT');
  const { stdout, stderr } = await stack.process.ended;
  await writeFile(path.join(exports, 'said'), stdout + stderr);
  const { temporalFolder, workerLog } = stackPaths(dataDir);
  // Temporal knows the runs, and the logs know the calls.
  for (const name of ['tenantRefresh', 'commitReceipt']) {
    expect(await tracesIn(temporalFolder, name)).not.toEqual([]);
  }
  expect(await tracesIn(path.dirname(workerLog), 'memory.erase')).not.toEqual([]);
  expect(await tracesIn(folder.path)).toEqual([]);
});

/** A session that is flushed, a shared memory, a dream, and calls that are refused. */
async function live({ api, addresses, token }: RunningStack): Promise<void> {
  const identifiers = { userId: USER, projectId: 'shop' };
  const session = { tenant: TENANT, sessionId: SESSION };
  const content = `I live in ${MARK}town. My favorite drink is ${MARK}tea.`;
  await api.conversation.append({
    ...session,
    identifiers,
    turns: [{ id: `${MARK}turn`, role: 'user', speaker: `${MARK}speaker`, content }],
  });
  await api.conversation.end(session);
  await until('the session is flushed', async () => {
    const { memories } = await api.memory.list({ tenant: TENANT, identifiers, layers: ['user'] });
    return memories.length > 0;
  });
  const ofShop = { tenant: TENANT, layer: 'project', identifiers } as const;
  await api.memory.add({ ...ofShop, content: 'The shop opens at nine.' });
  await untilSummarized(api, 'shop', 'nine');
  await api.daily.append({ tenant: TENANT, subject: SUBJECT, text: `${MARK}daily has a garden.` });
  await api.dream.run({ tenant: TENANT, subject: SUBJECT });
  await until('the dream has ended', async () => {
    const asked = { tenant: TENANT, subject: SUBJECT, path: 'MEMORY.md' };
    return (await api.document.get(asked))?.text.includes(MARK);
  });
  await api.memory.search({ tenant: TENANT, identifiers, query: `Where is ${MARK}town?` });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const wrong = { layer: `${MARK}layer`, identifiers: { [`${MARK}field`]: USER }, content };
  for (const place of ['memories', `memories/${MARK}id`, `${MARK}path?${MARK}field=1`]) {
    const body = JSON.stringify(wrong);
    const url = `${addresses.apiUrl}/v1/tenants/${TENANT}/${place}`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
}
