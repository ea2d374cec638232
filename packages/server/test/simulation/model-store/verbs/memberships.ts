import type {
  EndedMemberships,
  Holder,
  NodeRole,
  NodeView,
} from "../../../../src/storage/store.ts";
import type { Context, NodeMembership } from "../database-state.ts";

export function nodeMemberships({ state, node }: Context) {
  const { clock, rules, claims, tests, memberships, membershipEnded } = state;

  /** The membership ended with its lease, however late another node notices it. */
  function takeOver({ nodeId, epoch, leaseUntil }: NodeMembership): number[] {
    membershipEnded(nodeId, Math.min(leaseUntil, clock.now()));
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
      const times = { joinTime: now, renewalTime: now, leaseUntil: now + (leaseMs ?? Infinity) };
      const { timeZoneVersion } = node;
      memberships.set(epoch, { nodeId, epoch, role, timeZoneVersion, ...times });
      return { nodeId, epoch };
    },

    renew({ epoch }: Holder): boolean {
      const membership = memberships.get(epoch);
      const now = clock.now();
      if (membership === undefined || membership.leaseUntil <= now) return false;
      membership.renewalTime = now;
      membership.leaseUntil = now + (node.leaseMs ?? Infinity);
      return true;
    },

    leave({ nodeId, epoch }: Holder): void {
      state.encryption.nodes.delete(nodeId);
      endMembership(epoch);
    },

    listNodes(): NodeView[] {
      const now = clock.now();
      return [...memberships.values()]
        .filter(({ leaseUntil }) => leaseUntil > now)
        .toSorted(byJoining)
        .map(({ nodeId, epoch, role, joinTime, renewalTime }) => ({
          nodeId,
          role,
          joinTime,
          heartbeatAgeMs: now - renewalTime,
          inFlight: claims.ofEpoch(epoch).length + tests.ofEpoch(epoch).length,
        }));
    },

    endLapsedMemberships(): EndedMemberships {
      const now = clock.now();
      const dead = [...memberships.values()].filter((membership) => rules.isOver(membership, now));
      const targetKeys = new Set(dead.flatMap(takeOver));
      return { count: dead.length, targetKeys: [...targetKeys] };
    },
  };
}

function byJoining(one: NodeMembership, other: NodeMembership): number {
  return one.joinTime - other.joinTime || one.epoch - other.epoch;
}
