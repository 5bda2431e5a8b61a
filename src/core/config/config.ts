import type { RateLimit, RateLimitName } from '../../base/limits/rate-limit.ts';
import type { S3Location } from '../../storage/blob/blob.ts';
import type { PostgresLocation } from '../../storage/sql/sql.ts';
import type { SignInRules } from '../context.ts';
import type { Quotas } from '../quota/quota.ts';
import type { Logo } from './logo.ts';

/** The OpenID provider for signing in. */
export interface UpstreamProvider {
  /** Exactly as the provider writes it. May have a trailing slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Its name on screens. */
  name: string;
  /** The groups of whom can sign in; none for everybody. */
  groups: string[];
  /** The claim that has a person's groups. */
  groupsClaim: string;
  /** The claim that has a person's address. */
  emailClaim: string;
  /** Whether all its addresses count as verified, also without `email_verified`. */
  verifiesEmails: boolean;
  /** How often it is asked whether somebody who works can still sign in; 0 for never. */
  checkEveryMs: number;
  /** Whether signing out here signs out there. */
  signsOut: boolean;
}

/** The SMTP server that sends mails. */
export interface MailServer {
  host: string;
  port: number;
  /**
   * Whether the connection begins with TLS. If not, it switches to TLS if the server offers that.
   */
  secure: boolean;
  /** Whether TLS is required, so that a password never leaves this machine without it. */
  requireTls: boolean;
  login: { user: string; password: string } | undefined;
  from: { name: string; address: string };
}

/** How an instance presents itself, and who answers for it. */
export interface Face {
  name: string;
  /** The colour of links and buttons, `#rrggbb`; `undefined` for the default. */
  accent: string | undefined;
  /** `undefined` for the default mark. */
  logo: Logo | undefined;
  /** A URI, as in `mailto:…`, of who answers for it. */
  contact: string | undefined;
  /** Addresses of pages. */
  terms: string | undefined;
  privacy: string | undefined;
  imprint: string | undefined;
}

/** The checked settings. Addresses have no trailing slash. */
export interface Config {
  host: string;
  port: number;
  renderPort: number;
  metricsPort: number | undefined;
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  /** The folder for all data that is not on a server. */
  dataDir: string;
  /** `undefined` for the embedded database. */
  database: PostgresLocation | undefined;
  /** The Redis server that counts rate limits; `undefined` to count in a file. */
  redisUrl: string | undefined;
  /** The store of pages and files; `undefined` for the disk. */
  blobs: S3Location | undefined;
  trustProxy: false | number | string[];
  invitationLifetimeMs: number;
  /** How many bytes of old texts, as stored, a document can have. Then the oldest are deleted. */
  revisionBytesPerDocument: number;
  /** How long a deleted document can be restored; 0 for not at all. */
  trashMs: number;
  /** What each owner may have, unless it has limits of its own. */
  quotas: Quotas;
  /** How long entries of the audit trail stay; `undefined` for as long as the instance. */
  auditRetentionMs: number | undefined;
  /** Whether webhooks can lead to private networks, and use http. */
  webhookPrivateAddresses: 'refuse' | 'allow';
  /** What HTML pages can load scripts, styles, fonts and images from: `https://cdn.example.com`. */
  pageSources: string[];
  face: Face;
  /** Who can create an account. */
  signUps: 'open' | 'closed' | 'invited' | 'domains';
  /** The domains whose addresses can, and those whose can't. */
  signUpDomains: string[];
  signUpBlockedDomains: string[];
  /** Whether publishing, inviting and commenting need a verified address. */
  signUpVerification: 'optional' | 'required';
  /** Whether anyone can report a public document. */
  reports: 'on' | 'off';
  signIn: SignInRules;
  /** Where to ask for passwords known from breaches; `undefined` to ask nobody. */
  breachedPasswords: string | undefined;
  /** What answers with the latest release; `undefined` to ask nobody. */
  releasesUrl: string | undefined;
  /** What the first account of the instance becomes. */
  firstAccount: 'user' | 'admin';
  /** `undefined` for passwords only. */
  upstream: UpstreamProvider | undefined;
  /** What a directory that provisions accounts authenticates with; `undefined` for none. */
  scimToken: string | undefined;
  /** How long personal access tokens work at most, after they were created. */
  tokenLifetimeMs: number | undefined;
  /** `undefined` if nothing is mailed. */
  mail: MailServer | undefined;
  /** `undefined` if disabled. */
  rateLimits: Record<RateLimitName, RateLimit | undefined>;
  logLevel: string;
}
