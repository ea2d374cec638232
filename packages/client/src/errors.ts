/** Everything that this package throws on purpose. */
export class PostdateError extends Error {
  override name = "PostdateError";
}
