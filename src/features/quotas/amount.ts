import { parseSize } from '../../base/text/size.ts';
import type { Limit } from '../../core/quota/quota.ts';

/** Reads a limit as people write it: `1000`, for bytes `5GB`, or `none` (`null`). */
export function readAmount(
  limit: Limit,
  text: string,
): { amount: number | null } | { problem: string } {
  if (text === 'none') return { amount: null };
  if (limit === 'bytes') {
    const amount = parseSize(text);
    if (amount !== undefined) return { amount };
    return { problem: 'must be a size, such as 512KB, 64MB or 5GB, or none' };
  }
  if (/^\d{1,9}$/.test(text)) return { amount: Number(text) };
  return { problem: 'must be a number, or none' };
}
