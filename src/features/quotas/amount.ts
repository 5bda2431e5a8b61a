import { parseSize } from '../../base/text/size.ts';
import type { OwnLimit } from '../../core/quota/quota.ts';

/** Reads a limit as people write it: `1000`, for bytes also `5GB`, or `none` (`null`). */
export function readAmount(
  limit: OwnLimit,
  text: string,
): { amount: number | null } | { problem: string } {
  if (text === 'none') return { amount: null };
  if (limit === 'bytes') {
    const amount = parseSize(text);
    if (amount !== undefined) return { amount };
    if (/^\d{1,15}$/.test(text)) return { amount: Number(text) };
    return { problem: 'must be a size, such as 512KB, 64MB or 5GB, or none' };
  }
  if (/^\d{1,9}$/.test(text)) return { amount: Number(text) };
  return { problem: 'must be a number, or none' };
}

const UNITS = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['KB', 1024],
] as const;

/** Writes a limit so that {@link readAmount} reads the same; '' for one that isn't set. */
export function writeAmount(limit: OwnLimit, amount: number | null | undefined): string {
  if (amount === undefined) return '';
  if (amount === null) return 'none';
  const fits = (bytes: number) => amount % bytes === 0 && amount / bytes < 1_000_000;
  const unit = limit === 'bytes' && amount > 0 && UNITS.find(([, bytes]) => fits(bytes));
  return unit ? `${amount / unit[1]}${unit[0]}` : `${amount}`;
}
