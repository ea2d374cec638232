import type { Call, Reply } from "./executor.ts";
import { packingOf } from "./packing.ts";
import type { EndedBatch } from "./returning-callers.ts";
import type { VerbName } from "./verbs.ts";

/**
 * What passes between the store's thread and the others. Calls and answers are flat lists without
 * field names: id, verb and arguments of each call; id and value of each answer.
 */
export type ToThread = readonly unknown[] | "close";

export type FromThread =
  | { readonly kind: "open" }
  | { readonly kind: "cannot-open"; readonly message: string }
  | Replies;

export interface Replies {
  readonly kind: "replies";
  readonly answers: readonly unknown[];
  readonly failures: readonly Failure[];
  /** Null as long as calls of the same batch are still to be answered, and for a late answer. */
  readonly ended: EndedBatch | null;
}

export type Failure = Reply & { readonly kind: "failed" };

export function packCalls(calls: readonly Call[]): readonly unknown[] {
  const packed: unknown[] = [];
  for (const { id, verb, args } of calls) packed.push(id, verb, packingOf(verb).packArgs(args));
  return packed;
}

export function unpackCalls(packed: readonly unknown[]): Call[] {
  const calls: Call[] = [];
  for (let at = 0; at < packed.length;) {
    const id = packed[at++] as number;
    const verb = packed[at++] as VerbName;
    const args = packingOf(verb).unpackArgs(packed[at++] as readonly unknown[]);
    calls.push({ id, verb, args });
  }
  return calls;
}

export function packReplies(replies: readonly Reply[], ended: EndedBatch | null): Replies {
  const answers: unknown[] = [];
  const failures: Failure[] = [];
  for (const reply of replies) {
    if (reply.kind === "failed") failures.push(reply);
    else answers.push(reply.id, packingOf(reply.verb).packValue(reply.value));
  }
  return { kind: "replies", answers, failures, ended };
}

export function unpackValue({ verb, args }: Pick<Call, "verb" | "args">, packed: unknown): unknown {
  return packingOf(verb).unpackValue(packed, args);
}
