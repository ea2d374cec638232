import { defaultAccountId } from "../../src/domain/access.ts";
import type { KeyOutcome, WantedKey } from "../../src/domain/message-key.ts";
import type { Message } from "../../src/domain/message.ts";
import type {
  Asked,
  AskedBound,
  AskedOptions,
  ChangeAsked,
  Due,
  GetAsked,
  KeyAsked,
  PageAsked,
  Refused,
  ScheduleAsked,
  Told,
  Unknown,
} from "../history/history.ts";
import type { Api, ApiAnswer, CallOptions } from "./api.ts";

/** Calls that write themselves into a history. */
export interface LoggedCalls {
  schedule(
    key: string,
    targetId: string,
    dueAt: Due,
    options?: AskedOptions,
    wantedKey?: WantedKey,
  ): Promise<ScheduleAsked>;
  cancel(messageId: string): Promise<ChangeAsked>;
  /** Without a bound, the message keeps its own. */
  reschedule(messageId: string, dueAt: Due, bound?: AskedBound | null): Promise<ChangeAsked>;
  get(messageId: string): Promise<GetAsked>;
  getByKey(targetId: string, messageKey: string): Promise<KeyAsked>;
  cancelByKey(targetId: string, messageKey: string): Promise<KeyAsked>;
  rescheduleByKey(targetId: string, messageKey: string, dueAt: Due): Promise<KeyAsked>;
  /** Does not write to the log. The caller that walks decides whether the page counts. */
  page(walk: string, targetId: string, pageToken: string | null): Promise<LoggedPage>;
}

export interface LoggedPage {
  readonly asked: PageAsked;
  readonly nextPageToken: string | null;
}

const pageLimit = 20;

/** Calls the service over plain HTTP and logs each request and answer. A message's payload is its key. */
export function loggedCalls(api: Api, writer: string, log: Asked[]): LoggedCalls {
  const base = { accountId: defaultAccountId, writer };

  async function call(method: string, path: string, options?: CallOptions) {
    const askedAt = Date.now();
    const answer = await api(method, path, options).catch(() => undefined);
    return { answer, times: { askedAt, answeredAt: Date.now() } };
  }

  async function change(
    verb: ChangeAsked["verb"],
    messageId: string,
    dueAt: Due | null,
    bound?: AskedBound | null,
  ): Promise<ChangeAsked> {
    const body = dueAt === null ? undefined : { ...timeIn(dueAt), ...boundIn(bound) };
    const { answer, times } = await call("POST", `/v1/messages/${messageId}/${verb}`, { body });
    const asked = { ...base, ...times, verb, messageId, dueAt, answer: told(answer) };
    return note(bound === undefined ? asked : { ...asked, bound });
  }

  async function byKey(
    verb: KeyAsked["verb"],
    targetId: string,
    messageKey: string,
    dueAt: Due | null = null,
  ): Promise<KeyAsked> {
    const [action] = verb.split(" ");
    const path = `/v1/targets/${targetId}/keys/${encodeURIComponent(messageKey)}`;
    const { answer, times } =
      action === "get"
        ? await call("GET", path)
        : await call("POST", `${path}/${action}`, dueAt === null ? {} : { body: timeIn(dueAt) });
    const asked = { ...base, ...times, verb, targetId, messageKey, dueAt };
    return note({ ...asked, answer: told(answer) });
  }

  function note<Kind extends Asked>(asked: Kind): Kind {
    log.push(asked);
    return asked;
  }

  return {
    async schedule(key, targetId, dueAt, options = {}, wantedKey) {
      const { bound, ...others } = options;
      const when = wantedKey === undefined ? timeIn(dueAt) : keyIn(wantedKey, dueAt);
      const { answer, times } = await call("POST", "/v1/messages", {
        body: { targetId, ...when, payload: key, ...others, ...boundIn(bound) },
        headers: { "idempotency-key": key },
      });
      const asked = { ...base, ...times, key, targetId, dueAt, payload: key, options };
      const entry = { ...asked, verb: "schedule", answer: told(answer) } as const;
      return note(wantedKey === undefined ? entry : { ...entry, wantedKey });
    },
    cancel: (messageId) => change("cancel", messageId, null),
    reschedule: (messageId, dueAt, bound) => change("reschedule", messageId, dueAt, bound),
    async get(messageId) {
      const { answer, times } = await call("GET", `/v1/messages/${messageId}`);
      return note({ ...base, ...times, verb: "get", messageId, answer: told(answer) });
    },
    getByKey: (targetId, key) => byKey("get by key", targetId, key),
    cancelByKey: (targetId, key) => byKey("cancel by key", targetId, key),
    rescheduleByKey: (targetId, key, dueAt) => byKey("reschedule by key", targetId, key, dueAt),
    async page(walk, targetId, pageToken) {
      const query = new URLSearchParams({ limit: String(pageLimit) });
      if (pageToken !== null) query.set("pageToken", pageToken);
      const path = `/v1/targets/${targetId}/scheduled-messages?${query.toString()}`;
      const { answer, times } = await call("GET", path);
      const list = { walk, list: "scheduled", targetId, limit: pageLimit } as const;
      const asked = { ...base, ...times, ...list, verb: "list page" } as const;
      const noFilter = { minTime: null, maxTime: null };
      if (answer?.status !== 200) {
        return { asked: { ...asked, ...noFilter, answer: failed(answer) }, nextPageToken: null };
      }
      const { items, nextPageToken } = answer.body;
      const isLast = nextPageToken === null;
      const page = { kind: "ok", items: items.map(readMessage), isLast } as const;
      return { asked: { ...asked, ...noFilter, answer: page }, nextPageToken };
    },
  };
}

/** The field of a body that says when. */
function timeIn(due: Due): object {
  return typeof due === "number" ? { deliveryTime: new Date(due).toISOString() } : due;
}

/** The fields of a body that ask for a key, and say when. */
function keyIn({ key, onConflict, maxWaitMs }: WantedKey, due: Due): object {
  if (typeof due === "number" || maxWaitMs === null) return { key, onConflict, ...timeIn(due) };
  return { key, onConflict, debounce: { quietMs: due.delayMs, maxWaitMs } };
}

/** The field of a body that bounds attempts. */
function boundIn(bound: AskedBound | null | undefined): object {
  if (bound === undefined) return {};
  if (bound === null) return { notAfter: null };
  return "notAfter" in bound ? { notAfter: new Date(bound.notAfter).toISOString() } : bound;
}

function told(answer: ApiAnswer | undefined): Told | Refused | Unknown {
  if (answer?.status !== 200) return failed(answer);
  const keyOutcome = answer.headers.get("postdate-key-outcome") as KeyOutcome | null;
  const message = readMessage(answer.body);
  return { kind: "ok", message, ...(keyOutcome !== null && { keyOutcome }) };
}

function failed(answer: ApiAnswer | undefined): Refused | Unknown {
  if (answer === undefined) return { kind: "unknown" };
  // A node that stood still for longer than a request may take to arrive turns it away with 408.
  if (answer.status >= 500 || answer.status === 408) return { kind: "unknown", isGivenUp: true };
  return { kind: "refused", code: answer.body?.errors[0].code ?? String(answer.status) };
}

type WireMessage = Readonly<Record<string, unknown>>;

/** Fields of a message that an answer has only where they are set. */
const optionNames = new Set([
  "key",
  "labels",
  "retryPolicy",
  "notAfter",
  "notAfterMs",
  "flexWindowMs",
]);

/** Reads a message from its wire form, with instants as numbers. */
export function readMessage({
  deadLetterReason = null,
  cancellationReason = deadLetterReason,
  ...wire
}: WireMessage): Message {
  const message: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(wire)) {
    const isTime = field.endsWith("Time") || field === "notAfter";
    const part = optionNames.has(field) ? options : message;
    part[field] = isTime && typeof value === "string" ? Date.parse(value) : value;
  }
  const isPlain = Object.keys(options).length === 0;
  message["options"] = isPlain ? null : options;
  message["endReason"] = cancellationReason;
  return message as unknown as Message;
}
