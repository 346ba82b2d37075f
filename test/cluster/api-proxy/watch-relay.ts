/** One open watch: passes on events line by line, with the faults of its proxy. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Chance } from '../../grounding/values.ts';
import { z } from 'zod';

import { eventFault, expiredEvent, type FaultChances } from './faults.ts';

/** A late event that none follows comes after all. */
const LATE_MS_MAX = 1_000;
const TYPE = /^\{"type":"([A-Z]+)"/u;

export interface WatchFaults {
  readonly chances: () => FaultChances;
  readonly chance: Chance;
  /** Told of each event that came, before what becomes of it. */
  readonly onEvent: (type: string, line: string) => void;
}

/** What a bookmark of the proxy repeats: where the watch is. */
const Event = z.object({
  object: z.object({ metadata: z.object({ resourceVersion: z.string() }) }),
});

export class WatchRelay {
  readonly #answer: ServerResponse;
  readonly #source: IncomingMessage;
  #isSilent = false;
  #isHeld = false;
  #late: string | null = null;
  /** The version that was sent last, dropped events too. */
  #at: string;

  /** @param from the version that it begins after */
  constructor(source: IncomingMessage, answer: ServerResponse, from: string) {
    this.#source = source;
    this.#answer = answer;
    this.#at = from;
  }

  /** Relays until one side ends. */
  run(faults: WatchFaults): void {
    let rest = '';
    this.#source.setEncoding('utf8');
    this.#source.on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#pass(line, faults);
    });
    this.#source.on('end', () => {
      this.#passLate();
      if (!this.#isStill()) this.#answer.end();
    });
    this.#source.on('error', () => {
      if (!this.#isStill()) this.cut();
    });
    this.#answer.on('close', () => this.#source.destroy());
    this.#answer.flushHeaders();
  }

  /** The connection breaks in the middle. */
  cut(): void {
    this.#answer.destroy();
    this.#source.destroy();
  }

  /** The connection stays, and nothing comes any more, not even its end. */
  silence(): void {
    this.#isSilent = true;
  }

  /** The connection stays, and nothing comes but bookmarks, whatever the server says or does. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The server says that it lost what the client has not seen, and ends the watch. */
  expire(): void {
    if (!this.#isSilent) this.#answer.end(expiredEvent());
    this.#source.destroy();
  }

  /** Says where it is, as the server does about every minute. */
  bookmark(): void {
    const metadata = { resourceVersion: this.#at };
    this.#write(JSON.stringify({ type: 'BOOKMARK', object: { metadata } }));
  }

  #pass(line: string, { chances, chance, onEvent }: WatchFaults): void {
    if (this.#isHeld) return;
    const type = TYPE.exec(line)?.[1] ?? '';
    const fault = eventFault(type, chances(), chance);
    onEvent(type, line);
    const read = Event.safeParse(JSON.parse(line));
    if (read.success) this.#at = read.data.object.metadata.resourceVersion;
    if (fault === 'Dropped') return;
    if (fault === 'Late' && this.#late === null) {
      this.#late = line;
      setTimeout(() => {
        this.#passLate();
      }, LATE_MS_MAX).unref();
      return;
    }
    this.#write(line);
    if (fault === 'Repeated') this.#write(line);
    this.#passLate();
  }

  #passLate(): void {
    if (this.#late === null) return;
    this.#write(this.#late);
    this.#late = null;
  }

  #isStill(): boolean {
    return this.#isSilent || this.#isHeld;
  }

  #write(line: string): void {
    if (!this.#isSilent && this.#answer.writable) this.#answer.write(`${line}\n`);
  }
}
