import { describe, expect, test } from "vitest";
import { leftOutEvents } from "../../src/operations/events/left-out-events.ts";
import { PlacesInTurn } from "../../src/platform/places-in-turn.ts";
import { eventWorlds } from "./support/event-world.ts";

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const open = eventWorlds(kind);

  test("a webhook is told how many of its events a place ahead leaves out", async () => {
    const { store, addWebhook, happenTogether } = await open();
    const url = "http://127.0.0.1:1/";
    const all = await addWebhook({ url });
    const few = { types: ["target.*"], targetIds: null, labels: null };
    const none = await addWebhook({ url, endpointId: "few", filter: few });
    await happenTogether(700);
    if (kind === "postgres") while ((await store.moveEvents(500)).moved > 0);
    const end = await store.findPosition("acc", store.clock.now() + 60_000);
    const options = { store, eventReadsInTurn: new PlacesInTurn({ places: 1 }) };
    expect(await leftOutEvents(options, all, end)).toEqual({ wanted: 700, unseen: 0 });
    expect(await leftOutEvents(options, all, end - 100)).toEqual({ wanted: 600, unseen: 0 });
    expect(await leftOutEvents(options, none, end)).toEqual({ wanted: 0, unseen: 0 });
  });
});
