/** A local embedding model, used by a person's commands; the test makes a tiny one. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeTinyModel } from '#test/unit/onnx/tiny-model.ts';
import { runVarve, temporaryFolder } from './varve-process.ts';

const QUESTION = ['search', 'car', '--mode', 'semantic'];

describe('varve --embedder local', () => {
  test('makes a search find by meaning, and an empty search and doctor offer it', async () => {
    await using folder = await temporaryFolder();
    const model = path.join(folder.path, 'tiny');
    await writeTinyModel(model);
    await writeFile(path.join(folder.path, 'note.md'), 'automobile\n');
    const env = { VARVE_LOCAL_MODEL: model };
    const varve = (args: readonly string[]) => runVarve(args, { cwd: folder.path, env });

    expect(await varve(['import', 'note.md', '--data-dir', 'words'])).toMatchObject({ status: 0 });
    const byWords = await varve([...QUESTION, '--data-dir', 'words']);
    expect(byWords.stdout).toContain('Only words were compared. --embedder local finds by meaning');
    const offered = await varve(['doctor', '--data-dir', 'words']);
    expect(offered.stdout).toMatch(/^note {3}embedder .*keyword quality.*--embedder local/mu);

    const local = ['--data-dir', 'meaning', '--embedder', 'local'];
    expect(await varve(['import', 'note.md', ...local])).toMatchObject({ status: 0 });
    const byMeaning = await varve([...QUESTION, '--threshold', '0', ...local]);
    expect(byMeaning.stdout).toMatch(/^ +[01]\.\d\d +project .*automobile/mu);
    const looked = await varve(['doctor', ...local]);
    expect(looked.stdout).toMatch(/^ok {5}embedder .*tiny-4-[0-9a-f]{8} on this machine answers/mu);
    expect(looked.stdout).toMatch(/^ok {5}retrieval .*tiny-4-/mu);
  });

  test('doctor reports a missing model and downloads nothing', async () => {
    await using folder = await temporaryFolder();
    const data = ['--data-dir', path.join(folder.path, 'data')];
    await writeFile(path.join(folder.path, 'note.md'), 'automobile\n');
    const imported = await runVarve(['import', path.join(folder.path, 'note.md'), ...data]);
    expect(imported).toMatchObject({ status: 0 });
    const asked = (env: Readonly<Record<string, string>>) =>
      runVarve(['doctor', '--embedder', 'local', ...data], {
        env: { VARVE_CACHE_DIR: path.join(folder.path, 'cache'), ...env },
      });
    const named = await asked({ VARVE_LOCAL_MODEL_URL: 'http://127.0.0.1:9' });
    expect(named.stdout).toMatch(/^note {3}embedder .*multilingual-e5-small is not in .*:9\.$/mu);
    const placed = await asked({ VARVE_LOCAL_MODEL: path.join(folder.path, 'nowhere') });
    expect(placed.status).toBe(1);
    expect(placed.stdout).toMatch(/^WRONG {2}embedder .*NOT_FOUND: .*nowhere, is not there/mu);
  });

  test('ends a command with status 7 and the folder to fill if the server is unreachable', async () => {
    await using folder = await temporaryFolder();
    const { status, stderr } = await runVarve(['start', '--embedder', 'local'], {
      cwd: folder.path,
      env: {
        VARVE_CACHE_DIR: path.join(folder.path, 'cache'),
        VARVE_LOCAL_MODEL_URL: 'http://127.0.0.1:9',
      },
    });
    expect(status).toBe(7);
    expect(stderr).toMatch(/downloading the embedding model Xenova\/multilingual-e5-small/u);
    expect(stderr).toMatch(
      /PROVIDER_ERROR: config\.json .*can't be downloaded from 127\.0\.0\.1:9/u,
    );
    expect(stderr).toContain(path.join('models', 'Xenova--multilingual-e5-small'));
  });
});
