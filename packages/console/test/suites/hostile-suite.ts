import { Postdate } from "@postdate/client";
import { expect, test } from "vitest";
import { operatorKey, rootKey } from "../../../server/test/support/server-process.ts";
import { addHostileStock } from "../support/hostile-stock.ts";
import type { Scene } from "../support/scene.ts";
import { narrow, Visitor, wide } from "../support/visitor.ts";

/** Ways of turning, hiding and colouring text. */
const tricky = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** What of others' text has come alive, turns the text around it, or breaks the page. */
async function harm({ page }: Visitor): Promise<readonly string[]> {
  const alive = await page
    .locator("body :is([onerror], [onclick], img, iframe, object, b, i, body script)")
    .evaluateAll((found) => found.map(({ outerHTML }) => outerHTML.slice(0, 100)));
  const shown = await page.locator("body").innerText();
  const named = await page
    .locator("body *")
    .evaluateAll((all) =>
      all.flatMap((one) =>
        ["title", "aria-label", "placeholder"].map((name) => one.getAttribute(name) ?? ""),
      ),
    );
  const turned = [shown, ...named].flatMap((text) => {
    const at = text.search(tricky);
    return at === -1 ? [] : [`not written out: ${JSON.stringify(text.slice(at - 40, at + 9))}`];
  });
  const title = await page.title();
  return [...alive, ...turned, ...(title.includes("broken") ? [`the title is ${title}`] : [])];
}

export function describeHostileText(scene: Scene): void {
  test("what others wrote is inert on every page that shows it, and breaks no page", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    await using stock = await addHostileStock(service.postdate);
    const found: string[] = [];
    const look = async (where: string, isShown = "onerror="): Promise<void> => {
      await visitor.settles();
      for (const screen of [wide, narrow]) {
        await page.setViewportSize(screen);
        await visitor.settles();
        if (await visitor.isWiderThanScreen()) found.push(`${where} is wider than its screen`);
      }
      await page.setViewportSize(wide);
      expect(await page.locator("body").innerText(), where).toContain(isShown);
      found.push(...(await harm(visitor)).map((harmed) => `${where}: ${harmed}`));
    };

    await visitor.goTo("/messages?q=target:hostile", "Messages");
    await look("the list of messages");
    for (const list of ["scheduled", "dead-letters"]) {
      await visitor.goTo(`/targets/hostile?tab=${list}`, "hostile");
      await look(`the tab ${list}`);
    }
    await visitor.goTo(`/messages/${stock.deadId}`, "Message");
    await visitor.button("Open").click();
    await look("the message and its answer");
    await visitor.button("Show the rest").click();
    await look("the whole payload");
    await page.getByRole("radiogroup").getByText("Hex").click();
    await look("the payload as bytes", "3c 69 6d 67");
    await visitor.button("Copy message as…").click();
    await page.getByRole("dialog").getByText("curl -sS").waitFor();
    await look("the message as code");
    await visitor.press("Escape");

    await visitor.goTo("/targets", "Targets");
    await look("targets", "script");
    await visitor.goTo("/targets/hostile?tab=settings", "hostile");
    await look("settings", "<script>");
    await visitor.goTo("/targets/hostile?tab=test", "hostile");
    await visitor.button("Send").click();
    await page.getByText("Answer", { exact: true }).waitFor();
    await look("a test");
    await visitor.goTo("/dead-letters", "Dead letters");
    await look("dead letters", "hostile");

    await visitor.goTo("/jobs", "Jobs");
    await look("jobs");
    await visitor.goTo(`/jobs/${stock.jobId}`, "Job");
    await look("the job");
    for (const tab of ["settings", "edit", "coming"]) {
      await visitor.goTo(`/schedules/hostile?tab=${tab}`, "hostile");
      await look(`the schedule's tab ${tab}`, "hostile");
    }
    await visitor.goTo("/access", "Access");
    await look("access");
    await visitor.button(/^Revoke <img/).click();
    await page.getByRole("dialog").waitFor();
    await look("a question");
    await visitor.press("Escape");
    await visitor.goTo("/audit", "Audit log");
    await look("the audit log");

    const search = encodeURIComponent(`label:who="\u202E<img src=x onerror=alert()>" colour:red`);
    await visitor.goTo(`/messages?q=${search}`, "Messages");
    await look("a search", "There is no colour:");
    await visitor.press("Control+k");
    await page.getByRole("dialog").locator("input").fill("hostile");
    await page.getByRole("dialog").getByText("script").first().waitFor();
    await look("the jump", "script");
    await visitor.press("Escape");
    expect(found).toEqual([]);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("events and names of accounts are inert, too", async () => {
    const { service, browser } = scene;
    const name = `<img src=x onerror="document.title='broken'">\u202E`;
    const operator = new Postdate({ url: service.url, key: operatorKey });
    const { accountId, key } = await operator.accounts.create({ name });
    await using owner = await Visitor.come({ browser, base: service.url });
    const { page } = owner;
    await owner.signIn(key);
    await owner.goTo("/usage", "Usage");
    await page.getByText("onerror=").first().waitFor();
    expect(await harm(owner)).toEqual([]);

    const postdate = new Postdate({ url: service.url, key });
    await postdate.targets.create({ targetId: "mine", url: "https://mine.example" });
    await owner.goTo("/live", "Live");
    await owner.button("Begin").click();
    await page.getByText("Waiting for the first event.").waitFor();
    const message = { targetId: "mine", in: { hours: 1 }, payload: "x", key: name };
    await postdate.messages.schedule(message);
    await page.getByText("onerror=").first().waitFor();
    expect(await harm(owner)).toEqual([]);
    expect(await owner.isWiderThanScreen()).toBe(false);
    expect(owner.takeComplaints()).toEqual([]);

    await using keeper = await Visitor.come({ browser, base: service.url });
    await keeper.signIn(rootKey);
    await keeper.goTo("/operator", "Operator");
    await keeper.page.getByRole("textbox", { name: "Operator's key" }).fill(operatorKey);
    await keeper.press("Enter");
    await keeper.page.getByText(accountId).first().waitFor();
    await keeper.page.getByText("onerror=").first().waitFor();
    expect(await harm(keeper)).toEqual([]);
    expect(keeper.takeComplaints()).toEqual([]);
  });
}
