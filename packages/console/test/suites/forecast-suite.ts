import { expect, test } from "vitest";
import type { Scene } from "../support/scene.ts";

export function describeForecast(scene: Scene): void {
  test("a cell of the forecast opens its minutes, and leads to its messages", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const labels = { test: "forecast" };
    const at = new Date(Date.now() + 3 * 86_400_000);
    const { messageId } = await service.postdate.messages.schedule({
      ...{ targetId: "crm", at, payload: "x", labels },
    });
    const cell = `${at.toISOString().slice(0, 13).replace("T", " ")}:00 UTC: 1 due`;
    await visitor.goTo("/forecast?targetId=crm&zone=UTC", "Forecast");
    await page.getByRole("gridcell", { name: cell }).focus();
    await visitor.press("ArrowLeft", "ArrowRight", "Enter");
    await page.getByRole("img", { name: /by minute: 1 in all/ }).waitFor();
    await page.reload();
    await page.getByRole("img", { name: /by minute: 1 in all/ }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "crm" }).click();
    await visitor.sees("Messages");
    await page.getByRole("link", { name: new RegExp(messageId) }).waitFor();
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
