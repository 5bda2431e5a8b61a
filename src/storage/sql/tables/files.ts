/** Uploaded files, and tickets to upload one. */
export interface FileTables {
  file: FileTable;
  upload_ticket: UploadTicketTable;
}

/** An uploaded file; its bytes are in the blob store. */
interface FileTable {
  id: string;
  accountId: string;
  /** The unguessable part of its web address. */
  address: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  storagePath: string;
  createdAt: string;
}

/** A ticket to upload one document or file, until it is used. */
interface UploadTicketTable {
  id: string;
  /** SHA-256 of the secret in the ticket's address, in hexadecimal. */
  secretHash: string;
  accountId: string;
  /** The token or the grant that it was issued to; the other is `null`. */
  tokenId: string | null;
  grantId: string | null;
  /** The document whose text it replaces, if any. */
  documentId: string | null;
  /** How the upload will be stored, as JSON. */
  task: string;
  expiresAt: string;
}
