const KB = 1024;
const MB = KB * KB;
const GB = KB * MB;

/** Formats a size, such as `6 KB`. */
export function formatSize(bytes: number): string {
  if (bytes < KB) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < MB) return `${Math.round(bytes / KB)} KB`;
  if (bytes < GB) return `${(bytes / MB).toFixed(1)} MB`;
  return `${(bytes / GB).toFixed(1)} GB`;
}

/**
 * Says that something is larger than allowed, such as `the text has 1.2 MB. The limit is 900 KB.` If
 * both would read the same, in bytes.
 *
 * @param has begins the sentence, such as `the text has`
 */
export function tooLarge(has: string, bytes: number, limit: number): string {
  const [size, allowed] = [formatSize(bytes), formatSize(limit)];
  const inBytes = (count: number) => `${count.toLocaleString('en')} bytes`;
  if (size !== allowed) return `${has} ${size}. The limit is ${allowed}.`;
  return `${has} ${inBytes(bytes)}. The limit is ${inBytes(limit)}.`;
}

/**
 * Parses a size such as `64MB`. A KB is 1,024 bytes.
 *
 * @returns bytes; `undefined` if the text isn't a size
 */
export function parseSize(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,5})(KB|MB|GB)$/.exec(text) ?? [];
  if (!digits) return undefined;
  return Number(digits) * 1024 ** (['KB', 'MB', 'GB'].indexOf(unit) + 1);
}
