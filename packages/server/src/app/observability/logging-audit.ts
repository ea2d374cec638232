import type { AuditNote } from "../../domain/audit.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Store } from "../../storage/store.ts";

type Verb = (...values: never[]) => Promise<unknown>;

/** The verbs that write an audit entry, and how to tell from the answer that they wrote it. */
const tookEffect = {
  createAccount: (answer) => answer !== "exists",
  updateAccount: (answer) => answer !== undefined,
  removeAccount: (answer) => answer.kind === "removed",
  createTarget: (answer) => typeof answer !== "string",
  updateTarget: (answer) => answer.kind === "updated",
  removeTarget: (answer) => answer.kind === "removed",
  createKey: (answer) => typeof answer === "object",
  replaceKey: (answer) => answer !== undefined,
  revokeKey: (answer) => answer !== undefined,
  createClient: (answer) => typeof answer === "object",
  rotateClientSecret: (answer) => answer !== undefined,
  removeClient: (answer) => answer !== undefined,
  addSigningKey: (answer) => answer,
  removeSigningKey: (answer) => answer,
} satisfies {
  readonly [Name in NotingVerb]: (answer: Awaited<ReturnType<Store[Name]>>) => boolean;
};

/** The verbs that take one note or several as their last argument. */
type NotingVerb = {
  [Name in keyof Store]: Store[Name] extends (...values: infer Values) => unknown
    ? Values extends readonly [...unknown[], AuditNote | readonly AuditNote[]]
      ? Name
      : never
    : never;
}[keyof Store];

/** The same store. It also writes each audit entry to the server's log, at the level of that moment. */
export function loggingAudit(
  store: Store,
  logger: Pick<Logger, "info" | "debug">,
  levelNow: () => "info" | "debug" = () => "info",
): Store {
  const verbs = Object.entries(tookEffect).map(([name, happened]) => {
    const verb = (store[name as NotingVerb] as Verb).bind(store);
    const logged = async (...values: never[]): Promise<unknown> => {
      const answer = await verb(...values);
      if (happened(answer as never)) {
        for (const note of [values.at(-1)].flat() as unknown as AuditNote[]) {
          logger[levelNow()]({ ...note }, "audit");
        }
      }
      return answer;
    };
    return [name, logged];
  });
  return { ...store, ...(Object.fromEntries(verbs) as Pick<Store, NotingVerb>) };
}
