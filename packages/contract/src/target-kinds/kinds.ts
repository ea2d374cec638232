import { webhook } from "./webhook.ts";

/** The one list of target kinds. The first is the default kind of a new target. */
export const targetKinds = [
  webhook,
  // A further kind is one more line here.
] as const;
