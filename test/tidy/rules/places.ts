/** Everything in the repository works on every machine. */
import path from 'node:path';
import { type Finding, type Rule } from '../source-file.ts';
import { lineAt } from '../syntax.ts';

/** Folders of one machine. The home of nobody, as in tests, is fine. */
const TOP_FOLDER = String.raw`(?:root|work|tmp|private|mnt)(?![\w-])`;
const HOME_FOLDER = String.raw`(?:home|Users)\/(?!nobody\b)\w`;
const MACHINE_PATH = new RegExp(
  String.raw`(?<![\w.~/-])\/(?:${TOP_FOLDER}|${HOME_FOLDER})[\w./-]*`,
  'gu',
);
const MADE = /\.(?:db|db-wal|db-shm|sqlite|tsbuildinfo|js|js\.map|d\.ts\.map|tgz)$/u;
const LINK = /(?<!!)\[[^\]]*\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/gu;

export const noMachinePaths: Rule = ({ path: file, text }) =>
  [...text.matchAll(MACHINE_PATH)].map(({ 0: found, index }) => ({
    path: file,
    line: lineAt(text, index),
    problem: `names ${found}, which only one machine has; make the path from a setting`,
  }));

/** Built things are built again; only what a person writes is kept. */
export const nothingBuilt: Rule = ({ path: file }) =>
  MADE.test(file) ? [{ path: file, line: 1, problem: 'is made by a program; leave it out' }] : [];

/** Every relative link of a Markdown file leads to a file or folder of the project. */
export function linksLead(files: ReadonlySet<string>): Rule {
  const folders = new Set([...files].flatMap((file) => foldersOf(file)));
  return ({ path: file, text }) => {
    if (!file.endsWith('.md')) return [];
    return [...text.matchAll(LINK)].flatMap(({ 1: link = '', index }): readonly Finding[] => {
      const target = path.posix.join(path.posix.dirname(file), link).replace(/\/$/u, '');
      if (files.has(target) || folders.has(target)) return [];
      const problem = `links to ${link}, which is not there`;
      return [{ path: file, line: lineAt(text, index), problem }];
    });
  };
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
