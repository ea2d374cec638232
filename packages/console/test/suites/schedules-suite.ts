import { expect, test } from "vitest";
import type { Scene } from "../support/scene.ts";

export function describeSchedules(scene: Scene): void {
  test("a schedule is made with a preview, run, skipped, changed, paused and removed", async () => {
    const { visitor, service } = scene;
    const { page } = visitor;
    const { schedules } = service.postdate;
    await visitor.goTo("/schedules", "Schedules");
    await page.getByRole("link", { name: "New schedule" }).click();
    await visitor.sees("New schedule");
    await page.getByLabel("Id").fill("nightly");
    await page.getByRole("combobox", { name: "Target" }).fill("billing");
    await page.getByLabel("Expressions").fill("30 2 * * *");
    await page.getByText("Due at 02:30, every day.").waitFor();
    await page.getByLabel("Payload").fill("good night");
    await visitor.settles();
    await visitor.button("Create").click();
    await visitor.sees("nightly");
    expect(await schedules.get("nightly")).toMatchObject({
      cron: ["30 2 * * *"],
      payload: "good night",
    });

    await visitor.button("Run now").click();
    await visitor.isTold("A run was made.");
    await visitor.button("Skip").first().click();
    await page.getByText("Skipped", { exact: true }).waitFor();
    expect((await schedules.get("nightly"))!.skips).toHaveLength(1);

    await page.getByRole("tab", { name: "Runs", exact: true }).click();
    await page.getByText("by hand").waitFor();
    await page.getByRole("tab", { name: "Edit" }).click();
    await page.getByLabel("Expressions").fill("0 4 * * SUN");
    await visitor.button("Save").click();
    await visitor.isTold("Changed.");
    await page.getByText("at 04:00, on Sunday").first().waitFor();
    expect((await schedules.get("nightly"))!.cron).toEqual(["0 4 * * SUN"]);

    await visitor.button("Pause").click();
    await page.getByText("Paused", { exact: true }).waitFor();
    expect((await schedules.get("nightly"))!.paused).toBe(true);
    await visitor.button("Remove").click();
    await visitor.button("Remove the schedule").click();
    await visitor.sees("Schedules");
    expect(await schedules.get("nightly")).toBeNull();
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
