import { Postdate } from "@postdate/client";
import { expect, test } from "vitest";
import { operatorKey } from "../../../server/test/support/server-process.ts";
import type { Scene } from "../support/scene.ts";
import { Visitor } from "../support/visitor.ts";

export function describeAccess(scene: Scene): void {
  test("a key is made, shown once, signs in to what it allows and no more, and is revoked", async () => {
    const { browser, visitor, service } = scene;
    const { page } = visitor;
    await visitor.goTo("/access", "Access");
    await visitor.button("New key").click();
    await page.getByLabel("Name").fill("reader");
    await page.getByRole("combobox", { name: "What it may do" }).click();
    await page.getByRole("option", { name: "Messages, reading only" }).click();
    await visitor.button("Create").click();
    const key = await page.getByRole("region", { name: "the key" }).innerText();
    await visitor.button("I have it").click();
    await page.getByRole("cell", { name: "reader", exact: true }).waitFor();

    await using reader = await Visitor.come({ browser, base: service.url });
    await reader.signIn(key);
    expect(await reader.page.getByRole("navigation").getByRole("link").allInnerTexts()).toEqual([
      "Overview",
      "Messages",
      "Dead letters",
      "Forecast",
      "Jobs",
      "Usage",
    ]);
    for (const [path, title] of [
      ["/messages", "Messages"],
      [`/messages/${service.waitingId}`, "Message"],
      ["/dead-letters", "Dead letters"],
      ["/forecast", "Forecast"],
      ["/jobs", "Jobs"],
      [`/jobs/${service.jobId}`, "Job"],
      ["/usage", "Usage"],
    ] as const) {
      await reader.goTo(path, title);
      await reader.settles();
    }
    await reader.goTo(`/messages/${service.waitingId}`, "Message");
    expect(await reader.button("Cancel").count()).toBe(0);
    expect(reader.takeComplaints()).toEqual([]);

    for (const [path, title] of [
      ["/access", "Access"],
      ["/targets", "Targets"],
      ["/audit", "Audit log"],
    ] as const) {
      await reader.goTo(path, title);
      await reader.page.getByText("Sign in with a key that has this scope.").first().waitFor();
    }

    await visitor.button("Revoke reader").click();
    await visitor.button("Revoke the key").click();
    await visitor.isTold("Revoked.");
    await reader.page.reload();
    await reader.page.getByLabel("API key").waitFor();
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a link to an action leads somebody who only reads to no action", async () => {
    const { service, browser } = scene;
    const { key } = await service.postdate.keys.create({
      ...{ name: "auditor", scopes: ["scheduler.all.read"] },
    });
    await using reader = await Visitor.come({ browser, base: service.url });
    await reader.signIn(key);
    for (const [path, title] of [
      ["/targets/mail?tab=secret", "mail"],
      ["/targets/mail?tab=test", "mail"],
      ["/schedules/digest?tab=edit", "digest"],
      ["/new-schedule", "New schedule"],
    ] as const) {
      await reader.goTo(path, title);
      await reader.settles();
      const offered = reader.page.getByRole("main").getByRole("button");
      expect(await offered.allInnerTexts(), path).toEqual([]);
    }
    expect(reader.takeComplaints()).toEqual([]);
  });

  test("the audit log has what was done", async () => {
    const { visitor } = scene;
    await visitor.goTo("/audit", "Audit log");
    await visitor.page.getByText("key.created").first().waitFor();
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("the secret of a target is rotated, and shown once", async () => {
    const { visitor } = scene;
    const { page } = visitor;
    await visitor.goTo("/targets/crm?tab=secret", "crm");
    await visitor.button("Rotate the secret").click();
    await visitor.button("Rotate").click();
    expect(await page.getByRole("region", { name: "the secret" }).innerText()).toMatch(/^whsec_/);
    await visitor.button("I have it").click();
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("the operator makes, suspends and removes an account with a key that is kept nowhere", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    await visitor.goTo("/operator", "Operator");
    await page.getByRole("textbox", { name: "Operator's key" }).fill(operatorKey);
    await visitor.press("Enter");
    await visitor.button("New account").click();
    await page.getByLabel("Name").fill("tenant");
    await page.getByLabel("Messages a month").fill("1000");
    await visitor.button("Create").click();
    const key = await page.getByRole("region", { name: "the key" }).innerText();
    await visitor.button("I have it").click();
    const { accountId } = await new Postdate({ url: service.url, key }).account();

    await visitor.button(`Suspend ${accountId}`).click();
    await visitor.button("Suspend it").click();
    await visitor.isTold("Suspended.");
    await visitor.button(`Remove ${accountId}`).click();
    await visitor.button("Remove the account").click();
    await visitor.isTold("Removed.");
    const operator = new Postdate({ url: service.url, key: operatorKey });
    expect(await operator.accounts.get(accountId)).toBeNull();
    const stored = await page.evaluate<string>(
      "JSON.stringify({ ...localStorage, ...sessionStorage })",
    );
    expect(stored).not.toContain(operatorKey);
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
