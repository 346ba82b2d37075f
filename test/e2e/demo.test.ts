/** `npm run demo`: the main job on one screen, with the example and with a person's own files. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAddresses, stackPaths } from '#cli/installation-files.ts';
import { untilGone, type Running } from './processes.ts';
import {
  LAUNCHER,
  runVarve,
  startVarve,
  temporaryFolder,
  type VarveProcess,
} from './varve-process.ts';
import { until } from './until.ts';

const LAYERS = [
  'agent release-bot',
  'user dana',
  'session 2026-11-planning',
  'project checkout',
  'team payments',
  'org commerce',
  'company acme',
];
const WIDTH_MAX = 100;

describe.concurrent('the demo', () => {
  test('DEMO-1: the example shows the whole job, ends with status 0 and leaves no process', async () => {
    await using folder = await temporaryFolder();
    const options = { cwd: folder.path, program: LAUNCHER };
    await using demo = startVarve(['demo'], options);
    const family = await everyProcessOf(demo);
    const { status, stdout, stderr } = await demo.ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^varve: /u) });
    await untilGone(family);

    const [sessions = ''] = stdout.split(/^1\. /mu);
    const [before = '', after = ''] = sessions.split('in a new session').slice(1);
    expect(before).toMatch(/│ Dana: The offsite is in Porto.*│ Dana: .* 7204\./su);
    expect(after).toMatch(/│ Dana: The offsite is in Porto, .* \(earlier\)/u);
    expect(after).toMatch(/│ Dana: About the offsite: .* to Braga\./u);
    expect(after).not.toContain('7204');
    const [summaries, changes, context, footer] = sectionsOf(stdout);
    expect(layersOf(summaries)).toEqual(LAYERS);
    for (const layer of (summaries ?? '').split(/^ {2}(?=\w)/mu).slice(1)) {
      for (const depth of ['sentence', 'paragraph', 'detailed']) {
        expect(layer).toMatch(new RegExp(`^ {4}${depth} \\(\\d+ tokens\\)`, 'mu'));
      }
      expect(layer).toMatch(/\[\S+.*\]$/mu);
    }

    expect(changes).toMatch(/^ {2}team payments: added "/mu);
    expect(changes).toMatch(/^ {2}project checkout: changed "/mu);
    expect(changes).toMatch(/^ {2}user dana: deleted "/mu);
    expect(rowOf(changes, 'user dana')).toMatch(/SourceDeleted.*urgent.*regenerated.*\d+ tokens/u);
    expect(rowOf(changes, 'project checkout')).toMatch(/SourceReplaced.*urgent.*regenerated/u);
    expect(rowOf(changes, 'team payments')).toMatch(/SourceChanged.*not yet, 1 change.*waits/u);
    expect(rowOf(changes, 'org commerce')).toMatch(/after 2 changes.*skipped, equal sources/u);
    expect(rowOf(changes, 'company acme')).toMatch(/fresh +not touched/u);

    expect(context).toContain('December 1, 2026');
    const [, used = '', limit = ''] = /(\d+) of (\d+) tokens used/u.exec(context ?? '') ?? [];
    expect(Number(used)).toBeGreaterThan(0);
    expect(Number(used)).toBeLessThanOrEqual(Number(limit));
    expect(context).toMatch(/^ {2}in +session \(detailed\).*turn-\d+/mu);
    expect(context).toMatch(/^ {2}out .*no room left/mu);

    expect(footer).toMatch(/^ {2}workflows +refresh\/acme: \d+ runs? \(completed/mu);
    expect(footer).not.toContain('http');
    expect(footer).toMatch(
      /cost +\d+ summaries made, 1 check .*0 model calls, 0 tokens .*\$0\.00/u,
    );
    expect(footer).toMatch(/time +\d+\.\d s/u);
    expect(footer).toContain(`data         ${path.join(folder.path, '.varve', 'demo')}`);
    expect(footer?.match(/^ {2}npm /gmu)).toHaveLength(3);
    expect(widest(stdout)).toBeLessThanOrEqual(WIDTH_MAX);
  });

  test('DEMO-2: the demo takes own files of three kinds, and with --keep runs until Ctrl-C', async () => {
    await using folder = await temporaryFolder();
    const inputs = await writeInputs(folder.path);
    const question = 'Who cooks on the boat?';
    const more = ['--input', ...inputs, '--question', question, '--keep'];
    const dataDir = path.join(folder.path, 'data');
    await using demo = startVarve(['demo', '--data-dir', dataDir, ...more]);
    await demo.untilSaid('It keeps running. Ctrl-C ends it');
    const stdout = demo.stdout();
    const [summaries, changes, context, footer] = sectionsOf(stdout);
    expect(footer).toMatch(/Temporal UI +http:\/\/127\.0\.0\.1:\d+/u);
    // Of the lower case letters and digits of the folder's name.
    const sessions = path.basename(folder.path).toLowerCase();
    expect(layersOf(summaries)).toEqual([
      `session ${sessions}-chat`,
      `session ${sessions}-meetings-meeting-000`,
      'project input',
    ]);
    expect(changes).toMatch(/added.*[^]*changed.*[^]*deleted/u);
    expect(context).toContain(question);
    expect(context).toContain('Ben cooks');
    expect(widest(stdout)).toBeLessThanOrEqual(WIDTH_MAX);

    const addresses = await readAddresses(stackPaths(dataDir).addresses);
    const page = await fetch(addresses?.uiUrl ?? '');
    expect(page.status).toBe(200);
    const family = await demo.family();
    demo.kill('SIGINT');
    expect((await demo.ended).status).toBe(0);
    await untilGone(family);

    // A second run empties what the first one left.
    const again = await runVarve(['demo', '--data-dir', dataDir, '--input', inputs[0]]);
    expect(again.status).toBe(0);
    expect(layersOf(sectionsOf(again.stdout)[0])).toEqual(['project input']);
    expect(await readdir(dataDir)).not.toContain('addresses.json');
  });
});

/** The parts of the output by their headings. */
function sectionsOf(stdout: string): readonly string[] {
  return stdout.split(/^\d\. /mu).slice(1);
}

function layersOf(summaries = ''): readonly string[] {
  return [...summaries.matchAll(/^ {2}(\w+ \S+) {2}\d+ facts? from \d+ sources?, fresh$/gmu)].map(
    ([, name = '']) => name,
  );
}

function rowOf(changes: string | undefined, scope: string): string {
  return changes?.split('\n').find((line) => line.startsWith(`  ${scope}  `)) ?? '';
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

/** All parts of a demo as soon as they run: launcher, command, server, watchdog, worker. */
async function everyProcessOf(demo: VarveProcess): Promise<readonly Running[]> {
  return until('every part of the demo runs', async () => {
    const family = await demo.family();
    return family.some(({ command }) => command.includes('main.ts worker')) ? family : null;
  });
}

async function writeInputs(folder: string): Promise<readonly [string, string, string]> {
  const notes = path.join(folder, 'notes');
  const chat = path.join(folder, 'chat.jsonl');
  const meetings = path.join(folder, 'meetings.jsonl');
  await mkdir(notes);
  await writeFile(
    path.join(notes, 'plan.md'),
    '# Boat\n\nThe boat is painted blue. It needs 3 litres of paint.\n\n## Crew\n\n' +
      'Anna steers and Ben cooks.\n\n## Route\n\nThe trip goes from Kiel to Malmö in 4 days.\n',
  );
  const chatLines = [
    { role: 'user', content: 'When do we leave for Malmö?', at: '2026-05-01T09:00:00Z' },
    {
      role: 'assistant',
      content: 'The ferry leaves Kiel on 12 May at 18:45.',
      at: '2026-05-01T09:01:00Z',
    },
  ];
  await writeFile(chat, chatLines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const meeting = {
    meeting_transcripts: [
      { speaker: 'Anna', content: 'We decided to buy 2 new sails for 900 euros.' },
      { speaker: 'Ben', content: 'I order the sails by 3 May at the shop in Kiel.' },
    ],
  };
  await writeFile(meetings, `${JSON.stringify(meeting)}\n`);
  return [notes, chat, meetings];
}
