/**
 * The acts that decide which words count as seen and approved, and what readers get to see. Every
 * surface asks {@link rulingOn} about them.
 */
export const ACTS = [
  'approve',
  'requestChanges',
  'write',
  'accept',
  'reject',
  'publish',
  'rename',
  'pin',
  'link',
  'showThreads',
  'leave',
  'makeAdmin',
  'endProtection',
] as const;
export type Act = (typeof ACTS)[number];

/** What an act depends on. */
export interface Situation {
  /**
   * What the form or call says was shown: the current revision and suggestions, others, or nothing.
   * The forms of the web app always say it.
   */
  shown: 'current' | 'other' | 'unsaid';
  /** Whether a person acts in the web app, not a token or an application. */
  isWeb: boolean;
  /**
   * Whether the actor is an admin of the document; for `leave`, of the organization it leaves; for
   * `makeAdmin` in an organization, of that; for `link`, of the organization if all its
   * documents are protected; so for `accept`, `pin` and `showThreads`, but see `findAnswerable`.
   */
  isAdmin: boolean;
  /** Whether the document needs an approval before it becomes public. */
  isProtected: boolean;
  /** Whether it is public. */
  isPublic: boolean;
  /** Whether the words that become readable are approved. */
  isApproved: boolean;
  /** Whether the actor wrote the words, and someone else has to decide about them. */
  isOwnWords: boolean;
}

/**
 * What an act leads to.
 *
 * - `changed`: nothing, because something else was shown
 * - `web`: nothing, because only an admin in the web app can do it
 * - `propose`: nothing, because public text changes only by suggestions that an admin accepts
 * - `approval`: nothing, because the words aren't approved
 * - `secondPerson`: nothing, because someone else has to accept these words
 */
export const RULINGS = [
  'allowed',
  'changed',
  'web',
  'propose',
  'approval',
  'secondPerson',
] as const;
export type Ruling = (typeof RULINGS)[number];

type Rule = (situation: Situation) => Ruling;

/** Circumvents the protection, which is left to admins who can read what it leads to. */
const onlyAdminOnTheWeb: Rule = ({ isWeb, isAdmin }) => (isWeb && isAdmin ? 'allowed' : 'web');

/** The rules of protected documents (docs/decisions/012-review.md). */
const RULES: Record<Act, Rule> = {
  // Agents act under their person's account, so only the web app shows that a person decides.
  approve: ({ isWeb }) => (isWeb ? 'allowed' : 'web'),
  requestChanges: () => 'allowed',
  write: ({ isPublic }) => (isPublic ? 'propose' : 'allowed'),
  accept(situation) {
    if (!situation.isPublic) return 'allowed';
    if (onlyAdminOnTheWeb(situation) !== 'allowed') return 'propose';
    return situation.isOwnWords ? 'secondPerson' : 'allowed';
  },
  reject: () => 'allowed',
  publish: ({ isApproved }) => (isApproved ? 'allowed' : 'approval'),
  // Its name is in its address, and is its title where the text has none.
  rename: (situation) => (situation.isPublic ? onlyAdminOnTheWeb(situation) : 'allowed'),
  // A pinned text is readable by everyone who can read the document, whatever its state.
  pin: (situation) => (situation.isApproved ? 'allowed' : onlyAdminOnTheWeb(situation)),
  // A link shows what is written later, too.
  link: onlyAdminOnTheWeb,
  // Threads quote earlier texts, which no one approved.
  showThreads: onlyAdminOnTheWeb,
  leave: onlyAdminOnTheWeb,
  // An admin can end the protection and accept suggestions.
  makeAdmin: onlyAdminOnTheWeb,
  endProtection: onlyAdminOnTheWeb,
};

/** Decides about an act. Documents that aren't protected only require that nothing has changed. */
export function rulingOn(act: Act, situation: Situation): Ruling {
  if (situation.shown === 'other') return 'changed';
  return situation.isProtected ? RULES[act](situation) : 'allowed';
}
