#!/usr/bin/env node
/** The `varve` command on any Node from 20 on. */
import { launch } from './launch-with-node.mjs';

await launch('cli/main.ts', process.argv.slice(2));
