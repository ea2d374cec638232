import { describe, expect, test } from "vitest";
import type { JobCursor, JobFilter, JobOrder } from "../../../domain/job.ts";
import { mostLookedAtByStep } from "../../../domain/job.ts";
import type { Message } from "../../../domain/message.ts";
import type { JobLook, Store } from "../../store.ts";
import { farFuture, makeTarget, otherAccount, schedule } from "../harness.ts";
import type { MakeLocation } from "../harness.ts";
import {
  clockMovesOn,
  jobStoresOf,
  makeDead,
  messagesOf,
  newJob,
  runNew,
  scheduleMany,
} from "./job-harness.ts";

interface Asked extends Partial<Omit<JobOrder, "filter">> {
  readonly filter?: Partial<JobFilter>;
  readonly time?: number;
}

function lookAt(
  store: Store,
  { time = Number.MAX_SAFE_INTEGER, ...asked }: Asked,
  after: JobCursor | null = null,
  sample = 10,
): Promise<JobLook> {
  const { jobId: _, actor: __, ...order } = newJob(asked);
  return store.lookForJob({ order, time, after, sample });
}

/** What the whole look finds, and in how many slices. */
async function lookThrough(store: Store, asked: Asked) {
  const found: Message[] = [];
  let count = 0;
  for (let after: JobCursor | null = null, slices = 1; ; slices++) {
    const look = await lookAt(store, asked, after, 5_000);
    expect(look.sample).toHaveLength(look.count);
    count += look.count;
    found.push(...look.sample);
    if (look.lookedUntil === null) return { count, found, slices };
    expect(look.lookedUntil).not.toEqual(after);
    after = look.lookedUntil;
  }
}

const idsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ messageId }) => messageId);

/** Which messages a job would meet. A job with the same order then changes the same ones. */
export function jobLookSuite(makeLocation: MakeLocation): void {
  const open = jobStoresOf(makeLocation);

  /** The look and the job agree on the messages. */
  async function expectMet(store: Store, asked: Asked, expected: readonly Message[]) {
    const { time: _, ...order } = asked;
    const { count, found } = await lookThrough(store, asked);
    expect(idsOf(found).toSorted()).toEqual(idsOf(expected).toSorted());
    expect(count).toBe(expected.length);
    const met = await runNew(store, order);
    expect(met).toMatchObject({ matched: expected.length, done: expected.length });
  }

  test("a look counts, shows the first as they are, and changes nothing", async () => {
    const { store } = await open();
    const made = await scheduleMany(store, 5);
    const look = await lookAt(store, {}, null, 2);
    expect(look).toEqual({ count: 5, sample: made.slice(0, 2), lookedUntil: null });
    expect(await messagesOf(store, made)).toEqual(made);
    expect(await lookAt(store, { filter: { targetId: "unknown" } })).toMatchObject({ count: 0 });
    const forward = await lookAt(store, { action: "shift", byMs: 1 }, null, 2);
    expect(forward.sample).toEqual([made[4], made[3]]);
  });

  test.each(["target", "label"])("many are looked at in slices, by %s", async (by) => {
    const { store } = await open();
    const count = mostLookedAtByStep + 200;
    const options = { labels: { a: "1" } };
    const made = [
      ...(await scheduleMany(store, 600, () => ({ options }))),
      ...(await scheduleMany(store, count - 600, () => ({ options, deliveryTime: farFuture }))),
    ];
    const filter = by === "label" ? { targetId: null, labels: ["a:1"] } : {};
    for (const asked of [{ filter }, { filter, action: "shift", byMs: 1 } as const]) {
      const { found, slices, ...whole } = await lookThrough(store, asked);
      expect(slices).toBeGreaterThan(1);
      expect(whole.count).toBe(count);
      expect(idsOf(found).toSorted()).toEqual(idsOf(made).toSorted());
    }
  });

  test("messages of others, or for other targets, are not met", async () => {
    const { store } = await open();
    await makeTarget(store, "t", { accountId: otherAccount });
    const options = { labels: { a: "1" } };
    const [mine] = await scheduleMany(store, 1, () => ({ options }));
    const elsewhere = await schedule(store, "other", farFuture, { options });
    await schedule(store, "t", farFuture, { options, accountId: otherAccount });
    const labels = ["a:1"];
    expect((await lookThrough(store, {})).found).toEqual([mine]);
    expect((await lookThrough(store, { filter: { labels } })).found).toEqual([mine]);
    const anywhere = { filter: { labels, targetId: null } };
    await expectMet(store, anywhere, [mine!, elsewhere]);
  });

  test("what was scheduled after the look began is left out", async () => {
    const { store } = await open();
    const [first] = await scheduleMany(store, 1);
    await clockMovesOn(store, first!.schedulingTime);
    await scheduleMany(store, 1);
    const { found } = await lookThrough(store, { time: first!.schedulingTime });
    expect(found).toEqual([first]);
  });

  describe.each(["target", "label"])("by a %s, a filter", (by) => {
    const basis = by === "label" ? { targetId: null, labels: ["all:1"] } : {};
    const labelled = (labels: Record<string, string> = {}) => ({ labels: { all: "1", ...labels } });

    test.each(["cancel", "shift"] as const)("bounds nextDeliveryTime, for %s", async (action) => {
      const { store } = await open();
      const made = await scheduleMany(store, 5, () => ({ options: labelled() }));
      const [minTime, maxTime] = [farFuture + 1, farFuture + 3];
      const byMs = action === "shift" ? 1 : null;
      const count = async (filter: Partial<JobFilter>) =>
        (await lookThrough(store, { action, byMs, filter: { ...basis, ...filter } })).count;
      expect(await count({ minTime })).toBe(4);
      expect(await count({ maxTime })).toBe(4);
      expect(await count({ minTime: maxTime, maxTime: minTime })).toBe(0);
      const filter = { ...basis, minTime, maxTime };
      await expectMet(store, { action, byMs, filter }, made.slice(1, 4));
    });

    test("wants all labels", async () => {
      const { store } = await open();
      const made = await scheduleMany(store, 4, (index) => ({
        options: labelled({ a: String(index % 2), b: String(index >> 1) }),
      }));
      const labels = [...(basis.labels ?? []), "b:1", "a:1"];
      await expectMet(store, { filter: { ...basis, labels } }, [made[3]!]);
    });

    test("wants keys that begin with a text, as it stands", async () => {
      const { store } = await open();
      const keys = ["a%b1", "a%b", "aXb", "A%b2", null];
      const made = await scheduleMany(store, keys.length, (index) => {
        const key = keys[index];
        if (key == null) return { options: labelled() };
        return {
          options: { ...labelled(), key },
          wantedKey: { key, onConflict: "reject", maxWaitMs: null },
        };
      });
      await expectMet(store, { filter: { ...basis, keyPrefix: "a%b" } }, made.slice(0, 2));
    });

    test("bounds deadLetterTime and names the end of dead letters", async () => {
      const { store, targetKey } = await open();
      const statusOf = [503, 500, 503, null];
      const dead = await makeDead(
        store,
        targetKey,
        4,
        () => ({ options: labelled() }),
        (result, index) => ({
          ...result,
          attempt: { ...result.attempt, statusCode: statusOf[index]! },
          next: { kind: "dead-letter", reason: index === 0 ? "FINAL_ANSWER" : "REJECTED" },
        }),
      );
      await scheduleMany(store, 1, () => ({ options: labelled() }));
      const look = async (filter: Partial<JobFilter>) =>
        idsOf(
          (await lookThrough(store, { action: "redrive", filter: { ...basis, ...filter } })).found,
        ).toSorted();
      expect(await look({})).toEqual(idsOf(dead).toSorted());
      expect(await look({ deadLetterReason: "FINAL_ANSWER" })).toEqual([dead[0]!.messageId]);
      expect(await look({ lastStatusCode: 500 })).toEqual([dead[1]!.messageId]);
      expect(await look({ lastStatusCode: 404 })).toEqual([]);
      const minTime = dead[1]!.deadLetterTime!;
      const later = dead.filter(({ deadLetterTime }) => deadLetterTime! >= minTime);
      expect(await look({ minTime })).toEqual(idsOf(later).toSorted());
      expect(await look({ maxTime: dead[0]!.deadLetterTime! - 1 })).toEqual([]);
      const filter = { ...basis, lastStatusCode: 503, deadLetterReason: "REJECTED" } as const;
      expect(await look(filter)).toEqual([dead[2]!.messageId]);
    });
  });
}
