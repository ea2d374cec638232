/** What a backup holds. */
export interface BackupFacts {
  readonly schema: number;
  readonly messages: number;
  /** Of these, the ones that are still to be delivered. */
  readonly scheduled: number;
}
