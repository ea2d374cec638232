import { ApiError } from "../api-error.ts";
import type { CallOptions, ScheduleOptions } from "../call-options.ts";
import { checkOptions } from "../call-options.ts";
import { concernsMessages } from "../gathering/batch-request.ts";
import { Gatherer, sendAlone } from "../gathering/gatherer.ts";
import { keyFrom } from "../idempotency-key.ts";
import { InputError } from "../input-error.ts";
import { PagedList } from "../lists/paged-list.ts";
import type { ApiRequest } from "../transport/api-request.ts";
import { find, once, path, repeatable } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { FindQuery, SearchProgress } from "../types/lists.ts";
import type {
  Attempt,
  BatchMessage,
  BatchResult,
  Message,
  ScheduledMessage,
} from "../types/messages.ts";
import type { MessageInput, NewTime } from "./message-input.ts";
import { readMessage, readWhen } from "./read-input.ts";
import type { Begun, ManySource } from "./schedule-many.ts";
import { ScheduledMany } from "./schedule-many.ts";

/** Schedules messages, and reads and changes them. */
export class Messages {
  readonly #transport: Transport;
  readonly #gatherer: Gatherer | undefined;

  /** @internal */
  constructor(transport: Transport, gathers: boolean) {
    this.#transport = transport;
    if (gathers) this.#gatherer = new Gatherer(transport);
  }

  /**
   * Schedules a message. Once it resolves, the message is durable. Calls that come together may travel
   * together; each has its own result.
   *
   * @example
   * ```ts
   * const message = await postdate.messages.schedule(
   *   { targetId: "mail", in: { hours: 2 }, json: { orderId: 4711 } },
   *   { idempotencyKey: "reminder-4711" },
   * );
   * console.log(message.messageId, message.nextDeliveryTime);
   * ```
   */
  async schedule(input: MessageInput, options: ScheduleOptions = {}): Promise<ScheduledMessage> {
    const item = itemOf(input, options);
    const gatherer = this.#gatherer;
    return this.#transport.call(options, (call) => {
      // Headers of its own must not reach the messages of others.
      if (!gatherer || options.headers) {
        return sendAlone(this.#transport, item, call);
      }
      return gatherer.add({ ...item, call });
    });
  }

  /**
   * Schedules many messages in batches, with as much under way as is good for the server. The results
   * are in the order of the source, which is read at most 4,000 items (or 8 million characters) ahead of
   * them; if you stop early, some of these may be scheduled. A message that is refused is a result with an
   * `error`. What would fail all others too, such as a wrong key or a lost connection, throws; give the
   * items an `idempotencyKey` to run the whole again. An error of the source throws after the results of
   * what it gave before. `timeoutMs` is for each request, `signal` for the whole.
   *
   * @example
   * ```ts
   * const orders = [{ id: 1 }, { id: 2 }];
   * const results = postdate.messages.scheduleMany(
   *   orders.map(({ id }) => ({
   *     targetId: "mail",
   *     at: "2030-01-01T09:00:00+01:00",
   *     json: { id },
   *     idempotencyKey: `new-year-${id}`,
   *   })),
   * );
   * for await (const { message, error } of results) console.log(message?.messageId ?? error?.message);
   * ```
   */
  scheduleMany(
    source: ManySource<MessageInput>,
    options: CallOptions = {},
  ): ScheduledMany<MessageInput> {
    checkOptions(options);
    const gatherer = new Gatherer(this.#transport, options);
    const begin = (input: MessageInput): Begun => {
      let size = 0;
      const send = async () => {
        const item = itemOf(input);
        size = item.body.length;
        return { message: await gatherer.add(item) };
      };
      const result = send().catch(resultOf);
      return { size, result };
    };
    return new ScheduledMany({ source, begin, gatherer, signal: options.signal });
  }

  /**
   * One batch as it travels: 1 to 1,000 items. `scheduleMany` is easier.
   *
   * @example
   * ```ts
   * const results = await postdate.messages.scheduleBatch([
   *   { targetId: "mail", deliveryTime: "2030-01-01T09:00:00Z", payload: "hello" },
   * ]);
   * console.log(results[0]?.message ?? results[0]?.errors);
   * ```
   */
  async scheduleBatch(
    items: readonly BatchMessage[],
    options: ScheduleOptions = {},
  ): Promise<BatchResult[]> {
    // What is wrong with an item, also if it is none, the server says.
    const haveKeys = items.some((item) => item?.idempotencyKey !== undefined);
    // Items without a key among others with one get theirs here, so that a retry is safe.
    const messages = haveKeys
      ? items.map((item) => ({ ...item, idempotencyKey: keyFrom(item?.idempotencyKey) }))
      : items;
    const request = repeatable("POST", "/v1/messages/batch", { messages });
    const { idempotencyKey: given } = options;
    // The server refuses a batch that has a key as well as its items.
    const idempotencyKey = haveKeys && given === undefined ? given : keyFrom(given);
    return this.#transport.field("results", { ...request, idempotencyKey }, options);
  }

  /**
   * The message, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const message = await postdate.messages.get("msg_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * console.log(message?.state ?? "no such message");
   * ```
   */
  async get(messageId: string, options?: CallOptions): Promise<Message | null> {
    return this.#transport.request(messageRequest(messageId), options);
  }

  /**
   * Finds messages of all targets, by default the ones scheduled last first. A walk asks for one page after
   * the other, also where a page is empty, until the service has looked at everything. `minTime` and `maxTime`
   * are about `schedulingTime`.
   *
   * @example
   * ```ts
   * const ofOrder = postdate.messages.find({ labels: { order: "4711" }, state: "SCHEDULED" });
   * for await (const { messageId, targetId } of ofOrder) console.log(messageId, targetId);
   * ```
   */
  find(
    { labels, state, ...rest }: FindQuery = {},
    options?: CallOptions,
  ): PagedList<Message, SearchProgress> {
    // A list of states as text has commas between them.
    const query = { ...rest, state: state?.toString(), label: labels && labelsText(labels) };
    return new PagedList(this.#transport, "/v1/messages", query, options);
  }

  /**
   * The payload exactly as it was scheduled, or null if there is no such message.
   *
   * @example
   * ```ts
   * console.log(await postdate.messages.payload("msg_01k9xvq8c7e4nv3q0t2m5r8w1z"));
   * ```
   */
  async payload(messageId: string, options?: CallOptions): Promise<string | null> {
    const request = find(path`/v1/messages/${messageId}/payload`);
    return this.#transport.field("payload", request, options);
  }

  /**
   * The attempts at the message, in the order of their numbers, or null if there is no such message.
   * Of more than 1,000, the latest 1,000.
   *
   * @example
   * ```ts
   * const attempts = await postdate.messages.attempts("msg_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * for (const { number, outcome, statusCode } of attempts ?? []) console.log(number, outcome, statusCode);
   * ```
   */
  async attempts(messageId: string, options?: CallOptions): Promise<Attempt[] | null> {
    const request = find(path`/v1/messages/${messageId}/attempts`);
    return this.#transport.field("attempts", request, options);
  }

  /**
   * Cancels the message. Once it resolves, no attempt is running and none will start.
   *
   * @example
   * ```ts
   * const { cancellationTime } = await postdate.messages.cancel("msg_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * console.log(cancellationTime);
   * ```
   */
  async cancel(messageId: string, options?: CallOptions): Promise<Message> {
    const request = repeatable("POST", path`/v1/messages/${messageId}/cancel`);
    return this.#transport.change<Message>(
      request,
      messageRequest(messageId),
      ({ state }) => state === "CANCELLED",
      options,
    );
  }

  /**
   * Gives the message another delivery time and a fresh retry budget. Dead letters and cancelled messages
   * can be rescheduled too. If the answer was lost and the message has been delivered meanwhile, at or after
   * its new time, this is the delivered message.
   *
   * @example
   * ```ts
   * await postdate.messages.reschedule("msg_01k9xvq8c7e4nv3q0t2m5r8w1z", { in: { days: 1 } });
   * await postdate.messages.reschedule("msg_01k9xvq8c7e4nv3q0t2m5r8w1z", new Date("2030-01-01T09:00:00Z"));
   * ```
   */
  async reschedule(
    messageId: string,
    when: Date | string | NewTime,
    options?: CallOptions,
  ): Promise<Message> {
    const time = readWhen(when);
    const calledAt = Date.now();
    const request = repeatable("POST", path`/v1/messages/${messageId}/reschedule`, time);
    const isMade = ({ lastDeliveryTime }: Message): boolean => {
      const movedTo =
        time.delayMs === undefined ? Date.parse(time.deliveryTime!) : calledAt + time.delayMs;
      // A time in the past means now.
      return Date.parse(lastDeliveryTime ?? "") >= Math.max(movedTo, calledAt);
    };
    return this.#transport.change(request, messageRequest(messageId), isMade, options);
  }

  /**
   * The scheduled message of a target that has this key, or null if none has it.
   *
   * @example
   * ```ts
   * const digest = await postdate.messages.getByKey("mail", "digest-of-4711");
   * console.log(digest?.nextDeliveryTime ?? "nothing is pending");
   * ```
   */
  async getByKey(targetId: string, key: string, options?: CallOptions): Promise<Message | null> {
    return this.#transport.request(find(path`/v1/targets/${targetId}/keys/${key}`), options);
  }

  /**
   * Cancels the scheduled message that has this key. A lost connection throws, because a second try could not
   * tell whether the first was successful.
   *
   * @example
   * ```ts
   * await postdate.messages.cancelByKey("mail", "digest-of-4711");
   * ```
   */
  async cancelByKey(targetId: string, key: string, options?: CallOptions): Promise<Message> {
    const url = path`/v1/targets/${targetId}/keys/${key}/cancel`;
    return this.#transport.request(once("POST", url), options);
  }

  /**
   * Gives the scheduled message that has this key another delivery time.
   *
   * @example
   * ```ts
   * await postdate.messages.rescheduleByKey("mail", "digest-of-4711", { in: { hours: 1 } });
   * ```
   */
  async rescheduleByKey(
    targetId: string,
    key: string,
    when: Date | string | NewTime,
    options?: CallOptions,
  ): Promise<Message> {
    const url = path`/v1/targets/${targetId}/keys/${key}/reschedule`;
    return this.#transport.request(repeatable("POST", url, readWhen(when)), options);
  }
}

function itemOf(input: MessageInput, options: ScheduleOptions = {}) {
  const { body, idempotencyKey = options.idempotencyKey } = readMessage(input);
  return { body, idempotencyKey: keyFrom(idempotencyKey) };
}

function messageRequest(messageId: string): ApiRequest {
  return find(path`/v1/messages/${messageId}`);
}

/** As the service reads them. Without any, the search has no such filter. */
function labelsText(labels: Readonly<Record<string, string>>): string | undefined {
  const texts = Object.entries(labels).map(
    ([name, value]) => `${name}:${value.replace(/[\\,]/g, "\\$&")}`,
  );
  return texts.join() || undefined;
}

function resultOf(error: unknown) {
  const isOfItem =
    error instanceof InputError || (error instanceof ApiError && concernsMessages(error));
  return isOfItem ? { error } : { failure: error };
}
