import type { Instant } from "../../../../src/domain/message.ts";
import type {
  EndedMemberships,
  Holder,
  NodeRole,
  NodeView,
} from "../../../../src/storage/store.ts";
import type {
  LivingMembership,
  Renewal,
  Silence,
} from "../../../../src/storage/postgres/claims/watched-memberships.ts";
import type { Context, NodeMembership } from "../database-state.ts";

interface LapsedMemberships extends Pick<EndedMemberships, "count" | "targetKeys"> {
  readonly living: readonly LivingMembership[];
}

export function nodeMemberships({ state, node }: Context) {
  const { clock, rules, claims, tests, memberships, silences, membershipEnded } = state;

  function noteSilence(silence: Silence): void {
    const known = silences.get(silence.epoch);
    const isLonger = known?.version !== silence.version || known.silentMs < silence.silentMs;
    if (isLonger) silences.set(silence.epoch, silence);
  }

  /** The membership ended with its lease, however late another node notices it. */
  function takeOver({ nodeId, epoch, leaseMs, renewedAt }: NodeMembership): number[] {
    membershipEnded(nodeId, Math.max(0, clock.monotonic() - renewedAt - leaseMs!));
    return endMembership(epoch);
  }

  /** Returns the targets of the claims that it held. */
  function endMembership(epoch: number): number[] {
    memberships.delete(epoch);
    const held = claims.ofEpoch(epoch);
    for (const claim of held) claims.end(claim);
    const tested = tests.ofEpoch(epoch);
    for (const { testKey } of tested) tests.end(testKey);
    return [...held, ...tested].map(({ targetKey }) => targetKey);
  }

  return {
    /**
     * A late call ends no membership that began after the request. `lastEpoch` is the latest one the caller
     * knew then.
     */
    join(nodeId: string, role: NodeRole, lastEpoch: number): Holder {
      const { leaseMs } = node;
      for (const membership of [...memberships.values()]) {
        if (membership.epoch > lastEpoch) continue;
        if (leaseMs === null) endMembership(membership.epoch);
        else if (membership.nodeId === nodeId) takeOver(membership);
      }
      const epoch = ++state.lastEpoch;
      const now = clock.now();
      const times = { joinTime: now, renewalTime: now, renewedAt: clock.monotonic(), renewals: 0 };
      const { timeZoneVersion } = node;
      memberships.set(epoch, { nodeId, epoch, role, timeZoneVersion, leaseMs, ...times });
      return { nodeId, epoch };
    },

    renew({ epoch }: Holder): boolean {
      const membership = memberships.get(epoch);
      if (membership === undefined) return false;
      membership.renewalTime = clock.now();
      membership.renewedAt = clock.monotonic();
      membership.renewals++;
      return true;
    },

    leave({ nodeId, epoch }: Holder): void {
      state.encryption.nodes.delete(nodeId);
      endMembership(epoch);
    },

    listNodes(quiet: readonly Silence[]): NodeView[] {
      const now = clock.now();
      return [...memberships.values()]
        .filter((membership) => seemsAlive(membership, quiet, now))
        .toSorted(byJoining)
        .map(({ nodeId, epoch, role, joinTime, renewalTime }) => ({
          nodeId,
          role,
          joinTime,
          heartbeatAgeMs: now - renewalTime,
          inFlight: claims.ofEpoch(epoch).length + tests.ofEpoch(epoch).length,
        }));
    },

    /** Ends those that the caller saw silent, if it is true of them still. Says which there are. */
    endLapsedMemberships(over: readonly Renewal[], quiet: readonly Silence[]): LapsedMemberships {
      const now = clock.now();
      const asSeen = new Map(over.map(({ epoch, version }) => [epoch, Number(version)]));
      const dead = [...memberships.values()].filter((membership) =>
        rules.isOver(membership, asSeen.get(membership.epoch), now),
      );
      const targetKeys = new Set(dead.flatMap(takeOver));
      for (const silence of quiet) noteSilence(silence);
      for (const epoch of silences.keys()) if (!memberships.has(epoch)) silences.delete(epoch);
      const living = [...memberships.values()].map(({ epoch, renewals, leaseMs }) => {
        const version = String(renewals);
        const known = silences.get(epoch);
        const silentMs = known?.version === version ? known.silentMs : 0;
        return { epoch, version, leaseMs: leaseMs!, silentMs };
      });
      return { count: dead.length, targetKeys: [...targetKeys], living };
    },
  };
}

/** For what may be wrong for a moment: its lease is over by the clock, and it was seen quiet. */
export function seemsAlive(
  { epoch, renewalTime, leaseMs }: NodeMembership,
  quiet: readonly Silence[],
  now: Instant,
): boolean {
  return (
    renewalTime + (leaseMs ?? Infinity) > now || !quiet.some((silence) => silence.epoch === epoch)
  );
}

function byJoining(one: NodeMembership, other: NodeMembership): number {
  return one.joinTime - other.joinTime || one.epoch - other.epoch;
}
