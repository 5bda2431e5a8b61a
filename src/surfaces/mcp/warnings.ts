import type { Warning } from '../../core/document/warning-service.ts';
import type { Quotation } from './quote.ts';

/**
 * Tells a model what warnings there are about a text that it wrote: a sentence in our own words, to
 * follow another, and the addresses in the text, which may be by others, as a quotation.
 */
export function warningsForModel(warnings: readonly Warning[]): {
  sentence: string;
  quotations: Quotation[];
} {
  const sentence = warnings.map(({ message }) => ` Warning: ${message}`).join('');
  const addresses = warnings.flatMap((warning) => warning.addresses ?? []);
  if (addresses.length === 0) return { sentence, quotations: [] };
  const text = addresses.join('\n');
  const what = 'the addresses that can’t be loaded';
  return { sentence, quotations: [{ what, isPlural: true, text }] };
}
