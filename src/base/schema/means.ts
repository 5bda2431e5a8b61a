/**
 * How an actor reaches the service: in the web app, with a personal token, or through an
 * application.
 */
export const MEANS = ['web', 'token', 'application'] as const;
export type Means = (typeof MEANS)[number];

/** What an actor writes with. Stored with revisions, events, comments and reviews. */
export interface Via {
  means: Means;
  /** The name of the token or application; `null` for the web app. */
  name: string | null;
}

export const VIA_WEB: Via = { means: 'web', name: null };
