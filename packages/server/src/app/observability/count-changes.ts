import type { ChangeResult, Store } from "../../storage/store.ts";
import type { Metrics } from "./metrics.ts";

/** The same store. It also counts the messages that callers schedule, cancel and reschedule. */
export function countChanges(store: Store, { changes }: Pick<Metrics, "changes">): Store {
  return {
    ...store,
    async scheduleMessages(requests) {
      const results = await store.scheduleMessages(requests);
      let scheduled = 0;
      for (const { kind } of results) if (kind === "scheduled") scheduled++;
      if (scheduled > 0) changes.add("scheduled", scheduled);
      return results;
    },
    cancelMessage: async (request) => counted("cancelled", await store.cancelMessage(request)),
    rescheduleMessage: async (request) =>
      counted("rescheduled", await store.rescheduleMessage(request)),
  };

  function counted(change: "cancelled" | "rescheduled", result: ChangeResult): ChangeResult {
    if (result.kind === "changed") changes.add(change);
    return result;
  }
}
