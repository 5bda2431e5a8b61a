/** A mention of a user in prose: `@`, also of full width, and the username, which is the first group. */
export const MENTION = /(?<![\w@＠/.-])[@＠]([a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?)(?![\w-])/gi;

/** A mention as `base/markdown/comment.ts` renders it. Nobody can write a class in a comment, so each is a mention. */
const MENTION_LINK = /<a href="\/([a-z0-9-]+)" class="mention">([^<]*)<\/a>/g;

/**
 * Shows the mentions in a rendered comment as text, if there is no such user.
 *
 * @param isUser gets a username in lowercase
 */
export function unlinkMentions(html: string, isUser: (username: string) => boolean): string {
  return html.replace(MENTION_LINK, (link, username: string, text: string) =>
    isUser(username) ? link : text,
  );
}

/** Returns the usernames that a rendered comment links to as mentions. */
export function linkedMentions(html: string): string[] {
  return Array.from(html.matchAll(MENTION_LINK), ([, username]) => username as string);
}

/** Returns the usernames that a text mentions if it isn't Markdown, in lowercase. */
export function mentionsInText(text: string): string[] {
  return Array.from(text.matchAll(MENTION), ([, name = '']) => name.toLowerCase());
}
