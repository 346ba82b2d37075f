import { openInMemory } from './in-memory-adapter.ts';
import { providerConformance } from './provider-suite.ts';

providerConformance('memory', openInMemory);
