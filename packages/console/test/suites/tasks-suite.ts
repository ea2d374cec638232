import { expect, test } from "vitest";
import type { Scene } from "../support/scene.ts";

export function describeTasks(scene: Scene): void {
  test("what others wrote is shown as it is, and nothing of it comes alive", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    await visitor.goTo(`/messages/${service.deadId}`, "Message");
    await page.getByText("onerror=").first().waitFor();
    await visitor.button("Open").click();
    const shown = page.getByRole("region", { name: "Payload text" });
    await shown.waitFor();
    expect(await shown.innerText()).toContain('"id": 12345678901234567890');
    expect(await shown.innerText()).toContain("<script>");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.locator("main").innerText()).not.toContain("\u202e");
    expect(await page.title()).toBe("Message · Postdate");
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("the overview names a target whose attempts fail", async () => {
    const { visitor } = scene;
    await visitor.goTo("/", "Overview");
    const panel = visitor.page.getByRole("region", { name: "Needs attention" });
    const row = panel.getByRole("listitem").filter({ hasText: /attempts failed in the last/ });
    await row.first().waitFor();
    expect(await row.first().innerText()).toMatch(/^mail 1 of 1 attempts failed/);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("the keyboard alone finds a message and cancels it", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const { messageId } = await service.postdate.messages.schedule({
      targetId: "mail",
      in: { hours: 2 },
      payload: "x",
      labels: { task: "keyboard" },
    });
    await visitor.goTo("/", "Overview");
    await visitor.press("g", "m");
    await visitor.sees("Messages");
    await visitor.press("/");
    await page.keyboard.type("label:task=keyboard");
    await visitor.press("Enter");
    await page.getByRole("link", { name: new RegExp(messageId) }).waitFor();
    await visitor.press("Escape", "j", "Enter");
    await visitor.sees("Message");
    await visitor.button("Cancel").focus();
    await visitor.press("Enter");
    await page.getByRole("dialog").waitFor();
    await visitor.button("Cancel the message").focus();
    await visitor.press("Enter");
    await visitor.isTold("Cancelled.");
    expect((await service.postdate.messages.get(messageId))!.state).toBe("CANCELLED");
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
