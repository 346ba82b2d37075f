/**
 * The programs of a control plane: those in the folder that `KUBEBUILDER_ASSETS` names, or links to
 * the one that is built from this module.
 */
import { existsSync } from 'node:fs';
import { access, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';

import { missingForGo, obtainGoProgram, type GoProgram } from '../go-program.ts';

export const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
export type Part = (typeof PARTS)[number];
export type ProgramName = Part | 'kubectl';

const MODULE = import.meta.dirname;
const VERSION = 'k8s.io/component-base/version';
const CONTROL_PLANE: GoProgram = {
  name: 'control-plane',
  moduleFolder: MODULE,
  sources: ['main.go'],
  package: '.',
  // Charts ask for the server's version; without these it has none.
  variables: {
    [`${VERSION}.gitVersion`]: 'v1.36.3',
    [`${VERSION}.gitMajor`]: '1',
    [`${VERSION}.gitMinor`]: '36',
  },
  packages: 2_712,
};
/** Names a folder with the programs; then nothing is built. */
const ASSETS = 'KUBEBUILDER_ASSETS';

/** What this machine lacks to start one, in words for a person; null where it lacks nothing. */
export async function missingForControlPlane(given = givenFolder()): Promise<string | null> {
  if (given === null) return missingForGo();
  const names = [...PARTS, 'kubectl'] as const;
  const found = names.map((name) => existsSync(path.join(given, name)));
  const missing = names.filter((_, n) => found[n] === false);
  return missing.length === 0 ? null : `${missing.join(', ')} in the folder of ${ASSETS}`;
}

/** The path of one program. Builds all of them where that was not done yet. */
export async function obtainProgram(name: ProgramName): Promise<string> {
  const given = givenFolder();
  if (given !== null) return path.join(given, name);
  const program = await obtainGoProgram(CONTROL_PLANE);
  const link = path.join(path.dirname(program), 'parts', name);
  await mkdir(path.dirname(link), { recursive: true });
  await linkOnce(program, link);
  return link;
}

function givenFolder(): string | null {
  const folder = process.env[ASSETS] ?? '';
  return folder === '' ? null : path.resolve(folder);
}

/** Two processes may link at once; either link is right. */
async function linkOnce(program: string, link: string): Promise<void> {
  try {
    await symlink(program, link);
  } catch (error) {
    await access(link).catch(() => {
      throw error;
    });
  }
}
