export interface WebhookTables {
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
}

/** An address that an owner's events are posted to. */
interface WebhookTable {
  id: string;
  ownerId: string;
  /** Who created it; `null` if the account is gone. */
  accountId: string | null;
  url: string;
  /** The event types it wants, separated by spaces. */
  types: string;
  /** `whsec_` and base64, as its owner sees it. */
  secret: string;
  /** The previous secret, which also signs until `previousUntil`. */
  previousSecret: string | null;
  previousUntil: string | null;
  /** When the first attempt failed after the last success. */
  failingSince: string | null;
  disabledAt: string | null;
  disabledBecause: 'request' | 'gone' | 'failing' | null;
  createdAt: string;
}

/** An event on its way to a webhook. */
interface WebhookDeliveryTable {
  /** Sent as `webhook-id`, the same at every attempt. */
  id: string;
  webhookId: string;
  /** `null` for a test. */
  eventId: string | null;
  status: 'pending' | 'delivered' | 'failed';
  /** How many attempts have ended. */
  attempt: number;
  /** When to send it next; while it is being sent, when the sender's claim expires. */
  nextAt: string | null;
  /** The HTTP status of the last response. */
  code: number | null;
  /** Why the last attempt failed. */
  fault: 'address' | 'connection' | 'timeout' | 'status' | 'disabled' | null;
  createdAt: string;
  attemptedAt: string | null;
}
