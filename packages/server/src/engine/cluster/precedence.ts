/** How long a node waits for each node that comes before it. */
const stepMs = 25;
const longestMs = 100;

/**
 * The order in which nodes claim what a target has due. The first node claims it at once. The others
 * look a moment later and find it done, so they do not compete. Correctness does not depend on the
 * order: a dead node that still comes first costs milliseconds.
 */
export class Precedence {
  readonly #self: number;
  #others: readonly number[] = [];

  constructor(nodeId: string) {
    this.#self = hashOf(nodeId);
  }

  /** The nodes that deliver. This node need not be among them. */
  learn(nodeIds: readonly string[]): void {
    this.#others = nodeIds.map(hashOf).filter((hash) => hash !== this.#self);
  }

  delayMs(targetKey: number): number {
    const own = mixed(this.#self, targetKey);
    const before = this.#others.filter((other) => mixed(other, targetKey) > own).length;
    return Math.min(before * stepMs, longestMs);
  }
}

function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash >>> 0;
}

/** Spreads the targets evenly over the nodes. */
function mixed(hash: number, targetKey: number): number {
  let bits = hash ^ Math.imul(targetKey, 0x9e_37_79_b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85_eb_ca_6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
