import { expect, test } from "vitest";
import { flaws, looks, takeLook } from "../support/looks.ts";
import type { Scene } from "../support/scene.ts";

const pages = ({ service: { deadId, jobId } }: Scene) =>
  [
    ["/", "Overview"],
    ["/messages", "Messages"],
    [`/messages/${deadId}`, "Message"],
    ["/targets", "Targets"],
    ["/targets/mail", "mail"],
    ["/targets/mail?tab=scheduled", "mail"],
    ["/targets/mail?tab=settings", "mail"],
    ["/targets/mail?tab=secret", "mail"],
    ["/targets/mail?tab=test", "mail"],
    ["/dead-letters", "Dead letters"],
    ["/forecast", "Forecast"],
    ["/forecast?hour=overdue", "Forecast"],
    ["/schedules", "Schedules"],
    ["/schedules/digest", "digest"],
    ["/schedules/digest?tab=calendar", "digest"],
    ["/schedules/digest?tab=runs", "digest"],
    ["/schedules/digest?tab=settings", "digest"],
    ["/new-schedule", "New schedule"],
    ["/jobs", "Jobs"],
    [`/jobs/${jobId}`, "Job"],
    ["/live", "Live"],
    ["/access", "Access"],
    ["/audit", "Audit log"],
    ["/usage", "Usage"],
    ["/nodes", "Nodes"],
    ["/operator", "Operator"],
    ["/nonsense", "There is no such page"],
  ] as const;

export function describePages(scene: Scene): void {
  test("every page shows itself without complaint", async () => {
    const { visitor } = scene;
    await visitor.open("/", "Overview");
    for (const [path, title] of pages(scene)) {
      await visitor.goTo(path, title);
      await visitor.settles();
    }
    expect(visitor.takeComplaints()).toEqual([]);
  });
}

/** The same, looked at closely. How a page looks does not depend on the store. */
export function describeLooks(scene: Scene): void {
  test.each(looks)("every page is without barrier: %s", async (look) => {
    const { visitor } = scene;
    const found: string[] = [];
    await takeLook(visitor, look);
    await visitor.open("/", "Overview");
    for (const [path, title] of pages(scene)) {
      await visitor.goTo(path, title);
      await visitor.settles();
      // The frame around the pages is the same everywhere.
      const part = path === "/" ? "html" : "main";
      found.push(...(await flaws(visitor, look, part)).map((flaw) => `${path} ${flaw}`));
    }
    expect(found).toEqual([]);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("where less motion is wanted, a colour changes at once", async () => {
    const { visitor } = scene;
    await visitor.open("/access", "Access");
    await visitor.button("New key").waitFor();
    const colour = await visitor.page.evaluate(`(() => {
      const button = document.querySelector("main button");
      button.style.backgroundColor = "rgb(1, 2, 3)";
      return getComputedStyle(button).backgroundColor;
    })()`);
    expect(colour).toBe("rgb(1, 2, 3)");
  });
}
