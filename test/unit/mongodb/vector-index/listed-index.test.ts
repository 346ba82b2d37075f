/** What a listing of indexes means for searches, and what the health check reports. */
import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';

import {
  desiredIndex,
  indexFinding,
  listedIndex,
  indexVerdict,
  type IndexVerdict,
} from '#providers/mongodb/vector-index/index-definition.ts';

const WANTED = desiredIndex('hash-1', 2);
const OLDER = desiredIndex('hash-1', 3).definition;
const { definition } = WANTED;

function row(differing: Document = {}): Document {
  return {
    name: WANTED.name,
    status: 'READY',
    queryable: true,
    latestDefinition: definition,
    latestDefinitionVersion: { version: 1 },
    statusDetail: [host({ definition, definitionVersion: { version: 1 } })],
    ...differing,
  };
}

function host(mainIndex: Document): Document {
  return { hostname: 'a', status: 'READY', queryable: true, mainIndex };
}

const CASES: readonly (readonly [string, Document | null, IndexVerdict['kind']])[] = [
  ['an index that is ready', row(), 'Ready'],
  ['an index without details of hosts', row({ statusDetail: [] }), 'Ready'],
  [
    'a host that names only the version',
    row({ statusDetail: [host({ definitionVersion: { version: 1 } })] }),
    'Ready',
  ],
  ['no index', null, 'Missing'],
  ['an index of another name', row({ name: 'memories-other' }), 'Missing'],
  ['an index that is being deleted', row({ status: 'DELETING' }), 'Missing'],
  ['an index that does not exist', row({ status: 'DOES_NOT_EXIST' }), 'Missing'],
  ['a first build', row({ status: 'BUILDING', queryable: false }), 'Building'],
  ['an index that waits for its build', row({ status: 'PENDING', queryable: false }), 'Building'],
  ['a failed index', row({ status: 'FAILED', queryable: false }), 'Failed'],
  ['an index that fell behind', row({ status: 'STALE' }), 'Stale'],
  ['other dimensions', row({ latestDefinition: OLDER }), 'Outdated'],
  [
    'an update in progress',
    row({ status: 'BUILDING', statusDetail: [host({ definition: OLDER })] }),
    'Updating',
  ],
  [
    'a host that has an older version',
    row({ statusDetail: [host({ definition }), host({ definitionVersion: { version: 0 } })] }),
    'Updating',
  ],
];

describe('the listing of indexes', () => {
  it.each(CASES)('VEC-06: gives the right verdict for %s', (_, listed, kind) => {
    const rows = listed === null ? [] : [listedIndex(listed)];
    expect(indexVerdict(rows, WANTED).kind).toBe(kind);
  });

  it('VEC-07: every verdict except Ready is a finding that names the index and what to do', () => {
    const kinds = ['Building', 'Missing', 'Outdated', 'Stale', 'Unreachable', 'Updating'] as const;
    const verdicts: readonly IndexVerdict[] = [
      ...kinds.map((kind) => ({ kind })),
      { kind: 'Failed', message: 'out of disk' },
      { kind: 'Refused', message: 'Unauthorized' },
    ];
    for (const verdict of verdicts) {
      const finding = indexFinding(verdict, WANTED) ?? '';
      expect(finding).toContain(WANTED.name);
      expect(finding).toMatch(/Restart|wait|Check|Drop/u);
    }
    expect(indexFinding({ kind: 'Ready' }, WANTED)).toBeNull();
  });

  it('VEC-08: a finding includes the reason of a failure, wherever the server reports it', () => {
    const failed = { status: 'FAILED', queryable: false };
    const rows = [
      row({ ...failed, message: 'out of disk' }),
      row({ ...failed, statusDetail: [host({ message: 'out of disk' })] }),
    ];
    for (const each of rows) {
      const verdict = indexVerdict([listedIndex(each)], WANTED);
      expect(indexFinding(verdict, WANTED)).toContain('out of disk');
    }
  });
});
