import { expect, test } from "vitest";
import { flaws, looks, takeLook } from "../support/looks.ts";
import type { Scene } from "../support/scene.ts";
import type { Visitor } from "../support/visitor.ts";

type Opening = (visitor: Visitor) => Promise<void>;

/** Where a dialog is, and what opens it. */
const dialogs = ({ service: { waitingId } }: Scene): readonly [string, string, Opening][] => [
  [`/messages/${waitingId}`, "Message", (visitor) => visitor.press("?")],
  [`/messages/${waitingId}`, "Message", (visitor) => visitor.press("Control+k")],
  [`/messages/${waitingId}`, "Message", (visitor) => visitor.button("Reschedule").click()],
  ["/dead-letters", "Dead letters", (visitor) => visitor.button("Redrive…").first().click()],
  ["/schedules/digest", "digest", (visitor) => visitor.button("Backfill").click()],
  ["/access", "Access", (visitor) => visitor.button("New key").click()],
];

export function describeDialogs(scene: Scene): void {
  test.each(looks)("every dialog is without barrier: %s", async (look) => {
    const { visitor } = scene;
    const found: string[] = [];
    await takeLook(visitor, look);
    await visitor.open("/", "Overview");
    for (const [index, [path, title, open]] of dialogs(scene).entries()) {
      await visitor.goTo(path, title);
      await visitor.settles();
      await open(visitor);
      const dialog = visitor.page.getByRole("dialog");
      await dialog.waitFor();
      await visitor.settles();
      const inDialog = await flaws(visitor, look, "[role=dialog]");
      found.push(...inDialog.map((flaw) => `dialog ${index + 1}: ${flaw}`));
      await visitor.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    expect(found).toEqual([]);
    expect(visitor.takeComplaints()).toEqual([]);
  });
}
