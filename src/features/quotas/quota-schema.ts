import { type Static, Type } from 'typebox';
import { LIMITS, type Limit } from '../../core/quota/quota.ts';
import { MAX_AMOUNT, type OwnerQuotas } from './quota-admin-service.ts';
import type { Usage } from './usage-service.ts';

const DESCRIPTIONS: Record<Limit, string> = {
  documents: 'Documents that aren’t in the trash.',
  bytes: 'Stored bytes of documents, their history, the trash and files.',
  tokens: 'Personal tokens that work.',
  webhooks: 'Webhooks.',
  documentsPerDay: 'Documents created in 24 hours, which begin with the first one.',
  organizations: 'Organizations that the user created. Organizations can’t create any.',
};

function eachLimit<T>(make: (limit: Limit, description: string) => T): Record<Limit, T> {
  return Object.fromEntries(
    LIMITS.map((limit) => [limit, make(limit, DESCRIPTIONS[limit])]),
  ) as Record<Limit, T>;
}

function amount(description: string) {
  return Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    maximum: MAX_AMOUNT,
    description: `${description} \`null\` for no limit.`,
    examples: [100],
  });
}

export const UsageSchema = Type.Object(
  {
    ...eachLimit((_limit, description) =>
      Type.Object(
        {
          used: Type.Integer({ description: 'How much there is.' }),
          allowed: amount('The most that there can be.'),
        },
        { description },
      ),
    ),
    fileBytes: Type.Integer({ description: 'The part of `bytes` that is uploaded files.' }),
  },
  { title: 'OwnerUsage' },
);

/** What an owner may have instead of the defaults. */
export const ExceptionsBody = Type.Object(
  {
    documents: Type.Optional(amount(DESCRIPTIONS.documents)),
    bytes: Type.Optional(amount(DESCRIPTIONS.bytes)),
  },
  { title: 'OwnLimits', additionalProperties: false },
);

export const OwnerQuotasSchema = Type.Object(
  {
    owner: Type.String({ description: 'The namespace.', examples: ['ada'] }),
    limits: ExceptionsBody,
    usage: UsageSchema,
  },
  { title: 'OwnerQuotas' },
);

export function presentUsage(usage: Usage): Static<typeof UsageSchema> {
  return usage;
}

export function presentQuotas({
  owner,
  exceptions,
  usage,
}: OwnerQuotas): Static<typeof OwnerQuotasSchema> {
  return { owner: owner.namespace, limits: exceptions, usage: presentUsage(usage) };
}
