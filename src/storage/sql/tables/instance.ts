export interface InstanceTables {
  instance_state: InstanceStateTable;
  own_address: OwnAddressTable;
}

/** What is known of the instance. */
interface InstanceStateTable {
  name: InstanceFact;
  value: string;
}

/** When the last complete backup was made (ISO 8601). */
export type InstanceFact = 'last_backup_at';

/** A beginning of addresses that the service has or had, without a last slash. */
interface OwnAddressTable {
  url: string;
  place: 'web' | 'api' | 'render';
  lastUsedAt: string;
}
