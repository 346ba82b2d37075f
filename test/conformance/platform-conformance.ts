/** The conformance suite of the platform port. */
import { describe, expect, it } from 'vitest';

import type { Platform } from '#core/ports/platform.ts';

const IDS = 20_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function platformConformance(name: string, open: () => Platform): void {
  describe(`the platform of ${name}`, () => {
    it('PLATFORM-1: the clock is in milliseconds since the epoch', () => {
      const { clock } = open();
      expect(Math.abs(clock() - Date.now())).toBeLessThan(1_000);
    });

    it('PLATFORM-2: the digest is SHA-256 of UTF-8 in lower-case hexadecimal', () => {
      const { digest } = open();
      expect(digest('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
      expect(digest('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
    });

    it('PLATFORM-3: ids are UUIDs of version 7 and sort in the order of their making', () => {
      const { newId } = open();
      const ids = Array.from({ length: IDS }, () => newId());
      expect(new Set(ids).size).toBe(IDS);
      expect(ids).toEqual(ids.toSorted());
      expect(ids.filter((id) => !UUID_V7.test(id))).toEqual([]);
    });

    it('PLATFORM-4: an id begins with the time of its making', () => {
      const { newId, clock } = open();
      const time = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16);
      expect(Math.abs(time - clock())).toBeLessThan(1_000);
    });
  });
}
