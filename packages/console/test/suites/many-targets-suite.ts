import { Postdate } from "@postdate/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver, type Receiver } from "../../../server/test/support/receiver.ts";
import { operatorKey } from "../../../server/test/support/server-process.ts";
import type { Scene } from "../support/scene.ts";
import { Visitor } from "../support/visitor.ts";

const hourMs = 3_600_000;

/** More than one page of targets. What matters is about the last of them. */
export function describeManyTargets(scene: Scene): void {
  describe("with more targets than a page has", () => {
    let receiver: Receiver;
    let visitor: Visitor;
    let postdate: Postdate;
    beforeAll(async () => {
      const { browser, service } = scene;
      receiver = await startReceiver();
      // It keeps all attempts waiting.
      receiver.answerWith(() => {});
      const operator = new Postdate({ url: service.url, key: operatorKey });
      const { key } = await operator.accounts.create({});
      postdate = new Postdate({ url: service.url, key });
      const { targets, messages } = postdate;
      const numbers = Array.from({ length: 105 }, (_, index) => String(index).padStart(3, "0"));
      const url = `${receiver.url}/`;
      await Promise.all(numbers.map((number) => targets.create({ targetId: `t-${number}`, url })));
      await targets.create({ targetId: "zz-busy", url, maxConcurrency: 2, timeoutMs: 300_000 });
      await targets.create({ targetId: "zz-paused", url, paused: true });
      for (const targetId of ["zz-busy", "zz-busy", "zz-busy", "zz-busy", "zz-busy", "zz-paused"]) {
        await messages.schedule({ targetId, in: 0, payload: "x" });
      }
      await receiver.received(2);
      visitor = await Visitor.come({ browser, base: service.url });
      await visitor.signIn(key);
    });
    afterAll(async () => {
      await visitor?.[Symbol.asyncDispose]();
      await receiver?.close();
    });

    test("the overview names those that are paused or at their limit", async () => {
      await visitor.goTo("/", "Overview");
      const rows = visitor.page.getByRole("region", { name: "Needs attention" });
      const paused = rows.getByRole("listitem").filter({ hasText: "zz-paused" });
      await paused.waitFor();
      expect(await paused.innerText()).toMatch(/1 due and waiting\s+paused/);
      const full = rows.getByRole("listitem").filter({ hasText: "zz-busy" });
      expect(await full.innerText()).toMatch(/3 due and waiting behind 2 in flight\s+at its limit/);
      expect(await rows.innerText()).not.toContain("Nothing.");
    });

    test("each card says what is in flight of the limit, waits and is dead", async () => {
      await visitor.goTo("/targets", "Targets");
      await visitor.button("Show more").click();
      const card = visitor.page.getByRole("listitem").filter({ hasText: "zz-busy" });
      await card.getByText("2 of 2 in flight · 3 due and waiting · 0 dead").waitFor();
      expect(await visitor.page.getByRole("main").getByRole("listitem").count()).toBe(107);
    });

    test("jumps to any target by its name", async () => {
      await visitor.goTo("/usage", "Usage");
      await visitor.press("Control+k");
      await visitor.page.getByLabel("Jump to").fill("zz-busy");
      await visitor.page.getByText("The target “zz-busy”").waitFor();
      await visitor.press("Enter");
      await visitor.sees("zz-busy");
      const now = visitor.page.getByRole("region", { name: "Now" });
      await now.getByText("2 of 2").waitFor();
      expect((await now.innerText()).replaceAll(/\s+/g, " ")).toBe(
        "Now In flight 2 of 2 Due and waiting 3 Dead letters 0",
      );
    });

    test("an hour of the forecast leads to messages of any of them", async () => {
      const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs + 3 * hourMs);
      const at = new Date(hour.getTime() + hourMs / 2);
      await postdate.messages.schedule({ targetId: "zz-busy", at, payload: "x" });
      await visitor.goTo(`/forecast?hour=${encodeURIComponent(hour.toISOString())}`, "Forecast");
      const panel = visitor.page.getByRole("region", { name: /^The hour of/ });
      await panel.getByRole("link", { name: "zz-busy" }).click();
      await visitor.sees("Messages");
      await visitor.page.getByText("That is all: 1 found.").waitFor();
      const row = visitor.page.getByRole("main").getByRole("link", { name: /^msg_/ });
      expect(await row.innerText()).toContain("zz-busy");
    });

    test("what is overdue leads to its messages, target by target", async () => {
      const { page } = visitor;
      await visitor.goTo("/", "Overview");
      await page
        .getByRole("main")
        .getByRole("link", { name: /^Overdue/ })
        .click();
      await visitor.sees("Forecast");
      const panel = page.getByRole("region", { name: "Overdue" });
      const row = (name: string) => panel.getByRole("listitem").filter({ hasText: name });
      await row("zz-busy").getByText("3 waiting, 2 in flight").waitFor();
      await row("zz-paused").getByText("1 waiting, 0 in flight").waitFor();
      expect(await panel.getByRole("listitem").count()).toBe(2);
      await panel.getByRole("link", { name: "zz-busy" }).click();
      await visitor.sees("Messages");
      await page.getByText("That is all: 5 found.").waitFor();
      expect(visitor.takeComplaints()).toEqual([]);
    });

    test("j and k move over the rows of any list", async () => {
      await visitor.goTo("/targets", "Targets");
      const link = (name: string) => visitor.page.getByRole("main").getByRole("link", { name });
      await link("t-001").waitFor();
      const hasFocus = (name: string) =>
        visitor.page.locator("a:focus", { hasText: name }).waitFor();
      await visitor.press("j");
      await hasFocus("t-000");
      await visitor.press("j", "j");
      await hasFocus("t-002");
      await visitor.press("k");
      await hasFocus("t-001");
      await visitor.press("Enter");
      await visitor.sees("t-001");
      expect(visitor.takeComplaints()).toEqual([]);
    });
  });
}
