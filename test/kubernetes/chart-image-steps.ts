/**
 * Follows a Dockerfile without an engine: each stage is a folder that stands for its root. Read
 * and followed are WORKDIR, ENV, COPY, RUN, ENTRYPOINT and .dockerignore. Not followed, since that
 * takes an engine: the base image (this machine's Node and npm stand in for it), USER, EXPOSE, CMD,
 * and that the finished file system cannot be written.
 */
import { cp, mkdir, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Installing packages through a slow registry on a busy machine. */
const STEP_MS_MAX = 10 * 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

export interface Image {
  /** Stands for `/`. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly base: string;
  readonly entrypoint: readonly string[];
}

/** Instructions in their order; comments gone, continued lines joined. */
export function readDockerfile(text: string): readonly Instruction[] {
  const lines = text.replaceAll(/^\s*#.*\n/gmu, '').replaceAll(/\\\n\s*/gu, ' ');
  return lines.split('\n').flatMap((line) => {
    const [, name, rest] = /^(\S+)\s+(.*)$/u.exec(line.trim()) ?? [];
    return name === undefined || rest === undefined ? [] : [{ name, rest: rest.trim() }];
  });
}

interface Stage {
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  base: string;
  entrypoint: readonly string[];
}

export interface BuildOptions {
  /** Where the stages are made; empty. */
  readonly folder: string;
  /** The folder of the Dockerfile. */
  readonly context: string;
  /** Stands before PATH of every command. */
  readonly programs: string;
}

/** The last stage after all of its steps; throws with all output where a step fails. */
export async function buildImage(options: BuildOptions): Promise<Image> {
  const text = await readFile(path.join(options.context, 'Dockerfile'), 'utf8');
  const stages = new Map<string, Stage>();
  let stage: Stage | null = null;
  for (const { name, rest } of readDockerfile(text)) {
    if (name === 'FROM') {
      const [base = '', , alias = String(stages.size)] = rest.split(/\s+/u);
      const root = path.join(options.folder, alias);
      stage = { root, workdir: '/', env: {}, user: 'root', base, entrypoint: [] };
      stages.set(alias, stage);
      await mkdir(root, { recursive: true });
      continue;
    }
    if (stage === null) throw new Error(`${name} stands before FROM.`);
    await follow({ name, rest }, stage, { ...options, stages });
  }
  if (stage === null) throw new Error('The Dockerfile has no stage.');
  return stage;
}

interface Following extends BuildOptions {
  readonly stages: ReadonlyMap<string, Stage>;
}

async function follow(step: Instruction, stage: Stage, options: Following): Promise<void> {
  const { name, rest } = step;
  if (name === 'WORKDIR') {
    stage.workdir = rest;
    await mkdir(path.join(stage.root, rest), { recursive: true });
  } else if (name === 'ENV') {
    for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/gu)) stage.env[key] = value;
  } else if (name === 'COPY') await copy(rest, stage, options);
  else if (name === 'RUN') await runStep(rest, stage, options);
  else if (name === 'USER') stage.user = rest;
  else if (name === 'ENTRYPOINT') stage.entrypoint = z.array(z.string()).parse(JSON.parse(rest));
  else if (name !== 'EXPOSE' && name !== 'CMD') throw new Error(`${name} is not followed.`);
}

async function copy(rest: string, stage: Stage, { context, stages }: Following): Promise<void> {
  const [, from, places = ''] = /^(?:--from=(\w+)\s+)?(.*)$/u.exec(rest) ?? [];
  const sources = places.split(/\s+/u);
  const target = path.resolve(path.join(stage.root, stage.workdir), sources.pop() ?? '.');
  if (from !== undefined) {
    const root = stages.get(from)?.root ?? '';
    for (const source of sources) await copyStage(path.join(root, source), target);
    return;
  }
  const allowed = await contextFiles(context);
  for (const source of sources) {
    const files = source === '.' ? allowed : allowed.filter((file) => file === source);
    if (files.length === 0) throw new Error(`${source} is not in the context.`);
    for (const file of files) {
      await cp(path.join(context, file), path.join(target, file), { recursive: true });
    }
  }
}

/** By one program, since Node takes several times as long for the packages of a stage. */
async function copyStage(folder: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await promisify(execFile)('cp', ['-R', `${folder}/.`, target], { timeout: STEP_MS_MAX });
}

/** What .dockerignore lets in: this one shuts everything out and names what comes in. */
async function contextFiles(context: string): Promise<readonly string[]> {
  const text = await readFile(path.join(context, '.dockerignore'), 'utf8');
  const rules = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = rules;
  if (first !== '*' || others.some((rule) => !/^![\w.-]+$/u.test(rule))) {
    throw new Error('.dockerignore does not begin with * and go on with names alone.');
  }
  const there = new Set(await readdir(context));
  const named = others.map((rule) => rule.slice(1));
  const absent = named.filter((name) => !there.has(name));
  if (absent.length > 0) throw new Error(`.dockerignore names what is not there: ${absent.join()}`);
  return named;
}

async function runStep(command: string, stage: Stage, { programs }: Following): Promise<void> {
  const env = { ...process.env, ...stage.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` };
  const cwd = path.join(stage.root, stage.workdir);
  const limits = { timeout: STEP_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX };
  await promisify(execFile)('/bin/sh', ['-c', command], { cwd, env, ...limits });
}
