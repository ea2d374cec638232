/** A text that cannot be what a setting needs. The message completes the sentence "<name> …". */
export class InvalidValue extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvalidValue";
  }
}
