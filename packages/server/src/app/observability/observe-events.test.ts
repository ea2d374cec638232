import { expect, test } from "vitest";
import { idleSources } from "./idle-sources.ts";
import { createMetrics } from "./metrics.ts";
import { observeEvents } from "./observe-events.ts";

test("counts what becomes of events, and shows how webhooks stand", async () => {
  const { registry, ...metrics } = createMetrics(idleSources);
  const observer = observeEvents(metrics);
  observer.eventsMoved(1_000);
  observer.eventsMoved(5);
  observer.eventsRemoved(7);
  observer.webhooksStand({ webhooks: 9, failing: 3, mostBehind: 1_000 });
  observer.webhooksStand({ webhooks: 8, failing: 2, mostBehind: 40 });
  const text = await registry.metrics();
  for (const line of [
    "postdate_events_moved_total 1005",
    "postdate_events_removed_total 7",
    "postdate_event_webhooks 8",
    "postdate_event_webhooks_failing 2",
    "postdate_event_webhook_lag_events 40",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("shows how long events wait, which grows until the node looks again", async () => {
  let now = 0;
  const { registry, ...metrics } = createMetrics({
    ...idleSources,
    clock: { monotonic: () => now },
  });
  const observer = observeEvents(metrics);
  const lag = async (): Promise<string | undefined> =>
    /^postdate_event_move_lag_seconds (\S+)$/m.exec(await registry.metrics())?.[1];
  expect(await lag()).toBe("Nan");
  observer.eventsWaited(2_500);
  expect(await lag()).toBe("2.5");
  now += 4_000;
  expect(await lag()).toBe("6.5");
  observer.eventsWaited(0);
  expect(await lag()).toBe("0");
  now += 250;
  expect(await lag()).toBe("0.25");
  // Of the embedded store.
  observer.eventsWaited(null);
  now += 60_000;
  expect(await lag()).toBe("0");
});
