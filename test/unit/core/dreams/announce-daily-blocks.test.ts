import { describe, expect, test } from 'vitest';
import {
  announceBlock,
  announcedAtOf,
  idTaken,
  isAnnounced,
  unwrittenSubject,
} from '#core/dreams/announce-daily-blocks.ts';
import { ANN, subjectOf } from '#test/conformance/document-samples.ts';
import { NOW } from '#test/conformance/samples.ts';

const BLOCK = { tenant: 'acme', subject: ANN, at: NOW };

describe('a block that a dream is to read', () => {
  test('belongs to a daily file, and to no other kind', () => {
    const kinds = ['Daily', 'Core', 'Diary', 'Archive'] as const;
    expect(kinds.filter((kind) => isAnnounced({ kind }))).toEqual(['Daily']);
  });

  test('creates a record for a subject that has none', () => {
    const unwritten = unwrittenSubject(BLOCK, 'id-1');
    expect(unwritten).toMatchObject({ subject: ANN, subjectId: 'id-1', hasNew: false, version: 0 });
    const record = { ...unwritten, hasNew: true, announcedAt: NOW, version: 1 };
    expect(announceBlock(null, BLOCK, { subjectId: 'id-1' })).toEqual(record);
  });

  test('announces news for a known subject, under its existing id', () => {
    const known = subjectOf('acme', { hasNew: false, announcedAt: NOW - 5, version: 3 });
    const expected = { ...known, hasNew: true, announcedAt: NOW, version: 4 };
    expect(announceBlock(known, BLOCK, { subjectId: 'another' })).toEqual(expected);
  });

  test('is news even if the last announcement was later', () => {
    const known = subjectOf('acme', { hasNew: false, announcedAt: NOW + 5 });
    const after = announceBlock(known, BLOCK, { subjectId: known.subjectId });
    expect(after).toMatchObject({ hasNew: true, announcedAt: NOW + 5 });
  });

  test('is announced at the time of the announcement, or else at its own', () => {
    expect(announcedAtOf(BLOCK, { subjectId: 'id-1' })).toBe(NOW);
    expect(announcedAtOf(BLOCK, { subjectId: 'id-1', announcedAt: NOW + 9 })).toBe(NOW + 9);
  });

  test('has an error code for the id of another subject', () => {
    expect(idTaken().code).toBe('CONFLICT');
  });
});
