/** `engines` of package.json: from here on node:sqlite needs no flag and has what is used of it. */
const NODE_VERSION_MIN = [22, 16] as const;

/** What to say of a Node that cannot run Varve; null of one that can. */
export function oldNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = NODE_VERSION_MIN;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return null;
  const needed = NODE_VERSION_MIN.join('.');
  return (
    `This is Node ${version}; Varve needs ${needed} or newer. ` +
    'Install it from https://nodejs.org.'
  );
}
