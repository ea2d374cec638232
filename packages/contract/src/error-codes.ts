/** What a caller should know about an error code. The service answers it with one of `statuses`. */
export interface ErrorCodeEntry {
  readonly code: string;
  readonly statuses: readonly number[];
  readonly title: string;
  readonly explanation: string;
  readonly whatToDo: string;
  /** Listed so that clients can prepare. The service does not raise it yet. */
  readonly reserved?: true;
}

/** By the names in the code, in the order of the reference. */
export const errorCodeRegistry = {
  invalidRequest: {
    code: "E-DI-1001",
    statuses: [400],
    title: "Invalid request",
    explanation:
      "A field, parameter, header or time is missing, unknown, given twice or not valid. `field` names it.",
    whatToDo: "Correct what the message names and send the request again.",
  },
  invalidPageToken: {
    code: "E-DI-1002",
    statuses: [400],
    title: "Invalid page token",
    explanation:
      "The page token was edited, cut off, or issued for another account, list, target or filter.",
    whatToDo:
      "Send `nextPageToken` unchanged, with the same filters. Or start again without a token.",
  },
  misfit: {
    code: "E-DI-1003",
    statuses: [404, 405, 413, 415],
    title: "No such route, method, key or client, wrong media type, or body too large",
    explanation:
      "The request does not fit the API: there is nothing at the path (404), the path does not have the method (405, see `Allow`), the body is too large (413), or it is not plain `application/json` (415).",
    whatToDo: "Compare path, method, media type and size with the API reference.",
  },
  notAuthenticated: {
    code: "E-DI-2001",
    statuses: [401],
    title: "Not authenticated",
    explanation:
      "The credential is missing, malformed, expired, revoked or unknown. Or it is the cookie of a session, and the request did not come from a page of this server.",
    whatToDo:
      "Send a valid API key or access token as `Authorization: Bearer …`. In the console, sign in again.",
  },
  insufficientScope: {
    code: "E-DI-2002",
    statuses: [403],
    title: "Insufficient scope",
    explanation: "The credential is valid, but does not allow this operation.",
    whatToDo:
      "Use a credential with the scope that `WWW-Authenticate` names. To manage accounts, use the operator's key; no other credential can.",
  },
  tooManyRequests: {
    code: "E-DI-2003",
    statuses: [429],
    title: "Too many requests",
    explanation:
      "The account has sent more requests than its limit allows. Or the address has tried to sign in too often. Or there was no room for a test delivery: the target's `maxConcurrency` or `rateLimit` was used up, or the account was already running as many tests as it may. In that case nothing was sent and nothing was counted. Or the account, or the node, has as many event streams open and calls waiting for events as it may.",
    whatToDo:
      "Wait for as long as `Retry-After` says, then try again. If streams are in the way, close those that nobody reads.",
  },
  tooManyCredentials: {
    code: "E-DI-2004",
    statuses: [409],
    title: "Too many keys or clients",
    explanation:
      "An account can have 1,000 API keys and 1,000 clients. If it had more before this limit existed, they stay.",
    whatToDo: "Revoke a key or remove a client that is no longer used, then create the new one.",
  },
  messageTargetNotFound: {
    code: "E-DI-3001",
    statuses: [400],
    title: "Target not found",
    explanation:
      "You cannot schedule a message, or create a job or a recurring schedule, for a target that does not exist or was removed.",
    whatToDo: "Create the target first, or correct `targetId`.",
  },
  targetExists: {
    code: "E-DI-3002",
    statuses: [409],
    title: "Target exists",
    explanation: "A target with this `targetId` already exists.",
    whatToDo: "Change it with PATCH, or choose another `targetId`.",
  },
  targetHasMessages: {
    code: "E-DI-3003",
    statuses: [409],
    title: "Target still has scheduled messages or recurring schedules",
    explanation:
      "Without the target, these messages could never be delivered, and these schedules could make none. So it cannot be removed yet.",
    whatToDo:
      "Remove its schedules, or give them another target; `GET /v1/schedules?targetId=…` lists them. Then remove it with `messages=cancel`, which cancels its messages first. Or wait until they are delivered, then remove it.",
  },
  targetNotFound: {
    code: "E-DI-3004",
    statuses: [404],
    title: "No such target",
    explanation: "The target that the request names does not exist.",
    whatToDo: "Correct the `targetId`.",
  },
  addressNotAllowed: {
    code: "E-DI-3005",
    statuses: [400],
    title: "Target address not allowed",
    explanation:
      "The address is loopback, private, link-local or otherwise special, and the operator has not allowed it.",
    whatToDo: "Use a public address, or ask the operator to allow its range.",
  },
  accountNotFound: {
    code: "E-DI-4001",
    statuses: [404],
    title: "No such account",
    explanation: "The account that the request names does not exist or was removed.",
    whatToDo: "Correct the `accountId` in the path.",
  },
  accountExists: {
    code: "E-DI-4002",
    statuses: [409],
    title: "Account exists",
    explanation:
      "An account with this `accountId` exists, or existed before: the id of a removed account cannot be used again.",
    whatToDo: "Choose another `accountId`, or leave it out to get a generated one.",
  },
  accountSuspended: {
    code: "E-DI-4003",
    statuses: [403],
    title: "Account suspended",
    explanation:
      "The credential is valid, but the operator has suspended its account. Nothing is lost: once the account is active again, its due messages are delivered.",
    whatToDo: "Ask the operator to resume the account.",
  },
  accountNotSuspended: {
    code: "E-DI-4004",
    statuses: [409],
    title: "Account is not suspended",
    explanation: "Only a suspended account can be removed.",
    whatToDo: "Suspend it first, then remove it.",
  },
  defaultAccountStays: {
    code: "E-DI-4005",
    statuses: [409],
    title: "The default account cannot be removed",
    explanation: "The service needs this account: the root key belongs to it.",
    whatToDo: "If nobody should use it, suspend it.",
  },
  messageNotFound: {
    code: "E-DI-5001",
    statuses: [400],
    title: "Message not found",
    explanation:
      "There is no such message, or it has expired and was removed. Or no scheduled message of the target has the key.",
    whatToDo: "Correct the `messageId` or the `key` in the path.",
  },
  payloadTooLarge: {
    code: "E-DI-5002",
    statuses: [400],
    title: "Payload was too large",
    explanation: "The payload has more than 61,440 Unicode code points.",
    whatToDo: "Shorten it, or store it elsewhere and schedule a reference to it.",
  },
  notCancellable: {
    code: "E-DI-5003",
    statuses: [400],
    title: "Cannot cancel message in the current state",
    explanation:
      "The message is already delivered, dead or cancelled. Or an attempt is running, and its outcome was not known in time.",
    whatToDo: "Read the message. If an attempt was running, try again.",
  },
  notReschedulable: {
    code: "E-DI-5004",
    statuses: [400],
    title: "Cannot reschedule already delivered messages",
    explanation:
      "The message was delivered, or its schedule has put another one in its place, so it cannot be rescheduled.",
    whatToDo: "Schedule a new message.",
  },
  monthlyLimitReached: {
    code: "E-DI-5005",
    statuses: [400],
    title: "Monthly free tier limit reached",
    explanation:
      "The account has scheduled as many messages this month as its limit allows. Test deliveries count as messages.",
    whatToDo: "Wait for the next calendar month (UTC), or ask the operator to raise the limit.",
  },
  attemptInProgress: {
    code: "E-DI-5006",
    statuses: [409],
    title: "A delivery attempt is in progress",
    explanation:
      "The outcome of the attempt was not known in time, so the message was neither rescheduled nor replaced.",
    whatToDo: "Try again in a moment.",
  },
  idempotencyKeyReused: {
    code: "E-DI-5007",
    statuses: [422],
    title: "Idempotency key reused",
    explanation: "The key was used before, for a different request.",
    whatToDo: "Use a new key for a new request. To repeat a request, send it unchanged.",
  },
  messageKeyTaken: {
    code: "E-DI-5008",
    statuses: [409],
    title: "Another message has the key",
    explanation:
      "Among the scheduled messages of a target, one at most has a key. The message that has it is named.",
    whatToDo: "Choose with `onConflict` what should happen, or wait until that message has ended.",
  },
  scheduleNotFound: {
    code: "E-DI-6001",
    statuses: [404],
    title: "No such schedule",
    explanation: "The account has no recurring schedule with this id.",
    whatToDo: "Check the id, or list the schedules.",
  },
  scheduleExists: {
    code: "E-DI-6002",
    statuses: [409],
    title: "The schedule exists",
    explanation: "The account has a recurring schedule with this id.",
    whatToDo:
      "Change it with `PATCH`, replace it whole with `PUT`, choose another id, or leave the id out.",
  },
  noOccurrence: {
    code: "E-DI-6003",
    statuses: [400],
    title: "No occurrence within 50 years",
    explanation:
      "The schedule names no time in the next fifty years, such as 30 February, or `endTime` and `except` leave none.",
    whatToDo: "Correct the days and months of `cron`, the times of `at`, or the bounds.",
  },
  noOpenOccurrence: {
    code: "E-DI-6004",
    statuses: [409],
    title: "No such open occurrence",
    explanation:
      "To skip: the schedule is not due at this time, or the run's message is due already, or attempted. To unskip: the time was not called off, or is over.",
    whatToDo: "Give a time as `nextRunTime` or a preview shows it, with its milliseconds.",
  },
  tooManySchedules: {
    code: "E-DI-6005",
    statuses: [409],
    title: "Too many schedules or skips",
    explanation:
      "An account has at most 100,000 recurring schedules. A schedule has at most 1,000 times to come that are called off.",
    whatToDo:
      "Remove schedules that are no longer needed. Instead of many skips, name days in `except`, or pause the schedule until a time.",
  },
  jobNotFound: {
    code: "E-DI-7001",
    statuses: [404],
    title: "No such job",
    explanation: "The account has no job with this id, or the job ended long ago and was removed.",
    whatToDo: "Check the id, or list the jobs.",
  },
  targetHasJob: {
    code: "E-DI-7002",
    statuses: [409],
    title: "Another job works on the target",
    explanation:
      "A target has one job at a time, and so has an account for jobs that name no target. A paused job counts too. The job is named.",
    whatToDo: "Wait until that job has ended, or stop it.",
  },
  jobEnded: {
    code: "E-DI-7003",
    statuses: [409],
    title: "The job has ended",
    explanation: "A job that is done, stopped or failed changes no more.",
    whatToDo:
      "Nothing, if the job has done its work. A new job meets everything that matches then: after a stopped `shift` also what that one has moved, so name the rest by `minTime` and `maxTime`. To go on later, pause a job instead of stopping it.",
  },
  tooManyJobs: {
    code: "E-DI-7004",
    statuses: [409],
    title: "Too many jobs",
    explanation: "An account has at most 50 jobs that have not ended. Paused jobs count too.",
    whatToDo: "Wait until one of them has ended, or stop one.",
  },
  eventEndpointNotFound: {
    code: "E-DI-8001",
    statuses: [404],
    title: "No such event endpoint",
    explanation: "The account has no event endpoint with this id.",
    whatToDo: "Check the id, or list the event endpoints.",
  },
  eventPositionGone: {
    code: "E-DI-8002",
    statuses: [410],
    title: "The position is no longer in the log",
    explanation:
      "Events after the position have left the log: it is older than the retention. Or the log was set back since the position was given, as by a restored backup, and no longer has the event there.",
    whatToDo:
      "Read on from `from=oldest`, and take into account that events are missing. Read more often than the retention is long.",
  },
  eventEndpointKind: {
    code: "E-DI-8003",
    statuses: [409],
    title: "Not for this kind of event endpoint",
    explanation:
      "Only a `webhook` can be paused, resumed, tested, rewound and get another secret, and only it has `url`, `headers` and `maxBatch`. A `stream` is read by its callers, who know how far they are.",
    whatToDo: "To be sent events, create an endpoint of kind `webhook`.",
  },
  tooManyEventEndpoints: {
    code: "E-DI-8004",
    statuses: [409],
    title: "Too many event endpoints",
    explanation: "An account has at most 10 event endpoints.",
    whatToDo:
      "Remove one that is no longer needed, or let several readers read the same endpoint: each has its own position.",
  },
  eventEndpointExists: {
    code: "E-DI-8005",
    statuses: [409],
    title: "The event endpoint exists",
    explanation: "The account has an event endpoint with this id.",
    whatToDo: "Change it with `PATCH`, choose another id, or leave the id out.",
  },
  internalError: {
    code: "E-DI-9001",
    statuses: [500],
    title: "Internal error",
    explanation: "Something went wrong inside the service.",
    whatToDo:
      "Repeat the request with the same `Idempotency-Key`. If the error persists, report the `x-request-id`.",
  },
  unavailable: {
    code: "E-DI-9002",
    statuses: [503],
    title: "Store unavailable or overloaded",
    explanation:
      "The service is starting, the store cannot be reached or cannot keep up, or the account has more running requests or bytes of bodies than it may. Or the request is about a recurring schedule, and another node has newer time-zone data than the one that answers. Nothing was acknowledged.",
    whatToDo:
      "Wait for as long as `Retry-After` says, then repeat the request with the same `Idempotency-Key`.",
  },
  keyNotExchangeable: {
    code: "E-DI-9003",
    statuses: [409],
    title: "The encryption key cannot be exchanged now",
    explanation:
      "Every value is sealed with the present key already, or some nodes still seal with another one.",
    whatToDo:
      "Set the next key on every node and restart them one by one, as the operating guide says, then ask again.",
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
