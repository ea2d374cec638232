import { expect, test } from "vitest";
import type { Scene } from "../support/scene.ts";

export function describeLive(scene: Scene): void {
  test("events appear as they happen, and a pause keeps them back without losing any", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const schedule = async (): Promise<string> => {
      const message = { targetId: "billing", in: { hours: 3 }, payload: "x" };
      return (await service.postdate.messages.schedule(message)).messageId;
    };
    const isShown = (messageId: string): Promise<void> =>
      page.getByRole("link", { name: messageId }).first().waitFor();

    await visitor.goTo("/", "Overview");
    await visitor.press("g", "e");
    await visitor.sees("Live");
    await visitor.button("Begin").click();
    await visitor.isTold("Events are kept from now on.");
    await page.getByText("Waiting for the first event.").waitFor();
    const first = await schedule();
    await isShown(first);

    await page.getByLabel("Paused").focus();
    await visitor.press("Space");
    const second = await schedule();
    await service.postdate.messages.cancel(second);
    expect(await page.getByRole("link", { name: second }).count()).toBe(0);
    await visitor.press("Space");
    await isShown(second);
    await page.getByText("message.cancelled").waitFor();

    await page.getByLabel("Type", { exact: true }).fill("cancelled");
    await expect.poll(() => page.getByRole("link", { name: second }).count()).toBe(1);
    expect(await page.getByRole("link", { name: first }).count()).toBe(0);
    expect(page.url()).toContain("type=cancelled");

    await visitor.button("End").click();
    await visitor.button("End it").click();
    await visitor.isTold("Events are no longer kept for this page.");
    expect(await service.postdate.events.list().all()).toEqual([]);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a connection that is lost is said to be, and after it nothing is missing", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    await service.postdate.events.create({ endpointId: "breaks", kind: "stream" });
    const mayConnect = Promise.withResolvers<void>();
    let streams = 0;
    await page.route("**/event-endpoints/breaks/stream*", async (route) => {
      streams += 1;
      const contentType = "text/event-stream";
      if (streams === 1) return route.fulfill({ contentType, body: "retry: 2000\n\n" });
      await mayConnect.promise;
      return route.continue();
    });
    await visitor.open("/live", "Live");
    const said = page.getByRole("main").getByRole("status");
    await said.getByText("Connection lost, trying again").waitFor();
    const message = { targetId: "billing", in: { hours: 3 }, payload: "x" };
    const { messageId } = await service.postdate.messages.schedule(message);
    await service.postdate.messages.cancel(messageId);
    mayConnect.resolve();
    await said.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("link", { name: messageId }).first().waitFor();
    await visitor.goTo("/", "Overview");
    await page.unrouteAll({ behavior: "wait" });
    await service.postdate.events.remove("breaks");
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("an endpoint that somebody removes is said to be gone, and what it told stays", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const { events, messages } = service.postdate;
    await events.create({ endpointId: "goes", kind: "stream", types: ["message.*"] });
    await visitor.open("/live", "Live");
    await page.getByText("Waiting for the first event.").waitFor();
    const message = { targetId: "billing", in: { hours: 3 }, payload: "x" };
    const { messageId } = await messages.schedule(message);
    await page.getByRole("link", { name: messageId }).waitFor();
    await events.create({ endpointId: "other", kind: "stream" });
    await events.remove("goes");
    await page.getByText("There is no event endpoint “goes” any more.").waitFor();
    expect(await page.getByRole("link", { name: messageId }).count()).toBe(1);
    await visitor.button("Go on without it").click();
    await page.getByText("The endpoint “other” gets all types but").waitFor();
    await visitor.goTo("/", "Overview");
    await events.remove("other");
    for (const complaint of visitor.takeComplaints()) expect(complaint).toContain("404");
  });

  test("an event of a type that the page does not know is shown as such", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    await service.postdate.events.create({ endpointId: "newer", kind: "stream" });
    const event = {
      id: "evt_1",
      type: "postdate.carrier.arrived.v1",
      subject: "carriers/pigeon",
      time: new Date().toISOString(),
      data: { message: "of another form" },
    };
    const told = `id: p1\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    await page.route("**/event-endpoints/newer/stream*", async (route) => {
      const body = route.request().url().includes("from=p1") ? "retry: 2000\n\n" : told;
      return route.fulfill({ contentType: "text/event-stream", body });
    });
    await visitor.open("/live", "Live");
    const row = page.getByRole("row", { name: "carrier.arrived" });
    await row.getByText("carriers/pigeon").waitFor();
    await row.getByText("This page does not know this type.").waitFor();
    await visitor.goTo("/", "Overview");
    await page.unrouteAll({ behavior: "wait" });
    await service.postdate.events.remove("newer");
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("of several endpoints the widest is shown, with what it gets", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const { events } = service.postdate;
    const kind = "stream";
    await events.create({ endpointId: "a-job", kind, types: ["job.ended"], targetIds: ["crm"] });
    await events.create({ endpointId: "deaths", kind, types: ["message.dead_lettered"] });
    await visitor.open("/live", "Live");
    await page.getByText("The endpoint “deaths” gets message.dead_lettered.").waitFor();
    await page.getByLabel("Event endpoint").selectOption("a-job");
    await page.getByText("The endpoint “a-job” gets job.ended of the target crm.").waitFor();
    expect(page.url()).toContain("endpoint=a-job");
    await visitor.goTo("/", "Overview");
    for (const endpointId of ["a-job", "deaths"]) await events.remove(endpointId);
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
