import type { CallOptions, ScheduleOptions } from "../call-options.ts";
import { PagedList } from "../lists/paged-list.ts";
import { find, once, path, repeatable, withKey } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { Job, RedriveInput } from "../types/jobs.ts";
import type { PageQuery, TimeQuery } from "../types/lists.ts";
import type { Message } from "../types/messages.ts";
import type {
  CreateTarget,
  RotateSecret,
  Target,
  TargetWithSecret,
  TestResult,
  TestTarget,
  UpdateTarget,
} from "../types/targets.ts";

/** The longest attempt that a target can be set to, and time to answer. */
const testTimeoutMs = 310_000;

export interface RemoveWithMessages extends CallOptions {
  /** Cancels the scheduled messages of the target before it is removed. */
  readonly messages: "cancel";
}

/** Where messages go. */
export class Targets {
  readonly #transport: Transport;
  readonly #testTimeoutMs: number;

  /** @internal */
  constructor(transport: Transport, givenTimeoutMs: number | undefined) {
    this.#transport = transport;
    this.#testTimeoutMs = givenTimeoutMs ?? testTimeoutMs;
  }

  /**
   * Creates a target. Its signing secret is in the answer, and never shown again.
   *
   * @example
   * ```ts
   * const { secret } = await postdate.targets.create({
   *   targetId: "mail",
   *   url: "https://shop.example.com/hooks/mail",
   * });
   * console.log("keep this:", secret);
   * ```
   */
  async create(target: CreateTarget, options?: CallOptions): Promise<TargetWithSecret> {
    return this.#transport.request(once("POST", "/v1/targets", target), options);
  }

  /**
   * All targets, by `targetId`.
   *
   * @example
   * ```ts
   * for await (const { targetId, paused } of postdate.targets.list()) console.log(targetId, paused);
   * ```
   */
  list(query?: PageQuery, options?: CallOptions): PagedList<Target> {
    return new PagedList(this.#transport, "/v1/targets", query, options);
  }

  /**
   * The target, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const target = await postdate.targets.get("mail");
   * console.log(target?.url ?? "no such target");
   * ```
   */
  async get(targetId: string, options?: CallOptions): Promise<Target | null> {
    return this.#transport.request(find(path`/v1/targets/${targetId}`, "E-DI-3004"), options);
  }

  /**
   * Changes the given fields. Null restores a default.
   *
   * @example
   * ```ts
   * await postdate.targets.update("mail", { timeoutMs: 5_000, rateLimit: { max: 100, intervalMs: 1_000 } });
   * ```
   */
  async update(targetId: string, changes: UpdateTarget, options?: CallOptions): Promise<Target> {
    return this.#transport.request(
      repeatable("PATCH", path`/v1/targets/${targetId}`, changes),
      options,
    );
  }

  /**
   * Cancels the scheduled messages of a target and then removes it, as a job. If new messages come before its end,
   * the job fails and the target stays.
   *
   * @example
   * ```ts
   * const { jobId } = await postdate.targets.remove("mail", { messages: "cancel" });
   * const { state } = await postdate.jobs.wait(jobId);
   * console.log(state);
   * ```
   */
  async remove(targetId: string, options: RemoveWithMessages): Promise<Job>;
  /**
   * Removes a target that has no scheduled messages.
   *
   * @example
   * ```ts
   * await postdate.targets.remove("mail");
   * ```
   */
  async remove(targetId: string, options?: CallOptions): Promise<Target>;
  async remove(
    targetId: string,
    { messages, ...options }: Partial<RemoveWithMessages> = {},
  ): Promise<Target | Job> {
    const request = once("DELETE", path`/v1/targets/${targetId}`);
    return this.#transport.request({ ...request, query: { messages } }, options);
  }

  /**
   * Holds deliveries. Messages stay scheduled.
   *
   * @example
   * ```ts
   * await postdate.targets.pause("mail");
   * ```
   */
  async pause(targetId: string, options?: CallOptions): Promise<Target> {
    return this.#transport.request(
      repeatable("POST", path`/v1/targets/${targetId}/pause`),
      options,
    );
  }

  /**
   * Delivers again.
   *
   * @example
   * ```ts
   * await postdate.targets.resume("mail");
   * ```
   */
  async resume(targetId: string, options?: CallOptions): Promise<Target> {
    return this.#transport.request(
      repeatable("POST", path`/v1/targets/${targetId}/resume`),
      options,
    );
  }

  /**
   * Sends a test message now, and waits for the outcome as long as the target's own timeout allows.
   *
   * @example
   * ```ts
   * const { attempt } = await postdate.targets.test("mail", { payload: "hello" });
   * console.log(attempt.outcome, attempt.statusCode);
   * ```
   */
  async test(targetId: string, test?: TestTarget, options?: CallOptions): Promise<TestResult> {
    const request = once("POST", path`/v1/targets/${targetId}/test`, test);
    const timeoutMs = options?.timeoutMs ?? this.#testTimeoutMs;
    return this.#transport.request(request, { ...options, timeoutMs });
  }

  /**
   * Gives the target a new signing secret. The old one also signs for a while.
   *
   * @example
   * ```ts
   * const { secret } = await postdate.targets.rotateSecret("mail", { overlapMs: 3_600_000 });
   * console.log("keep this:", secret);
   * ```
   */
  async rotateSecret(
    targetId: string,
    rotation?: RotateSecret,
    options?: CallOptions,
  ): Promise<TargetWithSecret> {
    return this.#transport.request(
      once("POST", path`/v1/targets/${targetId}/rotate-secret`, rotation),
      options,
    );
  }

  /**
   * The scheduled messages of a target, by `nextDeliveryTime`. Empty if there is no such target: `get` tells.
   *
   * @example
   * ```ts
   * const minTime = new Date();
   * for await (const message of postdate.targets.scheduled("mail", { minTime })) {
   *   console.log(message.messageId, message.nextDeliveryTime);
   * }
   * ```
   */
  scheduled(targetId: string, query?: TimeQuery, options?: CallOptions): PagedList<Message> {
    return new PagedList(
      this.#transport,
      path`/v1/targets/${targetId}/scheduled-messages`,
      query,
      options,
    );
  }

  /**
   * The dead letters of a target, by `deadLetterTime`. Empty if there is no such target: `get` tells.
   *
   * @example
   * ```ts
   * for await (const { messageId } of postdate.targets.deadLetters("mail")) console.log(messageId);
   * ```
   */
  deadLetters(targetId: string, query?: TimeQuery, options?: CallOptions): PagedList<Message> {
    return new PagedList(
      this.#transport,
      path`/v1/targets/${targetId}/dead-letters`,
      query,
      options,
    );
  }

  /**
   * Sends dead letters of a target again, as a job. What became a dead letter after the job was created stays one.
   *
   * @example
   * ```ts
   * const { jobId } = await postdate.targets.redrive("mail", {
   *   filter: { minTime: new Date(Date.now() - 86_400_000) },
   *   ratePerSecond: 50,
   * });
   * const { done, failedAgain } = await postdate.jobs.wait(jobId);
   * console.log(done, failedAgain);
   * ```
   */
  async redrive(
    targetId: string,
    redrive: RedriveInput = {},
    options: ScheduleOptions = {},
  ): Promise<Job> {
    const request = repeatable("POST", path`/v1/targets/${targetId}/dead-letters/redrive`, redrive);
    return this.#transport.request(withKey(request, options), options);
  }
}
