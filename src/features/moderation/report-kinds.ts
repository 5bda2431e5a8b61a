/** What can be wrong with a document, as reporters choose it. */
export const REPORT_KINDS = {
  spam: 'Spam or advertising',
  abuse: 'Abuse or harassment',
  illegal: 'Something illegal',
  copyright: 'A violation of copyright',
  personal_data: 'Personal data of somebody',
  other: 'Something else',
} as const;

export type ReportKind = keyof typeof REPORT_KINDS;

/** How administrators end reports. */
export const OUTCOMES = ['taken_down', 'dismissed', 'closed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What a reporter can write, in UTF-16 code units. */
export const MAX_WORDS = 1_000;
