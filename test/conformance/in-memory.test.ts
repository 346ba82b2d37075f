import { openInMemory } from './in-memory-adapter.ts';
import { storeConformance } from './store-conformance.ts';

storeConformance('memory', openInMemory);
