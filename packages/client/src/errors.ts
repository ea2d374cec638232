/** Everything that this package throws on purpose. */
export class PostdateError extends Error {
  override name = "PostdateError";

  constructor(message?: string, cause?: unknown) {
    // An error without a cause must not show one.
    super(message, (cause && { cause }) as ErrorOptions);
  }
}
