import { it } from 'node:test';
import { readNumber } from '../../../test/chance.ts';
import { assertAllReplaced } from './brief-replacement.testing.ts';

const ROUNDS = readNumber('TEXT_ROUNDS') ?? 1;

it('Whatever is replaced in whatever brief, nothing else changes', () =>
  assertAllReplaced(1_000 * ROUNDS));
