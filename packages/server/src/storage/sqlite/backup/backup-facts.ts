/** What a backup holds. */
export interface BackupFacts {
  readonly schema: number;
  readonly messages: number;
  /** Of these, the ones that are still to be delivered. */
  readonly scheduled: number;
  /** The ids of the encryption keys that its values are sealed with; empty: the data is older than such ids. */
  readonly encryptionKeyIds: readonly string[];
}
