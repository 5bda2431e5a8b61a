import type { Candidate } from '../../base/text/closest.ts';
import type { Quotation } from './quote.ts';

/**
 * Quotes passages that the caller may have meant: `12: "a passage"`.
 *
 * @param what our name for them
 */
export function quoteCandidates(what: string, candidates: readonly Candidate[]): Quotation {
  return {
    what: `${what} (line: text)`,
    isPlural: true,
    text: candidates.map(({ line, text }) => `${line}: ${JSON.stringify(text)}`).join('\n'),
  };
}
