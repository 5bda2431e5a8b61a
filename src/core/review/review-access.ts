import {
  type DocumentAction,
  decide,
  isInsider,
  type Standing,
  whoCan,
} from '../document/access-rules.ts';

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

interface Rule {
  allows: (standing: Standing, setting: CommentSetting) => boolean;
  /** Whom it allows, for the API's reference. */
  who: string;
}

const as = (action: DocumentAction): Rule => ({
  allows: (standing) => decide(standing, action) === 'allow',
  who: whoCan(action),
});

/** The rules for someone who can read the document (decision 012). */
const RULES: Record<ReviewAction, Rule> = {
  see: { allows: isPartOfIt, who: 'read, and to see comments' },
  comment: {
    allows: (standing, setting) => setting !== 'off' && isPartOfIt(standing, setting),
    who: 'to comment',
  },
  close: as('editContent'),
  accept: as('editContent'),
  moderate: as('share'),
  configure: as('share'),
};

/** Tells whether someone who can read a document can do `action`. */
export function canReview(
  standing: Standing,
  setting: CommentSetting,
  action: ReviewAction,
): boolean {
  return RULES[action].allows(standing, setting);
}

/** Says whom `action` is allowed, for the API's reference. */
export function whoCanReview(action: ReviewAction): string {
  return RULES[action].who;
}
