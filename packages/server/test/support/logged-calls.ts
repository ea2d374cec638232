import { defaultAccountId } from "../../src/domain/access.ts";
import type { Message } from "../../src/domain/message.ts";
import type {
  Asked,
  ChangeAsked,
  Due,
  GetAsked,
  PageAsked,
  Refused,
  ScheduleAsked,
  Told,
  Unknown,
} from "../history/history.ts";
import type { Api, ApiAnswer, CallOptions } from "./api.ts";

/** Calls that write themselves into a history. */
export interface LoggedCalls {
  schedule(key: string, targetId: string, dueAt: Due): Promise<ScheduleAsked>;
  cancel(messageId: string): Promise<ChangeAsked>;
  reschedule(messageId: string, dueAt: Due): Promise<ChangeAsked>;
  get(messageId: string): Promise<GetAsked>;
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
  ): Promise<ChangeAsked> {
    const body = dueAt === null ? undefined : timeIn(dueAt);
    const { answer, times } = await call("POST", `/v1/messages/${messageId}/${verb}`, { body });
    return note({ ...base, ...times, verb, messageId, dueAt, answer: told(answer) });
  }

  function note<Kind extends Asked>(asked: Kind): Kind {
    log.push(asked);
    return asked;
  }

  return {
    async schedule(key, targetId, dueAt) {
      const { answer, times } = await call("POST", "/v1/messages", {
        body: { targetId, ...timeIn(dueAt), payload: key },
        headers: { "idempotency-key": key },
      });
      const asked = { ...base, ...times, key, targetId, dueAt, payload: key };
      return note({ ...asked, verb: "schedule", answer: told(answer) });
    },
    cancel: (messageId) => change("cancel", messageId, null),
    reschedule: (messageId, dueAt) => change("reschedule", messageId, dueAt),
    async get(messageId) {
      const { answer, times } = await call("GET", `/v1/messages/${messageId}`);
      return note({ ...base, ...times, verb: "get", messageId, answer: told(answer) });
    },
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

function told(answer: ApiAnswer | undefined): Told | Refused | Unknown {
  if (answer?.status !== 200) return failed(answer);
  return { kind: "ok", message: readMessage(answer.body) };
}

function failed(answer: ApiAnswer | undefined): Refused | Unknown {
  if (answer === undefined) return { kind: "unknown" };
  if (answer.status >= 500) return { kind: "unknown", isGivenUp: true };
  return { kind: "refused", code: answer.body?.errors[0].code ?? String(answer.status) };
}

type WireMessage = Record<keyof Message, string | number | null>;

/** Reads a message from its wire form, with instants as numbers. */
export function readMessage(wire: WireMessage): Message {
  const message: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(wire)) {
    message[field] =
      field.endsWith("Time") && typeof value === "string" ? Date.parse(value) : value;
  }
  return message as unknown as Message;
}
