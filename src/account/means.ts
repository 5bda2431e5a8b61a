/** How an actor reaches the service: in the web app, with a personal token, or through an application. */
export const MEANS = ['web', 'token', 'application'] as const;
export type Means = (typeof MEANS)[number];

/** What an actor writes with. Revisions record it. */
export interface Via {
  means: Means;
  /** What the token or the application is called; `null` for the web app. */
  name: string | null;
}

export const VIA_WEB: Via = { means: 'web', name: null };
