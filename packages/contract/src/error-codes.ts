/** What a caller should know of an error code. The service raises it with one of `statuses`. */
export interface ErrorCodeEntry {
  readonly code: string;
  readonly statuses: readonly number[];
  readonly title: string;
  readonly explanation: string;
  readonly whatToDo: string;
  /** Listed so that clients can prepare; nothing raises it yet. */
  readonly reserved?: true;
}

/** By the name that code uses for it, in the order of the reference. */
export const errorCodeRegistry = {
  invalidRequest: {
    code: "E-DI-1001",
    statuses: [400],
    title: "Invalid request",
    explanation:
      "A field, parameter, header or time is missing, unknown, given twice or not what it should be. `field` names it.",
    whatToDo: "Correct what the message names and send the request again.",
  },
  invalidPageToken: {
    code: "E-DI-1002",
    statuses: [400],
    title: "Invalid page token",
    explanation:
      "The page token was edited, cut off, or issued for another account, list, target or filter.",
    whatToDo:
      "Send `nextPageToken` unchanged, with the same `minTime` and `maxTime`; or begin again without a token.",
  },
  misfit: {
    code: "E-DI-1003",
    statuses: [404, 405, 413, 415],
    title: "No such route, method, key or client, wrong media type, or body too large",
    explanation:
      "The request does not fit the interface: there is nothing at the path (404), it has no such method (405, see `Allow`), the body is too large (413) or not `application/json` (415).",
    whatToDo: "Compare path, method, media type and size with the API reference.",
  },
  notAuthenticated: {
    code: "E-DI-2001",
    statuses: [401],
    title: "Not authenticated",
    explanation: "The credential is missing, malformed, expired, revoked or unknown.",
    whatToDo: "Send a valid API key or access token as `Authorization: Bearer …`.",
  },
  insufficientScope: {
    code: "E-DI-2002",
    statuses: [403],
    title: "Insufficient scope",
    explanation: "The credential is valid and does not allow this operation.",
    whatToDo:
      "Use a credential with the scope that `WWW-Authenticate` names. Accounts are managed with the operator's key, and with nothing else.",
  },
  tooManyRequests: {
    code: "E-DI-2003",
    statuses: [429],
    title: "Too many requests",
    explanation:
      "The account has sent more requests than its limit allows. Or a test delivery found no room: in what the target's `maxConcurrency` or `rateLimit` leaves, or among the few tests that an account may run at once. Nothing was sent then, and nothing was counted.",
    whatToDo: "Wait as long as `Retry-After` says.",
  },
  tooManyCredentials: {
    code: "E-DI-2004",
    statuses: [409],
    title: "Too many keys or clients",
    explanation:
      "An account can have 1,000 API keys and 1,000 clients. Those it had before there was a limit stay.",
    whatToDo: "Revoke a key or remove a client that nobody uses, then create the new one.",
  },
  messageTargetNotFound: {
    code: "E-DI-3001",
    statuses: [400],
    title: "Target not found",
    explanation: "A message cannot be scheduled for a target that does not exist or was removed.",
    whatToDo: "Create the target first, or correct `targetId`.",
  },
  targetExists: {
    code: "E-DI-3002",
    statuses: [409],
    title: "Target exists",
    explanation: "There is a target with this `targetId` already.",
    whatToDo: "Change it with PATCH, or choose another `targetId`.",
  },
  targetHasMessages: {
    code: "E-DI-3003",
    statuses: [409],
    title: "Target still has scheduled messages",
    explanation: "Removing the target would leave messages that can never be delivered.",
    whatToDo: "Cancel its scheduled messages or wait until they are delivered; pause it meanwhile.",
  },
  targetNotFound: {
    code: "E-DI-3004",
    statuses: [404],
    title: "No such target",
    explanation: "An operation on a target named one that does not exist.",
    whatToDo: "Correct the `targetId` in the path.",
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
    explanation: "An operation on an account named one that does not exist or was removed.",
    whatToDo: "Correct the `accountId` in the path.",
  },
  accountExists: {
    code: "E-DI-4002",
    statuses: [409],
    title: "Account exists",
    explanation:
      "There is an account with this `accountId`, or there was one: the id of a removed account is not given again.",
    whatToDo: "Choose another `accountId`, or leave it out and have one generated.",
  },
  accountSuspended: {
    code: "E-DI-4003",
    statuses: [403],
    title: "Account suspended",
    explanation:
      "The credential is valid, but the operator has suspended its account. Nothing is lost: what is due is delivered once the account is active again.",
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
    explanation: "The service itself keeps this account: its root key belongs to it.",
    whatToDo: "Suspend it if nobody should use it.",
  },
  messageNotFound: {
    code: "E-DI-5001",
    statuses: [400],
    title: "Message not found",
    explanation: "There is no such message, or it has expired and was removed.",
    whatToDo: "Correct the `messageId` in the path.",
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
      "The message is delivered, dead or cancelled already, or an attempt is running whose outcome was not known in time.",
    whatToDo: "Read the message. While an attempt was running, try again.",
  },
  notReschedulable: {
    code: "E-DI-5004",
    statuses: [400],
    title: "Cannot reschedule already delivered messages",
    explanation: "The message was delivered; it cannot be delivered again.",
    whatToDo: "Schedule a new message.",
  },
  monthlyLimitReached: {
    code: "E-DI-5005",
    statuses: [400],
    title: "Monthly free tier limit reached",
    explanation:
      "The account has scheduled as many messages this month as it may. Test deliveries count as messages.",
    whatToDo: "Wait for the next calendar month (UTC), or have the limit raised.",
  },
  attemptInProgress: {
    code: "E-DI-5006",
    statuses: [409],
    title: "A delivery attempt is in progress",
    explanation: "Its outcome was not known in time, so the message was not rescheduled.",
    whatToDo: "Try again in a moment.",
  },
  idempotencyKeyReused: {
    code: "E-DI-5007",
    statuses: [422],
    title: "Idempotency key reused",
    explanation: "The key was used before, for a request that is not the same.",
    whatToDo: "Use a new key for a new request, and repeat a request unchanged.",
  },
  internalError: {
    code: "E-DI-9001",
    statuses: [500],
    title: "Internal error",
    explanation: "Something went wrong inside the service.",
    whatToDo:
      "Repeat the request with its `Idempotency-Key`; if it persists, report the `x-request-id`.",
  },
  unavailable: {
    code: "E-DI-9002",
    statuses: [503],
    title: "Store unavailable or overloaded",
    explanation:
      "The service is starting, the store cannot be reached or keeps up no longer, or the account has more requests or bytes of bodies under way than it may. Nothing was acknowledged.",
    whatToDo: "Repeat the request, with its `Idempotency-Key`, after `Retry-After`.",
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
