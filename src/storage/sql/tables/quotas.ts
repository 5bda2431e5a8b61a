/** What owners have, and what they may have. */
export interface QuotaTables {
  quota: QuotaTable;
  owner_usage: OwnerUsageTable;
}

/** What an owner may have, where that differs from the settings. */
interface QuotaTable {
  ownerId: string;
  /** The limit's name. */
  name: string;
  /** A number of things, or bytes; `null` for no limit. */
  amount: number | null;
}

/** What an owner has. Changes in the transactions that change it. */
interface OwnerUsageTable {
  ownerId: string;
  /** Documents that aren't in the trash. */
  documents: number;
  /** Stored bytes of documents, also in the trash, their old texts and files. */
  bytes: number;
  /** The part of `bytes` that is files. */
  fileBytes: number;
  /** When the 24 hours began in which `dayDocuments` were created; '' if there were none. */
  dayStart: string;
  dayDocuments: number;
}
