import { decide, isInsider, type Standing } from '../document/access-rules.ts';

/**
 * Who can comment on a document: insiders (the owner, collaborators, members who can read), every
 * signed-in reader, or no one (`off`). Unless it is `off`, a secret link can allow more people to
 * comment.
 */
export const COMMENT_SETTINGS = ['insiders', 'readers', 'off'] as const;
export type CommentSetting = (typeof COMMENT_SETTINGS)[number];

/** What someone can do with threads, besides what an author can do with their own. */
export type ReviewAction = 'see' | 'comment' | 'close' | 'moderate' | 'accept' | 'configure';

const isPartOfIt = (standing: Standing, setting: CommentSetting) =>
  isInsider(standing) || setting === 'readers' || standing.link === 'comment';

/** The rules for someone who can read the document (decision 012). */
const RULES = {
  see: isPartOfIt,
  comment: (standing, setting) => setting !== 'off' && isPartOfIt(standing, setting),
  close: (standing) => decide(standing, 'editContent') === 'allow',
  accept: (standing) => decide(standing, 'editContent') === 'allow',
  moderate: (standing) => decide(standing, 'share') === 'allow',
  configure: (standing) => decide(standing, 'share') === 'allow',
} satisfies Record<ReviewAction, (standing: Standing, setting: CommentSetting) => boolean>;

/** Tells whether someone who can read a document can do `action`. */
export function canReview(
  standing: Standing,
  setting: CommentSetting,
  action: ReviewAction,
): boolean {
  return RULES[action](standing, setting);
}
