import { createPageTokens } from "../../../src/domain/page-token.ts";
import type { Target } from "../../../src/domain/target.ts";
import { createEngine } from "../../../src/engine/create-engine.ts";
import type { EngineOptions } from "../../../src/engine/create-engine.ts";
import { engineBounds } from "../../../src/engine/delivery/bounds.ts";
import type { EngineBounds } from "../../../src/engine/delivery/bounds.ts";
import type { OpenTarget } from "../../../src/engine/delivery/lane.ts";
import { writeEvent } from "../../../src/http/wire/wire-events.ts";
import { createKeyMarks } from "../../../src/operations/access/key-marks.ts";
import { TimeZones } from "../../../src/domain/time-zones/time-zones.ts";
import { createOperations } from "../../../src/operations/operations.ts";
import { ListeningPlaces } from "../../../src/operations/events/listening-places.ts";
import { TestPlaces } from "../../../src/operations/targets/test-places.ts";
import type { OperationDependencies, Operations } from "../../../src/operations/operations.ts";
import { stopInReverse } from "../../../src/platform/running-parts.ts";
import type { RunningPart } from "../../../src/platform/running-parts.ts";
import { createSecretBox } from "../../../src/platform/keyring.ts";
import type { SecretBox } from "../../../src/platform/secret-box.ts";
import type { NodeRole, Store } from "../../../src/storage/store.ts";
import { openHeaders } from "../../../src/targets/message-headers.ts";
import { openSecrets, openSettings } from "../../../src/targets/sealed-target.ts";
import { joinKinds } from "../../../src/targets/target-kind.ts";
import type { SimulatedWebhooks } from "../events/simulated-webhooks.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedNetwork } from "./simulated-network.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import type { Trace } from "./trace.ts";

export interface SimulatedNodeOptions {
  readonly name: string;
  readonly role: NodeRole;
  readonly time: SimulatedTime;
  readonly network: SimulatedNetwork;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly openStore: (process: SimulatedProcess, nodeId: string) => Store;
  readonly onDied: (nodeId: string, downMs: number) => void;
  /** The key of the whole service. One node opens targets that another has sealed. */
  readonly masterKey: Uint8Array;
  readonly maxInFlight?: number;
  /** By default those of this process. */
  readonly timeZones?: TimeZones;
  readonly bounds?: EngineBounds;
  readonly withDefects?: (operations: Operations) => Operations;
  /** Missing in a world without webhooks. */
  readonly webhooks?: SimulatedWebhooks;
}

/** One run of a node's process, with everything that a server has except HTTP. */
export interface ProcessRun {
  readonly nodeId: string;
  readonly process: SimulatedProcess;
  readonly operations: Operations;
  /** The parts that run by themselves, in the order of their start. */
  readonly parts: readonly RunningPart[];
  /** Rejects when the process dies. */
  readonly death: Promise<never>;
}

type OpenedParts = Pick<OpenTarget, "settings" | "secrets">;

export class ProcessDied extends Error {}

const cancelWaitMs = 5_000;
const supervisorMs = 1_000;

/** The real engine and the real operations, on simulated time, network and store. */
export class SimulatedNode {
  readonly #options: SimulatedNodeOptions;
  readonly #openedParts = new Map<string, OpenedParts>();
  #run: ProcessRun | undefined;
  #runs = 0;
  #wallErrorMs = 0;

  constructor(options: SimulatedNodeOptions) {
    this.#options = options;
  }

  get role(): NodeRole {
    return this.#options.role;
  }

  /** Undefined while the node is down. */
  get run(): ProcessRun | undefined {
    return this.#run?.process.dead === true ? undefined : this.#run;
  }

  setWallError(ms: number): void {
    this.#wallErrorMs = ms;
    if (this.#run !== undefined) this.#run.process.wallErrorMs = ms;
  }

  start(): void {
    if (this.run !== undefined) return;
    const { name, time, trace } = this.#options;
    const nodeId = `${name}.${++this.#runs}`;
    trace.note(time.monotonic(), `${nodeId} starts`);
    const process = new SimulatedProcess(time, this.#wallErrorMs);
    const store = this.#options.openStore(process, nodeId);
    const { parts, operations } = this.#compose(nodeId, process, store);
    const death = new Promise<never>((_, reject) =>
      process.onDeath(() => reject(new ProcessDied(nodeId))),
    );
    death.catch(() => {});
    this.#run = { nodeId, process, operations, parts, death };
    // A server that cannot start ends, and its supervisor starts it again.
    startAll(parts).catch(() => this.crash(supervisorMs));
  }

  /** `downMs` is how long it stays down, as far as is known now. */
  crash(downMs: number): void {
    const { run } = this;
    if (run === undefined) return;
    this.#options.trace.note(this.#options.time.monotonic(), `${run.nodeId} dies`);
    run.process.kill();
    this.#options.onDied(run.nodeId, downMs);
    this.#options.time.after(downMs, () => this.start());
  }

  /**
   * Stops as on SIGTERM: attempts in flight may end, and claims are given back. Returns false if the node
   * died meanwhile.
   */
  async stop(): Promise<boolean> {
    const { run } = this;
    if (run === undefined) return false;
    this.#options.trace.note(this.#options.time.monotonic(), `${run.nodeId} stops`);
    const stopped = new Promise((resolve) =>
      run.process.whenAwake(() => resolve(stopInReverse(run.parts))),
    );
    try {
      await Promise.race([stopped, run.death]);
    } catch {
      return false;
    }
    run.process.kill();
    return true;
  }

  freeze(forMs: number): void {
    this.run?.process.stopFor(forMs);
  }

  /** Opened once for all runs of the node. A world reads a target thousands of times. */
  #opened(target: Target, secretBox: SecretBox): OpenedParts {
    const sealed = `${target.sealedSettings} ${target.sealedSecrets}`;
    const known = this.#openedParts.get(sealed);
    if (known !== undefined) return known;
    const opened = {
      settings: openSettings(secretBox, target),
      secrets: openSecrets(secretBox, target),
    };
    this.#openedParts.set(sealed, opened);
    return opened;
  }

  #compose(nodeId: string, process: SimulatedProcess, store: Store) {
    const { network, trace, time, masterKey, webhooks } = this.#options;
    const random = this.#options.random.fork(nodeId);
    const secretBox = createSecretBox(masterKey, random);
    const targetKinds = joinKinds(network.kindFor(nodeId, process));
    const observer: EngineOptions["observer"] = {
      leaseGranted() {},
      lookedAhead() {},
      claimed() {},
      attemptStarted() {},
      attemptEnded: ({ messageId, attempt, became }) =>
        trace.note(
          time.monotonic(),
          `${nodeId} ${messageId} #${attempt.number} ${attempt.outcome}: ${became}`,
        ),
      inFlight() {},
      runningJobs() {},
      jobTaken: ({ jobId }) => trace.note(time.monotonic(), `${nodeId} takes ${jobId}`),
      schedulesAdvanced: ({ advanced, runs }) =>
        trace.note(
          time.monotonic(),
          `${nodeId} advances ${advanced} schedules: ${JSON.stringify(runs)}`,
        ),
      nextScheduleKnown() {},
      schedulesPaused() {},
      eventsMoved() {},
      eventsWaited() {},
      webhooksStand() {},
      eventsRemoved() {},
      jobAdvanced: (before, { jobId, done, state }) =>
        trace.note(time.monotonic(), `${nodeId} ${jobId} +${done - before.done}: ${state}`),
      trouble: (error, doing) =>
        trace.note(time.monotonic(), `${nodeId} trouble ${doing}: ${String(error)}`),
    };
    const engine = createEngine({
      store,
      kinds: targetKinds,
      openTarget: (target) => ({ ...target, ...this.#opened(target, secretBox) }),
      openHeaders: (headers) => openHeaders(secretBox, headers),
      tracer: null,
      events: webhooks === undefined ? noWebhooks : sendingTo(webhooks, nodeId, process),
      clock: process,
      timers: process,
      random,
      observer,
      nodeId,
      role: this.#options.role,
      maxInFlight: this.#options.maxInFlight ?? 100,
      drainTimeoutMs: 20_000,
      bounds: this.#options.bounds ?? engineBounds,
    });
    const operations = createOperations({
      store,
      delivery: engine.delivery,
      secretBox,
      targetKinds,
      pageTokens: createPageTokens(masterKey),
      clock: { now: () => store.clock.now(), monotonic: () => process.monotonic() },
      timers: process,
      random,
      timeZones: this.#options.timeZones ?? new TimeZones(),
      testPlaces: new TestPlaces(),
      events: engine.events,
      reading: engine.events.reading,
      listeningPlaces: new ListeningPlaces({ places: 1_000 }),
      eventSender: noWebhooks.sender,
      writeEvent,
      writeTestEvent: noWebhooks.writeTestEvent,
      keyMarks: createKeyMarks(masterKey),
      encryption: {
        keyId: () => "key_test",
        keyIdOf: () => "key_test",
        makeKey: null,
        noteRotation: () => {},
        inTurn: (work) => work(),
      },
      cancelWaitMs,
      credentialsChanged: async () => {},
      stopping: new AbortController().signal,
      tokens: noTokens,
    });
    const { withDefects = (right) => right } = this.#options;
    return { parts: engine.parts, operations: withDefects(operations) };
  }
}

/** At the first failure the process dies, and nothing is stopped in order. */
async function startAll(parts: readonly RunningPart[]): Promise<void> {
  for (const part of parts) await part.start();
}

function sendingTo(
  webhooks: SimulatedWebhooks,
  nodeId: string,
  process: SimulatedProcess,
): EngineOptions["events"] {
  return {
    sender: webhooks.senderFor(nodeId, process),
    openWebhook: () => ({
      settings: { url: "", headers: {} },
      secrets: { current: "", previous: null, previousUntil: null },
    }),
    writeEvent: ({ eventId }) => JSON.stringify({ id: eventId }),
  };
}

/** In most worlds events are sent to nobody. */
const noWebhooks = new Proxy(
  {} as EngineOptions["events"] &
    Pick<OperationDependencies, "writeTestEvent"> & {
      sender: OperationDependencies["eventSender"];
    },
  { get: () => undefined },
);

/** Only HTTP checks access tokens, and the simulation has no HTTP. */
const noTokens = new Proxy({} as OperationDependencies["tokens"], {
  get() {
    throw new Error("there are no access tokens in the simulation");
  },
});
