/** Which key a command sends, and where the key comes from without --key. */
export interface KeySource {
  /** The text for help. */
  readonly description: string;
  /** What to call it in a sentence. */
  readonly called: string;
  /** The first variable that is set counts. Each also works as a file, with `_FILE` at the end. */
  readonly variables: readonly [string, ...string[]];
  readonly inProfile: "key" | "operatorKey";
  /** The error if no key is set. */
  readonly missing: readonly string[];
}

export const accountKey: KeySource = {
  description:
    "the API key; POSTDATE_KEY, POSTDATE_KEY_FILE or postdate login keep it out of the list of processes",
  called: "API key",
  variables: ["POSTDATE_KEY", "POSTDATE_ROOT_KEY"],
  inProfile: "key",
  missing: [
    "No API key: set POSTDATE_KEY, keep one with `postdate login`, or give one with --key.",
    "`postdate dev` prints one, and so does the first start of `postdate serve`.",
  ],
};

export const operatorKey: KeySource = {
  description:
    "the operator's key; POSTDATE_OPERATOR_KEY, POSTDATE_OPERATOR_KEY_FILE or postdate login keep it out of the list of processes",
  called: "operator's key",
  variables: ["POSTDATE_OPERATOR_KEY"],
  inProfile: "operatorKey",
  missing: [
    "No operator's key: set POSTDATE_OPERATOR_KEY to what the server has, keep it with `postdate login`, or give it with --key.",
    "A server manages accounts once it is started with POSTDATE_OPERATOR_KEY=pdo_… of your choice.",
  ],
};
