/** What a backup holds. */
export interface BackupFacts {
  readonly schema: number;
  readonly messages: number;
  /** Of these, the ones that are still to be delivered. */
  readonly scheduled: number;
  /** The ids of the encryption keys that its values are sealed with; empty: the data is older than such ids. */
  readonly encryptionKeyIds: readonly string[];
}

export interface RestoreRequest {
  readonly file: string;
  readonly dataDir: string;
  /** Null: the one in the data folder, if there is one. */
  readonly encryptionKey: Uint8Array | null;
  readonly otherEncryptionKeys: readonly Uint8Array[];
}

export interface RestoredData extends BackupFacts {
  /** Whether an encryption key was there, and it fits. */
  readonly hasKey: boolean;
}

/** Backups of data folders. If the cause lies outside the program, both reject with a sentence that says what to do. */
export interface BackupKeeper {
  /** Also while a server works on the folder. Reports how many pages are copied, and of how many. */
  backUp(
    dataDir: string,
    file: string,
    onCopied: (copied: number, total: number) => void,
  ): Promise<BackupFacts>;
  restore(request: RestoreRequest): Promise<RestoredData>;
}
