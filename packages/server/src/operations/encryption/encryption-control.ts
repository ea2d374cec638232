/** What operations know of the encryption keys of this process, and of the part that exchanges them. */
export interface EncryptionControl {
  /** The key that seals. */
  keyId(): string;
  /** Which key sealed a value; null: nobody knows. */
  keyIdOf(sealed: string): string | null;
  /** Makes the next key and seals with it. Null: the operator gives the key. */
  readonly makeKey: (() => Promise<void>) | null;
  noteRotation(): void;
  /** One exchange is begun at a time. */
  inTurn<Made>(work: () => Promise<Made>): Promise<Made>;
}
