import { parseDuration } from '../../base/time/duration.ts';
import type { RateLimit } from './config.ts';

export function optional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : read(text));
}

export function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((each) => each === text);
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };
}

/** Parses a size such as `64MB`. A KB is 1,024 bytes. */
export function readSize(text: string): number {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,5})(KB|MB|GB)$/.exec(text) ?? [];
  if (!digits) throw new Error('must be a size, such as 512KB, 64MB or 1GB');
  return Number(digits) * 1024 ** (['KB', 'MB', 'GB'].indexOf(unit) + 1);
}

/** Parses a number of days. @returns milliseconds */
export function readDays(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('must be a number of days from 0 to 9999');
  return Number(text) * 24 * 60 * 60 * 1000;
}

export function readText(text: string): string {
  return text;
}

/** Parses `1000/5m`; `undefined` for `off`. */
export function readRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  const [, count, window = ''] = /^([1-9]\d{0,8})\/([^/]*)$/.exec(text) ?? [];
  if (!count) throw new Error('must be <count>/<window>, such as 1000/5m, or off');
  return { count: Number(count), windowMs: parseDuration(window) };
}
