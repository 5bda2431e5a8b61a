/** Webhooks and their deliveries. */
export interface WebhookTables {
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
}

/** An address that an owner's events are posted to. */
interface WebhookTable {
  id: string;
  owner_id: string;
  /** Who created it; `null` if the account is gone. */
  account_id: string | null;
  url: string;
  /** The event types it wants, separated by spaces. */
  types: string;
  /** `whsec_` and base64, as its owner sees it. */
  secret: string;
  /** The previous secret, which also signs until `previous_until`. */
  previous_secret: string | null;
  previous_until: string | null;
  /** When the first attempt failed after the last success. */
  failing_since: string | null;
  disabled_at: string | null;
  disabled_because: 'request' | 'gone' | 'failing' | null;
  created_at: string;
}

/** An event on its way to a webhook. */
interface WebhookDeliveryTable {
  /** Sent as `webhook-id`, the same at every attempt. */
  id: string;
  webhook_id: string;
  /** `null` for a test. */
  event_id: string | null;
  status: 'pending' | 'delivered' | 'failed';
  /** How many attempts have ended. */
  attempt: number;
  /** When to send it next; while it is being sent, when the sender's claim expires. */
  next_at: string | null;
  /** The HTTP status of the last response. */
  code: number | null;
  /** Why the last attempt failed. */
  fault: 'address' | 'connection' | 'timeout' | 'status' | 'disabled' | null;
  created_at: string;
  attempted_at: string | null;
}
