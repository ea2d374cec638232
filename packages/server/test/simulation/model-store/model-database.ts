import { defaultAuditRetentionMs } from "../../../src/domain/audit.ts";
import { defaultEventLimit, defaultEventRetentionMs } from "../../../src/domain/events/event.ts";
import { TimeZones } from "../../../src/domain/time-zones/time-zones.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { createMessageIdGenerator } from "../../../src/platform/message-ids.ts";
import type { MessageIdGenerator } from "../../../src/platform/message-ids.ts";
import type { Random } from "../../../src/platform/random.ts";
import type { Timers } from "../../../src/platform/timers.ts";
import { WatchedMemberships } from "../../../src/storage/postgres/claims/watched-memberships.ts";
import type { Store } from "../../../src/storage/store.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import { connect } from "./connection.ts";
import { rulesWith } from "./defects.ts";
import type { DefectName } from "./defects.ts";
import { createNodeStore } from "./node-store.ts";
import type { StoreClockEstimate } from "./node-store.ts";
import { createDatabaseState } from "./database-state.ts";
import type { NodeSettings } from "./database-state.ts";
import { checkAll, checkTouched } from "./self-check.ts";
import { takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { withFaults } from "./with-faults.ts";
import type { StoreFaults } from "./with-faults.ts";

/** What a node takes for the drift of clocks, and not for a clock that was set. */
const driftMs = 20;

export interface ModelDatabaseOptions {
  /** The store's clock, which decides every instant. */
  readonly clock: Clock;
  /** The timers of the simulated world, not of a node. */
  readonly timers: Timers;
  readonly random: Random;
  readonly ids?: MessageIdGenerator;
  readonly defects?: ReadonlySet<DefectName>;
  /** Called for a membership that ended without the node leaving, with how long ago it ended. */
  readonly membershipEnded?: (nodeId: string, agoMs: number) => void;
  /** Checks after every verb that the database is consistent. It may also find a seeded defect. */
  readonly selfCheck?: boolean;
}

type WithDefault =
  | "auditRetentionMs"
  | "eventRetentionMs"
  | "eventLimit"
  | "monthlyMessageLimit"
  | "requestLimit"
  | "timeZones"
  | "timeZoneVersion";

export interface NodeOptions
  extends Omit<NodeSettings, WithDefault>, Partial<Pick<NodeSettings, WithDefault>> {
  readonly credentialMs?: number;
  /** How far the node's estimate of the store's clock may be off, in either direction. */
  readonly clockErrorMs?: number;
  /** The faults between the node and the database. */
  readonly faults?: StoreFaults;
  /** The node's own clock. The database's clock by default. */
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/** The shared database of several nodes: a model of PostgreSQL in memory. */
export interface ModelDatabase {
  open(options: NodeOptions): Store;
  /** The node's process has died. Its `faults.dead` ends the calls under way, not this function. */
  crash(nodeId: string): void;
  snapshot(): Snapshot;
  /** How many messages are scheduled. */
  readonly pending: number;
  /** How many cancels and reschedules wait for an attempt in flight. */
  readonly waiting: number;
  /** The inconsistencies that the database has found in itself. */
  readonly problems: readonly string[];
}

export function createModelDatabase(options: ModelDatabaseOptions): ModelDatabase {
  const { clock, timers, random, selfCheck = false } = options;
  const ownClock: StoreClockEstimate = {
    now: () => clock.now(),
    readAnew: () => {},
    notice: () => {},
  };
  const state = createDatabaseState({
    clock,
    ids: options.ids ?? createMessageIdGenerator({ clock, random, after: 0 }),
    random,
    rules: rulesWith(options.defects ?? new Set(), timers),
    membershipEnded: options.membershipEnded ?? (() => {}),
  });
  const problems: string[] = [];

  /** Most calls change nothing, so there is nothing new to check after them. */
  let checked = { turnover: 0, memberships: 0 };

  function check(verb: string): void {
    const { messages, claims, memberships } = state;
    if (!selfCheck) return messages.touched.clear();
    const isAsBefore =
      claims.turnover === checked.turnover && memberships.size === checked.memberships;
    if (isAsBefore && messages.touched.size === 0) return;
    checked = { turnover: claims.turnover, memberships: memberships.size };
    const found = checkTouched(state).map((problem) => `after ${verb}: ${problem}`);
    problems.push(...found);
    if (found.length > 0) throw new Error(found.join("; "));
  }

  /** A node that shares the database knows its clock as its own monotonic time and an offset. */
  function estimateOf(node: Clock, clockErrorMs: number): StoreClockEstimate {
    const readOffset = (): number => {
      const errorMs = clockErrorMs === 0 ? 0 : (2 * random.fraction() - 1) * clockErrorMs;
      return clock.now() - node.monotonic() + errorMs;
    };
    let offset = readOffset();
    const now = (): number => Math.floor(node.monotonic() + offset);
    const readAnew = (): void => void (offset = readOffset());
    return {
      now,
      readAnew,
      notice() {
        if (Math.abs(clock.now() - now()) > clockErrorMs + driftMs) readAnew();
      },
    };
  }

  return {
    open(node) {
      const { faults, leaseMs, credentialMs = 500, clockErrorMs = 0 } = node;
      const own = { clock: node.clock ?? clock, timers: node.timers ?? timers };
      const watched = new WatchedMemberships(own.clock);
      let closed = false;
      const settings: NodeSettings = {
        auditRetentionMs: defaultAuditRetentionMs,
        eventRetentionMs: defaultEventRetentionMs,
        eventLimit: defaultEventLimit,
        monthlyMessageLimit: null,
        requestLimit: null,
        timeZones: new TimeZones(),
        timeZoneVersion: process.versions.tz!,
        ...node,
      };
      const direct = connect(
        { state, node: settings, quiet: () => watched.quiet() },
        {
          before() {
            if (closed) throw new StoreUnavailable("the store is closed");
          },
          after: check,
        },
      );
      const connection =
        faults === undefined
          ? direct
          : withFaults(direct, faults, { timers, nodeTimers: own.timers });
      return createNodeStore({
        connection,
        watched,
        ...own,
        sharing: leaseMs === null ? null : { leaseMs, credentialMs },
        storeClock: leaseMs === null ? ownClock : estimateOf(own.clock, clockErrorMs),
        lastEpoch: () => state.lastEpoch,
        close: () => void (closed = true),
      });
    },
    crash(nodeId) {
      state.rules.crashed(state, nodeId);
      check("a crash");
    },
    snapshot() {
      if (selfCheck) problems.push(...checkAll(state));
      return takeSnapshot(state);
    },
    get pending() {
      return state.messages.timeline.length;
    },
    get waiting() {
      return state.claims.waiting;
    },
    problems,
  };
}
