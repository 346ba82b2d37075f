/** As `engines` of package.json: from here on, node:sqlite is complete and needs no flag. */
const NODE_VERSION_MIN = [22, 16] as const;

/** Returns the message for a Node that is too old to run Varve; null if it is not. */
export function nodeVersionProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = NODE_VERSION_MIN;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return null;
  const needed = NODE_VERSION_MIN.join('.');
  return (
    `This is Node ${version}; Varve needs ${needed} or newer. ` +
    'Install it from https://nodejs.org.'
  );
}
