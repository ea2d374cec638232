import type { AttemptReport } from "../../../src/domain/attempt.ts";
import type { EventArrival } from "../../history/events/told-events.ts";
import type { EventPost, EventSender } from "../../../src/targets/event-sender.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { SimulatedProcess } from "../world/simulated-process.ts";
import type { SimulatedTime } from "../world/simulated-time.ts";

/** A request of which more becomes known. */
type OpenArrival = { -readonly [Field in keyof EventArrival]: EventArrival[Field] };

/** What a world can have wrong on purpose. */
export type SenderDefect = "takes-failure-for-success";

const timeoutMs = 15_000;
const unanswered: AttemptReport = {
  outcome: "CONNECTION_FAILED",
  statusCode: null,
  error: "broken off",
  response: null,
  retryAfterMs: null,
};

/** Receivers of events that answer, fail, hang, and take events without an answer that arrives. */
export class SimulatedWebhooks {
  readonly arrivals: EventArrival[] = [];
  /** The share of requests that go well. */
  mood = 1;
  readonly #time: SimulatedTime;
  readonly #random: SeededRandom;
  readonly #defect: SenderDefect | undefined;

  constructor(time: SimulatedTime, random: SeededRandom, defect?: SenderDefect) {
    this.#time = time;
    this.#random = random;
    this.#defect = defect;
  }

  /** Answers come back through the node's timers, so a dead node gets none. */
  senderFor(nodeId: string, process: SimulatedProcess): Pick<EventSender, "send"> {
    return { send: (post) => this.#send(nodeId, process, post) };
  }

  #send(nodeId: string, process: SimulatedProcess, post: EventPost): Promise<AttemptReport> {
    const told: { readonly id: string }[] = [JSON.parse(Buffer.from(post.body).toString())].flat();
    const eventIds = told.map(({ id }) => id);
    const arrival: OpenArrival = {
      ...{ endpointId: post.endpointId, nodeId, eventIds, startedAt: this.#time.monotonic() },
      ...{ takenAt: null, endedAt: Infinity },
    };
    this.arrivals.push(arrival);
    const { report, tookMs, isTaken } = this.#reaction();
    if (isTaken) this.#time.after(tookMs / 2, () => (arrival.takenAt = this.#time.monotonic()));
    return new Promise((resolve) => {
      const end = (answer: AttemptReport): void => {
        if (arrival.endedAt !== Infinity) return;
        timer.cancel();
        arrival.endedAt = this.#time.monotonic();
        const isLie = this.#defect !== undefined && answer.outcome === "BAD_STATUS";
        resolve(isLie ? { ...answer, outcome: "DELIVERED", statusCode: 200 } : answer);
      };
      const timer = process.after(tookMs, () => end(report));
      post.signal.addEventListener("abort", () => end(unanswered), { once: true });
    });
  }

  #reaction() {
    const chance = this.#random;
    const tookMs = chance.between(1, 80);
    const answers = (statusCode: number, retryAfterMs: number | null = null) => ({
      report: { ...unanswered, outcome: "BAD_STATUS", statusCode, retryAfterMs } as AttemptReport,
      ...{ tookMs, isTaken: false },
    });
    if (chance.happens(this.mood)) {
      const report: AttemptReport = { ...unanswered, outcome: "DELIVERED", statusCode: 204 };
      return { report, tookMs, isTaken: true };
    }
    return chance.pick([
      () => answers(500),
      () => answers(chance.pick([429, 503]), chance.between(1, 30) * 1_000),
      () => ({ report: unanswered, tookMs, isTaken: true }),
      () => ({
        report: { ...unanswered, outcome: "TIMEOUT" } as AttemptReport,
        ...{ tookMs: timeoutMs, isTaken: chance.happens(0.5) },
      }),
    ])();
  }
}
