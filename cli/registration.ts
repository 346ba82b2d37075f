/** What a group of commands is registered with. */
import type { Command } from 'commander';
import type { Config, ConfigOverrides } from './config.ts';

export interface Registration {
  /** Adds the options that every command which touches an installation shares. */
  readonly withFolders: (command: Command) => Command;
  readonly configOf: (options: ConfigOverrides) => Config;
}
