import { expect, test } from 'vitest';
import { oldNode } from '#cli/node-version.ts';

test.each(['22.16.0', '22.23.3', '24.0.0', '30.1.2'])('Node %s runs Varve', (version) => {
  expect(oldNode(version)).toBeNull();
});

test.each(['18.20.8', '20.20.2', '22.15.1'])('Node %s is told what Varve needs', (version) => {
  expect(oldNode(version)).toContain(`This is Node ${version}; Varve needs 22.16 or newer.`);
});
