import type { EndedLives, Holder, NodeRole, NodeView } from "../../../../src/storage/store.ts";
import type { Context, NodeLife } from "../place-state.ts";

export function nodeLives({ state, node }: Context) {
  const { clock, rules, claims, tests, lives, lifeEnded } = state;

  /** It was over when its lease was, whoever noticed that when. */
  function takeOver({ nodeId, epoch, leaseUntil }: NodeLife): number[] {
    lifeEnded(nodeId, Math.min(leaseUntil, clock.now()));
    return endLife(epoch);
  }

  /** The targets of what it held. */
  function endLife(epoch: number): number[] {
    lives.delete(epoch);
    const held = claims.ofEpoch(epoch);
    for (const claim of held) claims.end(claim);
    const tested = tests.ofEpoch(epoch);
    for (const { testKey } of tested) tests.end(testKey);
    return [...held, ...tested].map(({ targetKey }) => targetKey);
  }

  return {
    /** What comes late ends nothing that began since it was asked: `lastEpoch` is the picture it had then. */
    join(nodeId: string, role: NodeRole, lastEpoch: number): Holder {
      const { leaseMs } = node;
      for (const life of [...lives.values()]) {
        if (life.epoch > lastEpoch) continue;
        if (leaseMs === null) endLife(life.epoch);
        else if (life.nodeId === nodeId) takeOver(life);
      }
      const epoch = ++state.lastEpoch;
      const now = clock.now();
      const times = { joinTime: now, renewalTime: now, leaseUntil: now + (leaseMs ?? Infinity) };
      lives.set(epoch, { nodeId, epoch, role, ...times });
      return { nodeId, epoch };
    },

    renew({ epoch }: Holder): boolean {
      const life = lives.get(epoch);
      const now = clock.now();
      if (life === undefined || life.leaseUntil <= now) return false;
      life.renewalTime = now;
      life.leaseUntil = now + (node.leaseMs ?? Infinity);
      return true;
    },

    leave({ epoch }: Holder): void {
      endLife(epoch);
    },

    listNodes(): NodeView[] {
      const now = clock.now();
      return [...lives.values()]
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

    endDeadLives(): EndedLives {
      const now = clock.now();
      const dead = [...lives.values()].filter((life) => rules.isOver(life, now));
      const targetKeys = new Set(dead.flatMap(takeOver));
      return { count: dead.length, targetKeys: [...targetKeys] };
    },
  };
}

function byJoining(one: NodeLife, other: NodeLife): number {
  return one.joinTime - other.joinTime || one.epoch - other.epoch;
}
