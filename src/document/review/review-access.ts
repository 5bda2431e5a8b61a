import { decide, isInsider, type Standing } from '../access.ts';

/**
 * Who can comment on a document: insiders (the owner, collaborators, members who can read), every
 * reader who is signed in, or nobody. A secret link can let people comment besides, unless nobody can.
 */
export const COMMENT_SETTINGS = ['insiders', 'readers', 'off'] as const;
export type CommentSetting = (typeof COMMENT_SETTINGS)[number];

/** What someone can do with threads, besides what being their author allows. */
export type ReviewAction = 'see' | 'comment' | 'close' | 'moderate' | 'accept' | 'configure';

const isPartOfIt = (standing: Standing, setting: CommentSetting) =>
  isInsider(standing) || setting === 'readers' || standing.link === 'comment';

/** The rules for someone who can read the document (decision 019). */
const RULES = {
  see: isPartOfIt,
  comment: (standing, setting) => setting !== 'off' && isPartOfIt(standing, setting),
  close: (standing) => decide(standing, 'editContent') === 'allow',
  accept: (standing) => decide(standing, 'editContent') === 'allow',
  moderate: (standing) => decide(standing, 'share') === 'allow',
  configure: (standing) => decide(standing, 'share') === 'allow',
} satisfies Record<ReviewAction, (standing: Standing, setting: CommentSetting) => boolean>;

/** Whether someone who can read a document can do `action`. */
export function canReview(
  standing: Standing,
  setting: CommentSetting,
  action: ReviewAction,
): boolean {
  return RULES[action](standing, setting);
}
