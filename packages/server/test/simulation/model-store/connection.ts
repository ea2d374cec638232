import type { AuditQuery } from "../../../src/storage/store.ts";
import type { Context } from "./database-state.ts";
import { accountVerbs } from "./verbs/accounts.ts";
import { keyVerbs } from "./verbs/access-keys.ts";
import { changeMessage } from "./verbs/change-message.ts";
import { claimDue } from "./verbs/claim-due.ts";
import { clientVerbs } from "./verbs/clients.ts";
import { encryptionVerbs } from "./verbs/encryption.ts";
import { endOutrun } from "./verbs/end-outrun.ts";
import { eventVerbs } from "./verbs/events/events.ts";
import { findMessages } from "./verbs/find-messages.ts";
import { advanceJob } from "./verbs/jobs/advance-job.ts";
import { lookForBackfill } from "./verbs/jobs/backfill.ts";
import { jobVerbs } from "./verbs/jobs/jobs.ts";
import { advanceSchedules } from "./verbs/schedules/advance-schedules.ts";
import { changeSchedule } from "./verbs/schedules/change-schedule.ts";
import { judgeRuns } from "./verbs/schedules/judge-runs.ts";
import { scheduleVerbs } from "./verbs/schedules/schedules.ts";
import { nodeMemberships } from "./verbs/memberships.ts";
import { readMessages } from "./verbs/read-messages.ts";
import { recordAttempts } from "./verbs/record-attempts.ts";
import { removeExpired } from "./verbs/remove-expired.ts";
import { scheduleMessages } from "./verbs/schedule-messages.ts";
import { serviceKeyVerbs } from "./verbs/service-keys.ts";
import { sessionVerbs } from "./verbs/sessions.ts";
import { statsVerbs } from "./verbs/stats.ts";
import { targetTests } from "./verbs/target-tests.ts";
import { targetVerbs } from "./verbs/targets.ts";
import { upcoming, upcomingByTarget } from "./verbs/upcoming.ts";

function databaseVerbs(context: Context) {
  return {
    scheduleMessages: scheduleMessages(context),
    ...readMessages(context),
    findMessages: findMessages(context),
    ...changeMessage(context),
    ...jobVerbs(context),
    lookForBackfill: lookForBackfill(context),
    advanceJob: advanceJob(context),
    ...scheduleVerbs(context),
    changeSchedule: changeSchedule(context),
    advanceSchedules: advanceSchedules(context),
    judgeRuns: judgeRuns(context),
    ...eventVerbs(context),
    ...statsVerbs(context),
    ...nodeMemberships(context),
    upcoming: upcoming(context),
    upcomingByTarget: upcomingByTarget(context),
    claimDue: claimDue(context),
    ...recordAttempts(context),
    endOutrun: endOutrun(context),
    removeExpired: removeExpired(context),
    ...targetVerbs(context),
    ...targetTests(context),
    ...accountVerbs(context),
    listAuditEntries: (query: AuditQuery) => context.state.auditLog.list(query),
    ...keyVerbs(context),
    ...sessionVerbs(context),
    ...clientVerbs(context),
    ...serviceKeyVerbs(context),
    ...encryptionVerbs(context),
  };
}

type DatabaseVerbs = ReturnType<typeof databaseVerbs>;

/** The calls that a node can make to the database. Each is answered separately, like a statement. */
export type Connection = {
  readonly [Name in keyof DatabaseVerbs]: (
    ...args: Parameters<DatabaseVerbs[Name]>
  ) => Promise<Awaited<ReturnType<DatabaseVerbs[Name]>>>;
};

export interface ConnectionGuard {
  /** Throws if the node may not make calls any more. */
  before(): void;
  /** Runs after the immediate effect of a verb. */
  after(verb: string): void;
}

export function connect(context: Context, guard: ConnectionGuard): Connection {
  const verbs = Object.entries(databaseVerbs(context)).map(([name, verb]) => {
    const call = verb as (...args: readonly unknown[]) => unknown;
    const ask = (...args: readonly unknown[]): Promise<unknown> => {
      try {
        guard.before();
        const answer = call(...args);
        guard.after(name);
        return Promise.resolve(answer);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    return [name, ask];
  });
  return Object.fromEntries(verbs) as Connection;
}
