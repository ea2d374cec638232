import type { EventEndpoint } from "../../../src/domain/events/event-endpoint.ts";
import { Membership } from "../../../src/engine/cluster/membership.ts";
import { Courier } from "../../../src/engine/events/courier/courier.ts";
import { LogWatch } from "../../../src/engine/events/reading/log-watch.ts";
import { startInOrder } from "../../../src/platform/running-parts.ts";
import type { Store } from "../../../src/storage/store.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import { SimulatedProcess } from "../world/simulated-process.ts";
import type { SimulatedTime } from "../world/simulated-time.ts";
import type { SimulatedWebhooks } from "./simulated-webhooks.ts";

export interface CourierProcessOptions {
  readonly name: string;
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  readonly webhooks: SimulatedWebhooks;
  readonly openStore: (process: SimulatedProcess, nodeId: string) => Store;
  readonly onDied: (nodeId: string) => void;
}

/** A node that only sends events: the real membership and courier, on simulated time and store. */
export class CourierProcess {
  readonly #options: CourierProcessOptions;
  #process: SimulatedProcess | undefined;
  #nodeId = "";
  #runs = 0;
  #courier: Courier | undefined;

  constructor(options: CourierProcessOptions) {
    this.#options = options;
  }

  start(): void {
    const { name, time, random, webhooks, openStore } = this.#options;
    const nodeId = `${name}.${++this.#runs}`;
    const process = new SimulatedProcess(time, 0);
    const store = openStore(process, nodeId);
    const observer = { trouble: () => {}, leaseGranted: () => {} };
    const shared = { store, clock: process, timers: process, observer };
    const membership: Membership = new Membership({
      ...shared,
      ...{ nodeId, role: "all", onNodes() {}, onFreed() {}, onGone() {} },
      onJoined: () => courier.noteEndpoint(),
      onLost: () => courier.interrupt(),
    });
    const logs = new LogWatch(shared);
    const courier = new Courier({
      ...shared,
      ...{ logs, membership, random, drainTimeoutMs: 5_000 },
      sender: webhooks.senderFor(nodeId, process),
      openWebhook: () => ({
        settings: { url: "", headers: {} },
        secrets: { current: "", previous: null, previousUntil: null },
      }),
      writeEvent: ({ eventId }) => JSON.stringify({ id: eventId }),
      places: { steady: 4, failing: 2 },
    });
    this.#process = process;
    this.#nodeId = nodeId;
    this.#courier = courier;
    // A server that cannot start ends, and its supervisor starts it again.
    startInOrder([membership, courier]).catch(() => this.kill(1_000));
  }

  kill(downMs: number): void {
    if (this.#process === undefined || this.#process.dead) return;
    this.#process.kill();
    this.#options.onDied(this.#nodeId);
    this.#options.time.after(downMs, () => this.start());
  }

  freeze(forMs: number): void {
    this.#process?.stopFor(forMs);
  }

  /** A caller of this node has changed the endpoint. */
  note(endpoint: Pick<EventEndpoint, "accountId">): void {
    if (this.#process?.dead === false) this.#courier?.noteEndpoint(endpoint);
  }
}
