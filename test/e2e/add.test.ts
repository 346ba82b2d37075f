/** `varve add`: one memory from the command line. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { runVarve, temporaryFolder } from './varve-process.ts';

test('varve add adds a memory once, to the named user or to the project', async () => {
  await using folder = await temporaryFolder();
  const dataDir = ['--data-dir', path.join(folder.path, 'data')];
  const add = (...args: string[]) => runVarve(['add', ...args, ...dataDir]);

  const first = await add('Ann likes tea.', '--user', 'ann', '--tag', 'drinks', '--json');
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(first.stdout)).toMatchObject({
    memory: { layer: 'user', scopeId: 'ann', content: 'Ann likes tea.', tags: ['drinks'] },
  });
  const again = await add('Ann likes tea.', '--user', 'ann');
  expect(again.stdout).toMatch(/^The user ann already has it, as \S+; nothing was added\.\n$/u);
  const other = await add('The launch is on May 3.', '--project', 'shop');
  expect(other.stdout).toMatch(/^Added to the project shop as \S+\.\n$/u);

  const keyed = await add('Ann drinks oolong.', '--user', 'ann', '--key', 'drink');
  expect(keyed.stdout).toMatch(/^Added to the user ann as \S+\.\n$/u);
  const updated = await add('Ann drinks sencha.', '--user', 'ann', '--key', 'drink');
  expect(updated.stdout).toMatch(/^Updated \S+ of the user ann\.\n$/u);

  const found = await runVarve(['search', 'tea', '--user', 'ann', '--json', ...dataDir]);
  expect(JSON.parse(found.stdout)).toMatchObject({ hits: [{ text: 'Ann likes tea.' }] });
  const summaries = async (command: string, ...args: string[]) =>
    (await runVarve(['summaries', command, ...args, ...dataDir])).stdout;
  expect(await summaries('show', '--user', 'ann')).toMatch(/^user ann {2}no summary yet; .*\n$/u);
  expect(await summaries('refresh')).toBe('2 summaries made, 0 unchanged.\n');
  expect(await summaries('show', '--user', 'ann')).toContain('Ann likes tea.');
  const unnamed = await runVarve(['context', 'What does Ann drink?', ...dataDir]);
  expect(unnamed.stdout).toContain(
    ' has no data that this call opens. Other data is under --user ann, --project shop.',
  );
});

test('varve search says from which day on a memory holds that is to come', async () => {
  await using folder = await temporaryFolder();
  const dataDir = ['--data-dir', path.join(folder.path, 'data')];
  const day = new Date(Date.now() + 40 * 24 * 60 * 60 * 1000).toISOString();
  const ann = ['--user', 'ann', ...dataDir];
  await runVarve(['add', 'Ann lives in Bath.', '--at', day, ...ann]);
  await runVarve(['add', 'Ann lives in Leeds.', ...ann]);
  const { stdout } = await runVarve(['search', 'Where does Ann live?', ...ann]);
  expect(stdout).toContain(`Ann lives in Bath. (from ${day.slice(0, 10)})\n`);
  expect(stdout).toContain('Ann lives in Leeds.\n');
});

test('varve add names a wrong option', async () => {
  const layer = await runVarve(['add', 'x', '--layer', 'planet']);
  expect(layer).toMatchObject({ status: 2, stdout: '' });
  expect(layer.stderr).toContain('--layer takes one of agent, ');
  const session = await runVarve(['add', 'x', '--layer', 'session']);
  expect(session.stderr).toMatch(
    /MISSING_IDENTIFIER: The session layer needs an id; .* --session/u,
  );
  const at = await runVarve(['add', 'x', '--at', 'tomorrow']);
  expect(at.stderr).toContain('--at takes a date and a time with its offset');
});
