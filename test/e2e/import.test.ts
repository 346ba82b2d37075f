/** `varve import`: a second import changes only what changed; a running stack summarizes. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { startStackOn, TENANT, untilSummarized } from './running-stack.ts';
import { runVarve, temporaryFolder } from './varve-process.ts';

const CREW = 'Anna steers and Ben cooks.';
const ROUTE = 'The trip goes from Kiel to Malmö in 4 days.';
const LONGER_ROUTE = 'The trip goes from Kiel to Malmö in 5 days.';

describe.concurrent('varve import', () => {
  test('IMPORT-10: summarizes by itself without a stack, and a second import changes nothing', async () => {
    await using folder = await temporaryFolder();
    const notes = await writeNotes(folder.path, ROUTE);
    const dataDir = path.join(folder.path, 'data');
    const run = () => runVarve(['import', notes, '--data-dir', dataDir, '--project', 'boat']);

    const first = await run();
    expect(first).toMatchObject({
      status: 0,
      stdout: said(notes, '2 memories added', '1 summary'),
    });
    const before = await memoriesOf(dataDir);
    expect(before.summary).toContain('4 days');

    const second = await run();
    expect(second).toMatchObject({ status: 0, stdout: said(notes, '2 unchanged', '0 summaries') });
    expect(await memoriesOf(dataDir)).toEqual(before);

    await writeNotes(folder.path, LONGER_ROUTE);
    const third = await run();
    const what = '1 updated, 1 unchanged';
    expect(third).toMatchObject({ status: 0, stdout: said(notes, what, '1 summary') });
    const after = await memoriesOf(dataDir);
    expect(after.summary).toContain('5 days');
    expect(after.summary).not.toContain('4 days');
    expect(after.sources).toEqual(before.sources);
    expect(after.versions).toEqual([1, 2]);
  });

  test('IMPORT-11: appends the new line of a longer chat', async () => {
    await using folder = await temporaryFolder();
    const chat = path.join(folder.path, 'chat.jsonl');
    const line = (role: string, content: string) => `${JSON.stringify({ role, content })}\n`;
    const begun = line('user', 'When do we leave?') + line('assistant', 'On 12 May at 18:45.');
    const run = () => runVarve(['import', chat, '--data-dir', path.join(folder.path, 'data')]);
    await writeFile(chat, begun);
    expect((await run()).stdout).toContain('2 turns appended');
    await writeFile(chat, begun + line('user', 'Then I book the cabin today.'));
    expect((await run()).stdout).toContain('1 turn appended, 2 unchanged');
    expect((await run()).stdout).toContain('3 unchanged');
  });

  test('and varve context report that the embedder did not answer', async () => {
    await using folder = await temporaryFolder();
    const notes = await writeNotes(folder.path, ROUTE);
    const dataDir = ['--data-dir', path.join(folder.path, 'data')];
    const env = {
      VARVE_EMBEDDING_URL: 'http://127.0.0.1:9/v1',
      VARVE_EMBEDDING_MODEL: 'none',
      VARVE_EMBEDDING_DIMENSIONS: '8',
    };
    const imported = await runVarve(['import', notes, ...dataDir, '--project', 'boat'], { env });
    expect(imported.status).toBe(0);
    expect(imported.stderr).toContain('2 memories without a vector');
    const asked = ['context', 'Who steers?', ...dataDir, '--project', 'boat'];
    const { stdout } = await runVarve(asked, { env });
    expect(stdout).toContain('Anna steers');
    expect(stdout.trim().split('\n').at(-1)).toContain('words');
    const json = await runVarve([...asked, '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({
      text: expect.stringContaining('Anna steers') as string,
      receipt: expect.arrayContaining([expect.objectContaining({ kind: 'query' })]) as unknown,
      degraded: true,
    });
  });

  test('then varve summaries show and varve context print what was imported, in plain words', async () => {
    await using folder = await temporaryFolder();
    const notes = await writeNotes(folder.path, ROUTE);
    const dataDir = ['--data-dir', path.join(folder.path, 'data')];
    await runVarve(['import', notes, ...dataDir, '--project', 'boat']);
    const show = (project: string) =>
      runVarve(['summaries', 'show', ...dataDir, '--project', project]);
    const shown = await show('boat');
    expect(shown.stdout).toMatch(/^project boat {2}\d facts from 2 sources, fresh\n {2}\S/u);
    expect(shown.stdout).toContain(ROUTE);
    expect(shown.stdout).not.toContain('no summary yet');
    expect((await show('plane')).stdout).toMatch(/^Nothing to summarize in project plane, /u);
    const asked = ['context', 'Who steers?', ...dataDir, '--project', 'boat'];
    const { stdout } = await runVarve(asked);
    expect(stdout).toMatch(/^ {2}in +question /mu);
    expect(stdout).toMatch(/^ {2}(?:in|out) +related memory +project .* \d\.\d\d /mu);
  });

  test('dates turns without times at the import, and the audit has an entry', async () => {
    await using folder = await temporaryFolder();
    const chat = path.join(folder.path, 'chat.jsonl');
    await writeFile(chat, '{"role":"user","content":"The launch was moved to June 9."}\n');
    const dataDir = path.join(folder.path, 'data');
    const before = Date.now();
    const imported = await runVarve(['import', chat, '--data-dir', dataDir, '--name', 'My chat']);
    expect(imported.stdout).toContain(`${chat}: 1 turn appended in session my-chat\n`);
    await using varve = await openVarve({ dataDir });
    const tenant = 'default';
    const { messages } = await varve.conversation.messages({ tenant, sessionId: 'my-chat' });
    expect(messages[0]?.at).toBeGreaterThan(before - 1_000);
    const { entries } = await varve.audit.list({ tenant, order: 'oldest' });
    expect(entries[0]).toMatchObject({ operation: 'conversation.append', outcome: 'Done' });
  });

  test('gives each owner a separate session for the same file, and --name names one input', async () => {
    await using folder = await temporaryFolder();
    const chat = path.join(folder.path, 'chat.jsonl');
    await writeFile(chat, '{"role":"user","content":"I am here."}\n');
    const run = (...args: string[]) =>
      runVarve(['import', chat, '--data-dir', path.join(folder.path, 'data'), ...args]);
    const session = `${path.basename(folder.path).toLowerCase()}-chat`;
    for (const [owner, prefix] of [
      [[], ''],
      [['--user', 'ann'], 'ann.'],
      [['--user', 'bob'], 'bob.'],
      [['--project', 'boat'], 'project.boat.'],
    ] as const) {
      const { stdout } = await run(...owner);
      expect(stdout).toContain(`1 turn appended in session ${prefix}${session}\n`);
    }
    expect((await run('--user', 'bob', '--name', 'Log')).stdout).toContain('session bob.log\n');
    const both = await run(chat, '--name', 'both');
    expect(both.stderr).toContain('--name both names a single input');
    const all = await runVarve(['import', folder.path, '--name', 'all']);
    expect(all.stderr).toContain('this is a folder, and --name names one file');
  });

  test('IMPORT-12: leaves the summaries to the workflow of a running stack', async () => {
    await using folder = await temporaryFolder();
    const notes = await writeNotes(folder.path, ROUTE);
    const dataDir = path.join(folder.path, 'data');
    await using stack = await startStackOn(dataDir);
    const args = ['--data-dir', dataDir, '--tenant', TENANT, '--project', 'boat'];
    const { status, stdout } = await runVarve(['import', notes, ...args]);
    expect(status).toBe(0);
    expect(stdout).toContain('2 memories added');
    expect(stdout).toContain(stack.addresses.uiUrl);
    expect(await untilSummarized(stack.api, 'boat', '4 days')).toContain('Ben cooks');
  });

  test('IMPORT-13: stops at a bad line, or skips and counts it with --skip-invalid', async () => {
    await using folder = await temporaryFolder();
    const chat = path.join(folder.path, 'chat.jsonl');
    await writeFile(chat, '{"role":"user","content":"Hello Anna."}\n{oops\n');
    const args = ['import', chat, '--data-dir', path.join(folder.path, 'data')];
    const strict = await runVarve(args);
    expect(strict.status).toBe(2);
    expect(strict.stderr).toContain(`${chat}, line 2: the line is not JSON`);
    const lenient = await runVarve([...args, '--skip-invalid']);
    expect(lenient.status).toBe(0);
    expect(lenient.stdout).toContain('1 turn appended, 1 skipped in session');
    expect(lenient.stderr).toContain(`${chat}, line 2: the line is not JSON`);
  });
});

async function writeNotes(folder: string, route: string): Promise<string> {
  const notes = path.join(folder, 'notes');
  await mkdir(notes, { recursive: true });
  await writeFile(path.join(notes, 'plan.md'), `# Crew\n\n${CREW}\n\n# Route\n\n${route}\n`);
  return notes;
}

function said(notes: string, what: string, made: string): string {
  return `${notes}: ${what} in 1 scope\n${made} made, 0 unchanged.\n`;
}

/** The project's summary and what it rests on. */
async function memoriesOf(dataDir: string) {
  await using varve = await openVarve({ dataDir });
  const tenant = 'default';
  const identifiers = { projectId: 'boat' };
  const asked = { tenant, layer: 'project', identifiers, depth: 'detailed' } as const;
  const summary = await varve.summary.get(asked);
  const cited = summary?.sentences.flatMap((sentence) => sentence.sources) ?? [];
  const sources = [...new Set(cited)].toSorted();
  const memories = await Promise.all(sources.map((id) => varve.memory.get({ tenant, id })));
  const versions = memories.map((memory) => memory?.version ?? 0).toSorted((a, b) => a - b);
  return { summary: summary?.text ?? '', sources, versions };
}
