/** Runs before each test file, so that files of one process get namespaces of their own. */
import { leaveNamespaces } from './fixture.ts';

leaveNamespaces();
