import type { Message } from "@postdate/client";
import { expect, test } from "vitest";
import type { Scene } from "../support/scene.ts";

/** Messages that wait, found by a label. */
async function waiting({ service }: Scene, label: string, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () =>
    service.postdate.messages.schedule({
      targetId: "billing",
      in: { hours: 3 },
      payload: "x",
      labels: { test: label },
    }),
  );
  return (await Promise.all(made)).map(({ messageId }) => messageId);
}

async function statesOf({ service }: Scene, ids: readonly string[]): Promise<Message["state"][]> {
  const found = await Promise.all(ids.map((id) => service.postdate.messages.get(id)));
  return found.map((message) => message!.state);
}

export function describeManyMessages(scene: Scene): void {
  test("all that match are cancelled by a job, after a look at how many", async () => {
    const { visitor } = scene;
    const { page } = visitor;
    const ids = await waiting(scene, "job", 3);
    await visitor.goTo("/messages?q=state:scheduled%20label:test%3Djob", "Messages");
    const dialog = page.getByRole("dialog");
    await visitor.press("?");
    await dialog.getByText("Act on all messages that match").waitFor();
    await visitor.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await visitor.button("All that match…").waitFor();
    await visitor.press("a");
    await dialog.getByText("3", { exact: true }).waitFor();
    await visitor.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await visitor.button("All that match…").click();
    await dialog.getByText("3", { exact: true }).waitFor();
    await visitor.button("Start").click();
    await visitor.sees("Job");
    await page.getByText("Done", { exact: true }).waitFor();
    expect(await statesOf(scene, ids)).toEqual(["CANCELLED", "CANCELLED", "CANCELLED"]);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a few are selected with keys and with Shift, and cancelled", async () => {
    const { visitor } = scene;
    const { page } = visitor;
    const ids = await waiting(scene, "some", 3);
    await visitor.goTo("/messages?q=label:test%3Dsome", "Messages");
    const boxes = page.getByRole("checkbox");
    await boxes.nth(2).waitFor();
    await visitor.press("j", "x");
    await page.getByText("1 selected").waitFor();
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    await page.reload();
    await page.getByText("3 selected").waitFor();
    await boxes.nth(1).click();
    await page.getByText("2 selected").waitFor();
    await boxes.nth(1).click();
    await visitor.button("Cancel").click();
    await visitor.button("Cancel them").click();
    await visitor.isTold("3 cancelled.");
    expect(await statesOf(scene, ids)).toEqual(["CANCELLED", "CANCELLED", "CANCELLED"]);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a search goes on by itself over pages that found nothing", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    let empty = 3;
    const nothing = { items: [], count: 0, pageToken: "a", nextPageToken: "b" };
    await page.route("**/v1/messages?*", async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.delete("pageToken");
      if (empty-- <= 0) return route.continue({ url: url.href });
      const searchedUntil = new Date().toISOString();
      return route.fulfill({ json: { ...nothing, searchedUntil } });
    });
    await visitor.goTo("/messages?q=target:mail%20state:scheduled,cancelled", "Messages");
    await page.getByRole("link", { name: new RegExp(service.waitingId) }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a link selects only what its page shows", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const [id] = await waiting(scene, "linked", 1);
    const selected = [id, service.waitingId].join(",");
    await visitor.open(`/messages?q=label:test%3Dlinked&selected=${selected}`, "Messages");
    await page.getByText("1 selected").waitFor();
    await page.getByRole("searchbox").fill("target:mail");
    await visitor.press("Enter");
    await page.getByRole("link", { name: new RegExp(service.waitingId) }).waitFor();
    expect(page.url()).not.toContain("selected");
    expect(await page.getByText(/^\d+ selected$/).count()).toBe(0);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a job is paused, changed, resumed and stopped", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    await waiting(scene, "slow", 30);
    const { jobId } = await service.postdate.jobs.create({
      action: "cancel",
      filter: { targetId: "billing", labels: { test: "slow" } },
      ratePerSecond: 1,
    });
    await visitor.goTo(`/jobs/${jobId}`, "Job");
    await visitor.button("Pause").click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await visitor.button("Rate").click();
    await page.getByLabel("Messages a second").fill("2");
    await visitor.button("Change").click();
    await page.getByText("2 a second at most").waitFor();
    await visitor.button("Resume").click();
    await page.getByText("Running", { exact: true }).waitFor();
    await visitor.button("Stop").click();
    await visitor.button("Stop the job").click();
    await page.getByText("Stopped", { exact: true }).waitFor();
    expect((await service.postdate.jobs.get(jobId))!.state).toBe("STOPPED");
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a group of dead letters is sent again", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const redrive = visitor.button("Redrive those of mail").first();
    await visitor.goTo("/", "Overview");
    await redrive.click();
    await page.getByRole("dialog").getByText("dead letters of mail").waitFor();
    await visitor.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => redrive.evaluate((button) => button.matches(":focus"))).toBe(true);
    await visitor.press("Enter");
    await page.getByRole("dialog").getByText("dead letters of mail").waitFor();
    await page.getByLabel("Messages a second").fill("7");
    await visitor.button("Start").click();
    await visitor.sees("Job");
    await page.getByText("7 a second at most").waitFor();
    const [job] = (await service.postdate.jobs.list({ limit: 1 }).page()).items;
    expect(job).toMatchObject({ action: "redrive", filter: { targetId: "mail" } });
    await service.postdate.jobs.wait(job!.jobId);
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
