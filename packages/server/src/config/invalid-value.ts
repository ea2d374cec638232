/** A text that does not fit its setting. The message completes the sentence "<name> …". */
export class InvalidValue extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvalidValue";
  }
}
