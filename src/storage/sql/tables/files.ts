/** Uploaded files, and tickets to upload one. */
export interface FileTables {
  file: FileTable;
  upload_ticket: UploadTicketTable;
}

/** An uploaded file; its bytes are in the blob store. */
interface FileTable {
  id: string;
  account_id: string;
  /** The unguessable part of its web address. */
  address: string;
  name: string;
  content_type: string;
  size_bytes: number;
  storage_path: string;
  created_at: string;
}

/** A ticket to upload one document or file, until it is used. */
interface UploadTicketTable {
  id: string;
  /** SHA-256 of the secret in the ticket's address, in hexadecimal. */
  secret_hash: string;
  account_id: string;
  /** The token or the grant that it was issued to; the other is `null`. */
  token_id: string | null;
  grant_id: string | null;
  /** The document whose text it replaces, if any. */
  document_id: string | null;
  /** How the upload will be stored, as JSON. */
  task: string;
  expires_at: string;
}
