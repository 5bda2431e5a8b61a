import { ServiceError } from '../../base/errors.ts';
import { formatSize } from '../../base/text/size.ts';

/** What an owner, a user or an organization, can have a limited amount of. */
export const LIMITS = [
  'documents',
  'bytes',
  'tokens',
  'webhooks',
  'documentsPerDay',
  'organizations',
] as const;
export type Limit = (typeof LIMITS)[number];

/** What administrators can limit otherwise for one owner. */
export const OWN_LIMITS = ['documents', 'bytes'] as const;
export type OwnLimit = (typeof OWN_LIMITS)[number];

/** The most of each; `null` for no limit. Bytes include history, trash and files, and what
 * somebody commented and proposed anywhere. */
export type Quotas = Readonly<Record<Limit, number | null>>;

/** The limits that no setting has, by `INSTANCE`: strangers who create accounts are limited. */
export const QUOTAS_WITHOUT_SETTING = {
  private: { tokens: null, webhooks: null, documentsPerDay: null, organizations: null },
  public: { tokens: 20, webhooks: 10, documentsPerDay: 200, organizations: 5 },
} as const satisfies Record<string, Omit<Quotas, OwnLimit>>;

export const UNLIMITED: Quotas = {
  documents: null,
  bytes: null,
  tokens: null,
  webhooks: null,
  documentsPerDay: null,
  organizations: null,
};

const NUMBER = new Intl.NumberFormat('en-GB');

/** Writes an amount of what a limit limits: `1,000`, or `500 MB`. */
export function amountInWords(limit: Limit, amount: number): string {
  return limit === 'bytes' ? formatSize(amount) : NUMBER.format(amount);
}

/** What each limit limits, and how to make room. */
const WORDS: Record<Limit, { what: string; room: string }> = {
  documents: { what: 'documents', room: 'Move some to the trash' },
  bytes: {
    what: 'storage, with history, trash, files and comments',
    room: 'Delete documents, files or comments, and empty the trash',
  },
  tokens: { what: 'active tokens', room: 'Revoke some' },
  webhooks: { what: 'webhooks', room: 'Delete some' },
  documentsPerDay: { what: 'new documents in 24 hours', room: 'Try again tomorrow' },
  organizations: { what: 'organizations that they created', room: 'Delete some' },
};

/** Something would exceed a limit of its owner. Reading, exporting and deleting still work. */
export class QuotaExceeded extends ServiceError {
  readonly data: { limit: Limit; used: number; allowed: number };

  /**
   * @param used what the owner has
   * @param allowed the most that the owner can have
   */
  constructor(owner: string, limit: Limit, { used, allowed }: { used: number; allowed: number }) {
    const { what, room } = WORDS[limit];
    const [has, most] = [amountInWords(limit, used), amountInWords(limit, allowed)];
    super(
      'QUOTA_EXCEEDED',
      `The limit of “${owner}” for ${what} is ${most}, with ${has} in use. ${room}, or ask an ` +
        'administrator of this instance for more.',
    );
    this.data = { limit, used, allowed };
  }

  override toBody() {
    return { ...super.toBody(), data: this.data };
  }
}
