/** How many days the namespace of a deleted or renamed owner stays reserved. */
export const NAMESPACE_RESERVED_DAYS = 90;

/**
 * Names that no user or organization can have: path segments that the web host uses or may use, and
 * words with which someone could pose as the service.
 */
const RESERVED = new Set(
  `
  about abuse access account accounts admin administrator all anonymous api app apps archive
  assets auth authorize billing blog bot brief briefs changelog cli client collaborators comments config
  connect console contact cookies create css dashboard data default delete demo developer
  developers doc docs documentation documents download downloads draft drafts edit editing editor email
  enterprise error everyone explore export faq favicon feed file files fonts guest guide health
  healthz help history home hostmaster icons image images img import imprint inbox index info
  internal invitation invitations invite invited invites jobs js key keys label labels legal library license live login
  logout mail markdown mcp me media members memberships metrics moderator move my new news nobody none
  noreply notifications null oauth official openid operator org organization organizations orgs
  owner page pages password payments people pin pins policy postmaster preferences present press preview pricing
  privacy private profile profiles propose public raw read readyz recent redirect reference register rename render
  report reset review reviews robots root rss s safety sales save scim search security self service services session
  sessions settings setup share shared shop sign-in sign-out sign-up signin signout signup site
  sitemap sso staff static stats status storage store style styles support sync sysadmin system
  tag tags team teams template templates terms test theme token tokens tools trash trust undefined
  unsubscribe upload uploads user username users verify version views visibility web webhook
  webhooks webmaster well-known wiki www you
  `
    .trim()
    .split(/\s+/),
);

/**
 * Returns a text as a namespace, or `undefined` if it isn't one: 1–39 of `a-z`, `0-9` and single
 * inner hyphens, case ignored. Checks for ASCII before lower-casing, which turns some look-alikes
 * into ASCII (`K`, the Kelvin sign).
 */
export function parseNamespace(text: string): string | undefined {
  return text.length <= 39 && /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(text)
    ? text.toLowerCase()
    : undefined;
}

/**
 * Tells whether no user or organization can take a namespace.
 *
 * @param webSegments first path segments that the configuration reserves on the web host
 */
export function isReservedNamespace(namespace: string, webSegments: readonly string[]): boolean {
  return RESERVED.has(namespace) || webSegments.includes(namespace);
}
