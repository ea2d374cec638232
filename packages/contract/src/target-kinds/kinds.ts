import { webhook } from "./webhook.ts";

/** The one list of target kinds. The first is the kind of a target whose kind is not given. */
export const targetKinds = [
  webhook,
  // A further kind is one more line here.
] as const;
