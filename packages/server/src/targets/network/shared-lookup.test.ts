import type { LookupAddress } from "node:dns";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { HostLookup } from "./host-lookup.ts";
import { createSharedLookup } from "./shared-lookup.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const address: LookupAddress = { address: "192.0.2.1", family: 4 };
const places = 15;
/** The places that one account has while it is alone. */
const share = 7;

interface Question {
  readonly hostname: string;
  answer(): void;
  fail(): void;
}

/** A shared look-up whose system answers when the test says so. */
function openLookup(count = places) {
  const questions: Question[] = [];
  const open = new Set<Question>();
  const system: HostLookup = (hostname, _options, callback) => {
    const question: Question = {
      hostname,
      answer() {
        open.delete(question);
        callback(null, [address]);
      },
      fail() {
        open.delete(question);
        // Like `dns.lookup`, it omits the second argument that the type promises.
        const callWith: (error: Error) => void = callback as never;
        callWith(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
      },
    };
    questions.push(question);
    open.add(question);
  };
  const shared = createSharedLookup({
    lookup: system,
    clock: systemClock,
    timers: systemTimers,
    places: count,
  });
  function ask(hostname: string, { accountId = "acc_1", hints = 0 } = {}) {
    const asked = { result: undefined as string | LookupAddress[] | undefined };
    shared.lookup({ accountId, hostname, hints }, (error, addresses) => {
      asked.result = error === null ? addresses : (error.code ?? "");
    });
    return asked;
  }
  return {
    ask,
    close: () => shared.close(),
    asked: () => questions.map(({ hostname }) => hostname),
    running: () => [...open].map(({ hostname }) => hostname),
    /** The latest question for the name. */
    question: (hostname: string) => questions.findLast((one) => one.hostname === hostname)!,
    makeQuick(hostname: string, accountId = "acc_1") {
      ask(hostname, { accountId });
      this.question(hostname).answer();
      vi.advanceTimersByTime(5_000);
    },
    async makeSlow(hostname: string, accountId = "acc_1") {
      ask(hostname, { accountId });
      await vi.advanceTimersByTimeAsync(2_000);
      this.question(hostname).fail();
      await vi.advanceTimersByTimeAsync(1_000);
    },
  };
}

const names = (count: number, prefix = "name"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}.example`);

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("one look-up serves", () => {
  test("all callers that ask for a name before it is answered", async () => {
    const lookup = openLookup();
    const asked = [lookup.ask("a.example"), lookup.ask("a.example", { hints: 0 })];
    expect(lookup.asked()).toEqual(["a.example"]);
    lookup.question("a.example").answer();
    await settled();
    expect(asked).toEqual([{ result: [address] }, { result: [address] }]);
    expect(asked[0]!.result).not.toBe(asked[1]!.result);
  });

  test("but not another name or other hints", () => {
    const lookup = openLookup();
    lookup.ask("a.example");
    lookup.ask("b.example");
    lookup.ask("a.example", { hints: 32 });
    expect(lookup.asked()).toEqual(["a.example", "b.example", "a.example"]);
  });

  test("callers that ask within five seconds after the addresses came", async () => {
    const lookup = openLookup();
    lookup.ask("a.example");
    lookup.question("a.example").answer();
    await vi.advanceTimersByTimeAsync(4_999);
    const late = lookup.ask("a.example");
    expect(late.result).toBeUndefined();
    await settled();
    expect(late.result).toEqual([address]);
    expect(lookup.asked()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    lookup.ask("a.example");
    expect(lookup.asked()).toHaveLength(2);
  });

  test("callers that ask within a second after a failure", async () => {
    const lookup = openLookup();
    const first = lookup.ask("a.example");
    lookup.question("a.example").fail();
    await vi.advanceTimersByTimeAsync(999);
    const second = lookup.ask("a.example");
    await settled();
    expect([first.result, second.result]).toEqual(["ENOTFOUND", "ENOTFOUND"]);
    await vi.advanceTimersByTimeAsync(1);
    lookup.ask("a.example");
    expect(lookup.asked()).toHaveLength(2);
  });

  test("from a bounded number of kept answers", () => {
    const lookup = openLookup();
    for (const hostname of names(10_001)) {
      lookup.ask(hostname);
      lookup.question(hostname).answer();
    }
    lookup.ask("name-1.example");
    lookup.ask("name-10000.example");
    expect(lookup.asked()).toHaveLength(10_001);
    lookup.ask("name-0.example");
    expect(lookup.asked()).toHaveLength(10_002);
  });
});

describe("names that do not answer", () => {
  test("leave the places of names that answer, however many new ones there are", async () => {
    const lookup = openLookup();
    lookup.makeQuick("good.example");
    for (const hostname of names(100)) lookup.ask(hostname);
    expect(lookup.running()).toHaveLength(3);
    for (let passed = 0; passed < 60; passed += 5) {
      const good = lookup.ask("good.example");
      lookup.question("good.example").answer();
      await vi.advanceTimersByTimeAsync(5_000);
      expect(good.result).toEqual([address]);
      expect(lookup.running().length).toBeLessThanOrEqual(4);
    }
  });

  test("never hold more than their share, even if all of them answered before", async () => {
    const lookup = openLookup();
    for (const hostname of names(20)) lookup.makeQuick(hostname);
    for (const hostname of names(20)) lookup.ask(hostname);
    expect(lookup.running()).toHaveLength(share - 1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lookup.running()).toHaveLength(share);
  });

  test("give their places back to the others after two seconds", async () => {
    const lookup = openLookup();
    for (const hostname of names(3)) lookup.ask(hostname);
    const next = lookup.ask("next.example");
    await vi.advanceTimersByTimeAsync(1_999);
    expect(lookup.asked()).not.toContain("next.example");
    await vi.advanceTimersByTimeAsync(1);
    lookup.question("next.example").answer();
    await settled();
    expect(next.result).toEqual([address]);
  });

  test("share one place when they are asked again, and take turns", async () => {
    const lookup = openLookup();
    const slow = names(3, "slow");
    for (const hostname of slow) await lookup.makeSlow(hostname);
    for (const hostname of slow) lookup.ask(hostname);
    expect(lookup.running()).toEqual(["slow-0.example"]);
    for (const hostname of names(3)) lookup.ask(hostname);
    expect(lookup.running()).toEqual(["slow-0.example", ...names(3)]);
    lookup.question("slow-0.example").fail();
    expect(lookup.running()).toEqual([...names(3), "slow-1.example"]);
  });

  test("keep their one place when all others are taken", async () => {
    const lookup = openLookup();
    for (const hostname of names(20)) lookup.makeQuick(hostname);
    await lookup.makeSlow("slow.example");
    for (const hostname of names(20)) lookup.ask(hostname);
    const slow = lookup.ask("slow.example");
    expect(lookup.running()).toHaveLength(share);
    lookup.question("slow.example").answer();
    await settled();
    expect(slow.result).toEqual([address]);
  });

  test("count as quick again once they answer in time", async () => {
    const lookup = openLookup();
    await lookup.makeSlow("a.example");
    await lookup.makeSlow("b.example");
    lookup.makeQuick("a.example");
    lookup.ask("b.example");
    lookup.ask("a.example");
    expect(lookup.running()).toEqual(["b.example", "a.example"]);
  });

  test("count as unknown again ten minutes later", async () => {
    const lookup = openLookup();
    await lookup.makeSlow("a.example");
    await lookup.makeSlow("b.example");
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    lookup.ask("a.example");
    lookup.ask("b.example");
    expect(lookup.running()).toEqual(["a.example", "b.example"]);
  });

  test("become slow even while a second question for them waits", async () => {
    const lookup = openLookup();
    for (const hostname of names(3)) lookup.ask(hostname);
    lookup.ask("name-0.example", { hints: 32 });
    lookup.ask("next.example");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lookup.running()).toEqual([...names(3), "next.example"]);
  });
});

describe("callers that wait", () => {
  test("get an error after thirty seconds, and the look-up still counts", async () => {
    const lookup = openLookup();
    const first = lookup.ask("deaf.example");
    await vi.advanceTimersByTimeAsync(29_999);
    expect(first.result).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(first.result).toBe("ETIMEOUT");
    const second = lookup.ask("deaf.example");
    await vi.advanceTimersByTimeAsync(29_999);
    lookup.question("deaf.example").answer();
    await settled();
    expect(second.result).toEqual([address]);
    expect(first.result).toBe("ETIMEOUT");
    expect(lookup.asked()).toHaveLength(1);
  });

  test("are refused when ten thousand names already wait", async () => {
    const lookup = openLookup();
    for (const hostname of names(10_003)) lookup.ask(hostname);
    const one = lookup.ask("one-too-many.example");
    await settled();
    expect(one.result).toBe("EAI_AGAIN");
    lookup.question("name-0.example").answer();
    const another = lookup.ask("one-too-many.example");
    await settled();
    expect(another.result).toBeUndefined();
  });

  test("start no look-up after the close", () => {
    const lookup = openLookup();
    for (const hostname of names(20)) lookup.ask(hostname);
    lookup.close();
    for (const hostname of lookup.running()) lookup.question(hostname).answer();
    expect(lookup.asked()).toHaveLength(3);
  });
});

describe("accounts", () => {
  const other = { accountId: "acc_2" };

  test("one whose new names hang does not delay another", async () => {
    const lookup = openLookup();
    for (const hostname of names(100)) lookup.ask(hostname);
    await vi.advanceTimersByTimeAsync(20_000);
    const asked = lookup.ask("other.example", other);
    lookup.question("other.example")?.answer();
    await settled();
    expect(asked.result).toEqual([address]);
  });

  test("one whose quick names all stop answering leaves the others as many places", async () => {
    const lookup = openLookup();
    for (const hostname of names(100)) lookup.makeQuick(hostname);
    for (const hostname of names(100)) lookup.ask(hostname);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(lookup.running()).toHaveLength(share);
    for (const hostname of names(100, "other")) lookup.ask(hostname, other);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(lookup.running()).toContain("other-0.example");
    const third = lookup.ask("third.example", { accountId: "acc_3" });
    lookup.question("third.example")?.answer();
    await settled();
    expect(third.result).toEqual([address]);
  });

  test("one with ten thousand names waiting does not block another", async () => {
    const lookup = openLookup();
    for (const hostname of names(20_000)) lookup.ask(hostname);
    const asked = lookup.ask("other.example", other);
    lookup.question("other.example")?.answer();
    await settled();
    expect(asked.result).toEqual([address]);
  });

  test("a name that two accounts wait for is looked up at the earlier turn", async () => {
    const lookup = openLookup();
    for (const hostname of names(100)) lookup.ask(hostname);
    expect(lookup.running()).not.toContain("name-99.example");
    const asked = lookup.ask("name-99.example", other);
    lookup.question("name-99.example")?.answer();
    await settled();
    expect(asked.result).toEqual([address]);
    for (const hostname of lookup.running()) lookup.question(hostname).answer();
    await settled();
    expect(lookup.asked().filter((hostname) => hostname === "name-99.example")).toHaveLength(1);
  });

  test("take turns when places are short", () => {
    const lookup = openLookup();
    const accounts = names(20, "account");
    for (const accountId of accounts) {
      for (const hostname of names(20, accountId)) lookup.ask(hostname, { accountId });
    }
    expect(lookup.running()).toHaveLength(places);
    for (const hostname of lookup.running()) lookup.question(hostname).answer();
    for (const accountId of accounts) expect(lookup.asked()).toContain(`${accountId}-0.example`);
  });

  test("five whose names hang leave a place for one with an unknown name", async () => {
    const lookup = openLookup();
    const accounts = names(5, "account");
    for (const accountId of accounts) {
      await lookup.makeSlow(`slow.${accountId}`, accountId);
      for (const hostname of names(20, accountId)) lookup.makeQuick(hostname, accountId);
    }
    // All names that answered before stop answering together.
    for (const accountId of accounts) {
      lookup.ask(`slow.${accountId}`, { accountId });
      for (const hostname of names(20, accountId)) lookup.ask(hostname, { accountId });
    }
    await vi.advanceTimersByTimeAsync(2_000);
    for (const hostname of ["healthy.example", "next.example"]) {
      const asked = lookup.ask(hostname, { accountId: "healthy" });
      expect(lookup.running()).toContain(hostname);
      lookup.question(hostname).answer();
      await settled();
      expect(asked.result).toEqual([address]);
    }
  });

  test("however many had a slow name lately, they leave places", async () => {
    const lookup = openLookup();
    const accounts = names(30, "account");
    const last = accounts.at(-1)!;
    for (const accountId of accounts) await lookup.makeSlow(`slow.${accountId}`, accountId);
    lookup.makeQuick("quick.example", last);
    for (const accountId of accounts) lookup.ask(`unknown.${accountId}`, { accountId });
    expect(lookup.running()).toHaveLength(10);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lookup.running()).toHaveLength(10);
    const healthy = lookup.ask("healthy.example", { accountId: "healthy" });
    lookup.question("healthy.example").answer();
    await settled();
    expect(healthy.result).toEqual([address]);
    // A name that answered quickly does not wait for the other names of its account.
    const quick = lookup.ask("quick.example", { accountId: last });
    lookup.question("quick.example").answer();
    await settled();
    expect(quick.result).toEqual([address]);
  });

  test("many with quick names do not keep another's slow name, or its next one, waiting", async () => {
    const lookup = openLookup();
    const accounts = names(14, "account");
    for (const accountId of accounts) {
      for (const hostname of names(8, accountId)) lookup.makeQuick(hostname, accountId);
    }
    await lookup.makeSlow("recovered.example", "victim");
    for (const accountId of accounts) {
      for (const hostname of names(8, accountId)) lookup.ask(hostname, { accountId });
    }
    for (const hostname of ["recovered.example", "new.example"]) {
      lookup.ask(hostname, { accountId: "victim" });
      for (let ended = 0; ended < 2 * places && !lookup.running().includes(hostname); ended++) {
        lookup.question(lookup.running()[0]!).answer();
      }
      expect(lookup.running()).toContain(hostname);
      lookup.question(hostname).answer();
    }
  });

  test("one that is alone with three places has one besides the one for its slow names", async () => {
    const lookup = openLookup(3);
    lookup.ask("deaf.example");
    await vi.advanceTimersByTimeAsync(2_000);
    lookup.ask("good.example");
    lookup.ask("next.example");
    expect(lookup.running()).toEqual(["deaf.example", "good.example"]);
    lookup.ask("other.example", other);
    expect(lookup.running()).toEqual(["deaf.example", "good.example", "other.example"]);
  });
});
