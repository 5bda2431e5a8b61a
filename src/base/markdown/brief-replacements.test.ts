import { it } from 'node:test';
import { assertAllReplaced } from './brief-replacement.testing.ts';

it('Whatever is replaced in whatever brief, nothing else changes', () => assertAllReplaced(3_000));
