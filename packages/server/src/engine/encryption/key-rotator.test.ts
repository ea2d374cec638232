import { expect, test } from "vitest";
import type { AuditNote } from "../../domain/audit.ts";
import { beginRotation, sealedPlaces } from "../../domain/key-rotation.ts";
import type { KeyRotation, SealedPlace } from "../../domain/key-rotation.ts";
import type { EncryptionState, RotationStep, RotationStepMade } from "../../storage/store.ts";
import { playedTime } from "../testing/played-time.ts";
import { KeyRotator } from "./key-rotator.ts";

const settleMs = 10_000;
/** Rows of one slice. */
const sliced = 2;

/** A rotator to the key `b` on a store with these values, each `key:text`, in a time that the test lets pass. */
function play(values: Partial<Record<SealedPlace, string[]>>) {
  const time = playedTime();
  const cells = new Map(sealedPlaces.map((place) => [place, values[place] ?? []]));
  const nodes: { nodeId: string; keyId: string | null }[] = [{ nodeId: "n", keyId: "b" }];
  const state = { keyIds: ["a", "b"], revision: 1, rotation: beginRotation("b", 0) };
  const heard: string[] = [];
  const notes: AuditNote[] = [];
  const onRead: { read?: (place: SealedPlace, after: string | null) => void } = {};
  let check = "a:check";

  async function advanceRotation(step: RotationStep): Promise<RotationStepMade> {
    if (step.revision !== state.revision) return { kind: "changed" };
    const others = nodes.filter(({ keyId }) => keyId !== step.rotation.keyId);
    if (step.retire !== null) {
      if (others.length > 0) return { kind: "in-use", nodeIds: others.map(({ nodeId }) => nodeId) };
      state.keyIds = [step.rotation.keyId];
      ({ check } = step.retire);
    }
    let rewritten = 0;
    for (const { at, sealed, anew } of step.rewrite?.values ?? []) {
      const list = cells.get(step.rewrite!.place)!;
      if (list[Number(at)] !== sealed) continue;
      list[Number(at)] = anew;
      rewritten++;
    }
    state.revision++;
    const { rotation } = step;
    state.rotation = { ...rotation, rewritten: rotation.rewritten + rewritten };
    if (step.note !== null) notes.push(step.note);
    return { kind: "advanced", rewritten };
  }

  const rotator = new KeyRotator({
    store: {
      encryptionState: async (): Promise<EncryptionState> => ({ ...state, nodes }),
      async readSealed(place, after) {
        onRead.read?.(place, after);
        const from = after === null ? 0 : Number(after) + 1;
        const list = cells.get(place)!;
        const rows = list.slice(from, from + sliced);
        return {
          values: rows.map((sealed, index) => ({ at: String(from + index), sealed })),
          reached: from + sliced < list.length ? String(from + sliced - 1) : null,
        };
      },
      advanceRotation,
    },
    keys: {
      keyId: "b",
      keyIdOf: (sealed) => sealed.split(":")[0]!,
      sealAnew(_place, sealed) {
        const [key, text] = sealed.split(":");
        if (key === "lost") throw new Error("no such key");
        return `b:${text}`;
      },
      sealCheck: () => "b:check",
      async tellStore() {
        heard.push("told");
        nodes[0] = { nodeId: "n", keyId: "b" };
        if (!state.keyIds.includes("b")) state.keyIds.push("b");
      },
    },
    nodeId: "n",
    rewrites: true,
    clock: { now: time.now, monotonic: time.now },
    timers: time,
    observer: {
      valuesSealedAnew: (count) => void (count > 0 && heard.push(`sealed ${count}`)),
      keysRetired: (keyIds) => void heard.push(`retired ${keyIds.join()}`),
      trouble: (error, doing) => void heard.push(`${doing}: ${String(error)}`),
    },
    retiredNote: ({ keyId }: KeyRotation, retired) =>
      ({ subjectId: keyId, detail: { retired } }) as unknown as AuditNote,
    settleMs,
  });
  return { time, cells, nodes, state, heard, notes, onRead, rotator, check: () => check };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `a:${index}`);

test("everything is sealed anew, and the key before is retired after a pass that found nothing", async () => {
  const world = play({ targetSettings: many(5), schedules: ["b:x"], messages: many(3) });
  await world.rotator.start();
  await world.time.pass(settleMs - 1);
  expect(world.cells.get("targetSettings")).toEqual(["b:0", "b:1", "b:2", "b:3", "b:4"]);
  expect(world.cells.get("messages")).toEqual(["b:0", "b:1", "b:2"]);
  expect(world.state).toMatchObject({
    keyIds: ["a", "b"],
    rotation: { rewritten: 8, endTime: null },
  });
  await world.time.pass(2 * settleMs);
  expect(world.state).toMatchObject({ keyIds: ["b"], rotation: { holder: null } });
  expect(world.state.rotation.endTime).toBeGreaterThanOrEqual(settleMs);
  expect(world.check()).toBe("b:check");
  expect(world.notes).toEqual([{ subjectId: "b", detail: { retired: ["a"] } }]);
  expect(world.heard.at(-1)).toBe("retired a");
  await world.rotator.stop();
});

test("a value that comes behind the walk is found, and the wait begins again", async () => {
  const world = play({ targetSettings: many(2) });
  await world.rotator.start();
  await world.time.pass(settleMs - 2_000);
  world.cells.get("targetSettings")![0] = "a:late";
  await world.time.pass(settleMs);
  expect(world.state.rotation.endTime).toBeNull();
  expect(world.cells.get("targetSettings")).toEqual(["b:late", "b:1"]);
  await world.time.pass(2 * settleMs);
  expect(world.state.keyIds).toEqual(["b"]);
  await world.rotator.stop();
});

test("no key is retired while a node seals with another one, nor soon after", async () => {
  const world = play({ messages: many(1) });
  world.nodes.push({ nodeId: "other", keyId: "a" });
  await world.rotator.start();
  await world.time.pass(10 * settleMs);
  expect(world.state.rotation).toMatchObject({ endTime: null, rewritten: 1 });
  world.nodes.pop();
  await world.time.pass(settleMs - 1_000);
  expect(world.state.rotation.endTime).toBeNull();
  await world.time.pass(3 * settleMs);
  expect(world.state.keyIds).toEqual(["b"]);
  await world.rotator.stop();
});

test("a value that no key opens stays, is told of, and keeps the key before in use", async () => {
  const world = play({ targetSecrets: ["lost:x", "a:y"] });
  await world.rotator.start();
  await world.time.pass(10 * settleMs);
  expect(world.cells.get("targetSecrets")).toEqual(["lost:x", "b:y"]);
  expect(world.state.keyIds).toEqual(["a", "b"]);
  expect(world.heard).toContain("sealing a value anew (targetSecrets): Error: no such key");
  world.cells.get("targetSecrets")![0] = "b:set anew";
  await world.time.pass(3 * settleMs);
  expect(world.state.keyIds).toEqual(["b"]);
  await world.rotator.stop();
});

test("of a step that another node has overtaken nothing is kept, and the next look goes on from there", async () => {
  const world = play({ targetSettings: many(2) });
  world.onRead.read = () => {
    delete world.onRead.read;
    world.state.revision++;
    world.state.rotation = { ...world.state.rotation, holder: "other", leaseUntil: 7_000 };
  };
  await world.rotator.start();
  await world.time.pass(6_900);
  expect(world.cells.get("targetSettings")).toEqual(["a:0", "a:1"]);
  await world.time.pass(4 * settleMs);
  expect(world.state.keyIds).toEqual(["b"]);
  await world.rotator.stop();
});

test("a node whose key was retired while it was stopped puts it back in use", async () => {
  const world = play({});
  world.state.rotation = { ...world.state.rotation, endTime: 1 };
  world.state.keyIds = ["c"];
  await world.rotator.start();
  await world.time.pass(1);
  expect(world.heard).toEqual(["told"]);
  expect(world.state.keyIds).toEqual(["c", "b"]);
  await world.time.pass(20_000);
  expect(world.heard).toEqual(["told"]);
  await world.rotator.stop();
});
