import type { AuditNote } from "../../domain/audit.ts";
import { jobEndedNote, targetRemovedByJobNote } from "../../domain/job-notes.ts";
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
  createSession: (answer) => answer !== undefined,
  endSession: (answer) => answer !== undefined,
  createClient: (answer) => typeof answer === "object",
  rotateClientSecret: (answer) => answer !== undefined,
  removeClient: (answer) => answer !== undefined,
  addSigningKey: (answer) => answer,
  removeSigningKey: (answer) => answer,
  createJob: (answer) => answer.kind === "created",
  createSchedule: (answer) => answer.kind === "created",
  changeSchedule: (answer) => answer.kind === "changed",
  removeSchedule: (answer) => answer !== undefined,
  createEndpoint: (answer) => answer.kind === "created",
  updateEndpoint: (answer) => answer.kind === "updated",
  removeEndpoint: (answer) => answer !== undefined,
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

/** The verbs that decide themselves what to write, and how to tell from the answer what it was. */
const written = {
  changeJob: (answer, [_ref, change, ended]) =>
    answer.kind === "changed" && change.kind === "stop"
      ? [{ ...jobEndedNote(answer.job, ended.entryId), ...ended }]
      : [],
  advanceJob: (answer, [{ endEntryId, removalEntryId }]) => {
    if (answer.kind !== "advanced" || answer.job.endTime === null) return [];
    const { job, removedTargetKey } = answer;
    const removal = removedTargetKey === null ? [] : [targetRemovedByJobNote(job, removalEntryId)];
    return [...removal, jobEndedNote(job, endEntryId)];
  },
} satisfies {
  readonly [Name in "changeJob" | "advanceJob"]: (
    answer: Awaited<ReturnType<Store[Name]>>,
    values: Parameters<Store[Name]>,
  ) => readonly AuditNote[];
};

/** The same store. It also writes each audit entry to the server's log, at the level of that moment. */
export function loggingAudit(
  store: Store,
  logger: Pick<Logger, "info" | "debug">,
  levelNow: () => "info" | "debug" = () => "info",
): Store {
  const noteInLog = (note: AuditNote): void => logger[levelNow()]({ ...note }, "audit");
  const loggingVerb = (name: LoggedVerb, notesOf: NotesOf): [string, Verb] => {
    const verb = (store[name] as Verb).bind(store);
    const logged = async (...values: never[]): Promise<unknown> => {
      const answer = await verb(...values);
      for (const note of notesOf(answer as never, values as never)) noteInLog(note);
      return answer;
    };
    return [name, logged];
  };
  const effects: readonly [string, (answer: never) => boolean][] = Object.entries(tookEffect);
  const noted = effects.map(([name, happened]) =>
    loggingVerb(name as NotingVerb, (answer, values) =>
      happened(answer) ? (values as AuditNote[]).slice(-1).flat() : [],
    ),
  );
  const others = Object.entries(written).map(([name, notesOf]) =>
    loggingVerb(name as keyof typeof written, notesOf),
  );
  return { ...store, ...(Object.fromEntries([...noted, ...others]) as Pick<Store, LoggedVerb>) };
}

type LoggedVerb = NotingVerb | keyof typeof written;
type NotesOf = (answer: never, values: never) => readonly AuditNote[];
