/** The instance itself. */
export interface InstanceTables {
  instance_state: InstanceStateTable;
}

/** What is known of the instance. */
interface InstanceStateTable {
  name: InstanceFact;
  value: string;
}

/** When the last complete backup was made (ISO 8601). */
export type InstanceFact = 'last_backup_at';
