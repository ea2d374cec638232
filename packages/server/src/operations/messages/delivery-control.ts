import type { Instant } from "../../domain/message.ts";

/** What operations tell the engine. These are hints: nothing is lost when one is missed. */
export interface DeliveryControl {
  /** The target has something due at this instant. */
  noteDue(accountId: string, targetKey: number, dueAt: Instant): void;
  /** The target was created, changed or removed: copies of it are old. */
  targetChanged(accountId: string, targetKey: number): void;
}
