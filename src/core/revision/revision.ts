import type { Means } from '../../base/schema/means.ts';

/** One state of a document: the version that a write created. */
export interface Revision {
  /** Counts from 1. */
  number: number;
  /** A username; `null` if the account is gone. */
  author: string | null;
  /** Others who wrote it, in the same sitting. */
  coAuthors: string[];
  /** `null` if written before this was recorded. */
  via: Means | null;
  viaName: string | null;
  changed: ('content' | 'name' | 'visibility' | 'owner')[];
  message: string | null;
  basedOn: number | null;
  merged: boolean;
  mergedByWords: number[];
  restoredFrom: number | null;
  /** The text, in bytes of UTF-8; `null` if it is gone. */
  sizeBytes: number | null;
  hasText: boolean;
  pinned: boolean;
  /** The first and last revision of the sitting in the editor; `null` for other writes. */
  sitting: { first: number; last: number } | null;
  createdAt: string;
}
