import type { PageTokens } from "../domain/page-token.ts";
import type { TimeZones } from "../domain/time-zones/time-zones.ts";
import type { Clock } from "../platform/clock.ts";
import { createJobIds } from "../platform/job-ids.ts";
import { PlacesInTurn } from "../platform/places-in-turn.ts";
import type { Random } from "../platform/random.ts";
import type { Timers } from "../platform/timers.ts";
import type { LoggedEvent } from "../domain/events/event.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import type { Store } from "../storage/store.ts";
import type { AccessTokens } from "../tokens/access-tokens.ts";
import type { TargetKinds } from "../targets/target-kind.ts";
import { backfillSchedule, previewBackfill } from "./schedules/backfill-schedule.ts";
import { cancelMessageByKey, getMessageByKey, rescheduleMessageByKey } from "./messages/by-key.ts";
import { cancelMessage } from "./messages/cancel-message.ts";
import { createAccountKey } from "./accounts/create-account-key.ts";
import { createAccount } from "./accounts/create-account.ts";
import { createClient } from "./access/create-client.ts";
import { createJob } from "./jobs/create-job.ts";
import { createKey } from "./access/create-key.ts";
import { createSchedule } from "./schedules/create-schedule.ts";
import { createSession } from "./access/create-session.ts";
import { createTarget } from "./targets/create-target.ts";
import type { DeliveryControl } from "./delivery/delivery-control.ts";
import type { EncryptionControl } from "./encryption/encryption-control.ts";
import { endSession } from "./access/end-session.ts";
import { findMessages } from "./messages/find-messages.ts";
import { getActivity } from "./stats/get-activity.ts";
import { getAccount, getOwnAccount } from "./accounts/get-account.ts";
import { getClient } from "./access/get-client.ts";
import { getEncryption } from "./encryption/get-encryption.ts";
import { getForecast } from "./stats/get-forecast.ts";
import { getJob } from "./jobs/get-job.ts";
import { getMessage } from "./messages/get-message.ts";
import { getSchedule } from "./schedules/get-schedule.ts";
import { getSession } from "./access/get-session.ts";
import { getStats } from "./stats/get-stats.ts";
import { getTarget } from "./targets/get-target.ts";
import { getUsage } from "./accounts/get-usage.ts";
import { issueToken } from "./access/issue-token.ts";
import { listAccounts } from "./accounts/list-accounts.ts";
import type { KeyMarks } from "./access/key-marks.ts";
import { listAttempts } from "./messages/list-attempts.ts";
import {
  listAccountAuditEntries,
  listAllAuditEntries,
  listAuditEntries,
} from "./audit/list-audit-entries.ts";
import { listClients } from "./access/list-clients.ts";
import { listDeadLetterGroups } from "./stats/list-dead-letter-groups.ts";
import { listDeadLetters } from "./messages/list-dead-letters.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { listKeys } from "./access/list-keys.ts";
import { listNodes } from "./nodes/list-nodes.ts";
import { listRuns } from "./schedules/list-runs.ts";
import { listScheduledMessages } from "./messages/list-scheduled-messages.ts";
import { listSchedules } from "./schedules/list-schedules.ts";
import { listSigningKeys } from "./access/list-signing-keys.ts";
import { listTargetStats } from "./stats/list-target-stats.ts";
import { listTargets } from "./targets/list-targets.ts";
import { ChangesInTurn } from "./changes/changes-in-turn.ts";
import { createReadsInTurn, longReads } from "./long-reads.ts";
import { slicePlaces } from "./stats/look-in-slices.ts";
import { pauseJob, resumeJob, setJobRate, stopJob } from "./jobs/change-job.ts";
import {
  pauseSchedule,
  resumeSchedule,
  skipRun,
  triggerSchedule,
  unskipRun,
} from "./schedules/change-schedule.ts";
import { pauseTarget, resumeTarget } from "./targets/pause-target.ts";
import { holderWaitPlaces } from "./messages/holder-waits.ts";
import { previewPlaces } from "./jobs/count-in-looks.ts";
import { previewJob } from "./jobs/preview-job.ts";
import { previewSchedule, schedulePreviewPlaces } from "./schedules/preview-schedule.ts";
import { publishKeys } from "./access/publish-keys.ts";
import { putSchedule } from "./schedules/put-schedule.ts";
import { readPayload } from "./messages/read-payload.ts";
import { removeAccount } from "./accounts/remove-account.ts";
import { removeClient } from "./access/remove-client.ts";
import { removeSchedule } from "./schedules/remove-schedule.ts";
import { RememberedLooks } from "./stats/remembered-looks.ts";
import { removeTarget } from "./targets/remove-target.ts";
import { removeTargetWithMessages } from "./jobs/remove-target-with-messages.ts";
import { rescheduleMessage } from "./messages/reschedule-message.ts";
import { revokeKey } from "./access/revoke-key.ts";
import { revokeToken } from "./access/revoke-token.ts";
import { rotateClientSecret } from "./access/rotate-client-secret.ts";
import { rotateSecret } from "./targets/rotate-secret.ts";
import { rotateEncryptionKey } from "./encryption/rotate-encryption-key.ts";
import { rotateSigningKey } from "./access/rotate-signing-key.ts";
import { runPlaces } from "./stats/runs-source.ts";
import { scheduleBatch } from "./messages/schedule-batch.ts";
import { scheduleMessage } from "./messages/schedule-message.ts";
import { resumeAccount, suspendAccount } from "./accounts/suspend-account.ts";
import type { TestPlaces } from "./targets/test-places.ts";
import { testTarget } from "./targets/test-target.ts";
import { updateAccount } from "./accounts/update-account.ts";
import { updateSchedule } from "./schedules/update-schedule.ts";
import { updateTarget } from "./targets/update-target.ts";

/** The HTTP layer uses this to tell an unavailable store from a bug. */
export { StoreUnavailable } from "../storage/store.ts";
/** The HTTP layer uses this to tell an unreachable issuer from an invalid token. */
import { createEventEndpoint } from "./events/create-endpoint.ts";
import { getEventEndpoint } from "./events/get-endpoint.ts";
import { listEventEndpoints } from "./events/list-endpoints.ts";
import { updateEventEndpoint } from "./events/update-endpoint.ts";
import { removeEventEndpoint } from "./events/remove-endpoint.ts";
import { testEventEndpoint } from "./events/test-endpoint.ts";
import { rewindEventEndpoint } from "./events/rewind-endpoint.ts";
import { rotateEventEndpointSecret } from "./events/rotate-endpoint-secret.ts";
import { eventReadPlaces, readEvents } from "./events/read-events.ts";
import { streamEvents } from "./events/stream-events.ts";
import { pauseEventEndpoint, resumeEventEndpoint } from "./events/pause-endpoint.ts";
import type { EventControl, EventReading } from "./events/event-control.ts";
import type { ListeningPlaces } from "./events/listening-places.ts";
import type { TestEvent } from "./events/test-endpoint.ts";
import type { EventSender } from "../targets/event-sender.ts";
export { IssuerUnreachable } from "../tokens/access-tokens.ts";
export type {
  ListedSchedule,
  RequestTake,
  RequestTaken,
  RunView,
  ScheduleView,
} from "../storage/store.ts";

export type { EndpointView, EndpointWithSecret } from "./events/endpoint-view.ts";
export type { EventsRead } from "./events/read-events.ts";
export type { EventStream, StreamPart } from "./events/stream-events.ts";
export type { TestEvent } from "./events/test-endpoint.ts";

export interface OperationDependencies {
  readonly store: Store;
  readonly delivery: DeliveryControl;
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
  readonly pageTokens: PageTokens;
  readonly clock: Clock;
  readonly timeZones: TimeZones;
  readonly timers: Timers;
  readonly random: Random;
  readonly testPlaces: TestPlaces;
  readonly events: EventControl;
  readonly reading: EventReading;
  readonly listeningPlaces: ListeningPlaces;
  readonly eventSender: EventSender;
  readonly writeEvent: (event: LoggedEvent) => string;
  readonly writeTestEvent: (event: TestEvent) => string;
  readonly keyMarks: KeyMarks;
  readonly encryption: EncryptionControl;
  /** How long cancel and reschedule wait for the outcome of an attempt that is in flight. */
  readonly cancelWaitMs: number;
  readonly tokens: AccessTokens;
  /**
   * Call this after a change to the credentials of an account, or of every account (null). It resolves
   * when the change holds on every node and the call may be answered.
   */
  readonly credentialsChanged: (accountId: string | null) => Promise<void>;
  /** Aborts when the server stops and no longer waits for calls under way. */
  readonly stopping: AbortSignal;
}

const all = {
  scheduleMessage,
  scheduleBatch,
  getMessage,
  readPayload,
  listAttempts,
  cancelMessage,
  rescheduleMessage,
  getMessageByKey,
  cancelMessageByKey,
  rescheduleMessageByKey,
  listScheduledMessages,
  listDeadLetters,
  findMessages,
  createJob,
  previewJob,
  getJob,
  listJobs,
  stopJob,
  pauseJob,
  resumeJob,
  setJobRate,
  createSchedule,
  putSchedule,
  getSchedule,
  listSchedules,
  updateSchedule,
  removeSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
  skipRun,
  unskipRun,
  listRuns,
  backfillSchedule,
  previewBackfill,
  previewSchedule,
  getStats,
  getActivity,
  getForecast,
  listDeadLetterGroups,
  listTargetStats,
  createTarget,
  getTarget,
  listTargets,
  updateTarget,
  removeTarget,
  removeTargetWithMessages,
  pauseTarget,
  resumeTarget,
  testTarget,
  rotateSecret,
  createEventEndpoint,
  getEventEndpoint,
  listEventEndpoints,
  updateEventEndpoint,
  removeEventEndpoint,
  pauseEventEndpoint,
  resumeEventEndpoint,
  rewindEventEndpoint,
  testEventEndpoint,
  rotateEventEndpointSecret,
  readEvents,
  streamEvents,
  createKey,
  listKeys,
  revokeKey,
  createSession,
  getSession,
  endSession,
  createClient,
  getClient,
  listClients,
  rotateClientSecret,
  removeClient,
  issueToken,
  revokeToken,
  publishKeys,
  listSigningKeys,
  rotateSigningKey,
  getEncryption,
  rotateEncryptionKey,
  getOwnAccount,
  getUsage,
  listAuditEntries,
  createAccount,
  getAccount,
  listAccounts,
  updateAccount,
  suspendAccount,
  resumeAccount,
  removeAccount,
  createAccountKey,
  listAccountAuditEntries,
  listAllAuditEntries,
  listNodes,
};

const inTurn: ReadonlySet<string> = new Set<keyof typeof all>(longReads);

type Joined<Operation> = Operation extends (options: never, ...values: infer Values) => infer Answer
  ? (...values: Values) => Answer
  : never;

/** Everything that a caller can ask for, each operation joined with its dependencies. */
export type Operations = { readonly [Name in keyof typeof all]: Joined<(typeof all)[Name]> };

export function createOperations(given: OperationDependencies): Operations {
  const takingTurns = createReadsInTurn();
  const dependencies = {
    ...given,
    newJobId: createJobIds({ clock: given.store.clock, random: given.random }),
    looksInTurn: new PlacesInTurn(previewPlaces),
    eventReadsInTurn: new PlacesInTurn(eventReadPlaces),
    slicesInTurn: new PlacesInTurn(slicePlaces),
    looks: new RememberedLooks(given),
    schedulePreviews: new PlacesInTurn(schedulePreviewPlaces),
    runsInTurn: new PlacesInTurn(runPlaces),
    holderWaits: new PlacesInTurn(holderWaitPlaces),
    changesInTurn: new ChangesInTurn(given),
  };
  const joined = Object.entries(all).map(([name, operation]) => {
    const bound = (operation as (...values: unknown[]) => never).bind(undefined, dependencies);
    return [name, inTurn.has(name) ? takingTurns(bound) : bound];
  });
  return Object.fromEntries(joined) as Operations;
}
