import type { Instant } from "../../domain/message.ts";

/** Hints from the operations to the engine. A missed hint loses nothing. */
export interface DeliveryControl {
  /** The target has something due at this instant. */
  noteDue(accountId: string, targetKey: number, dueAt: Instant): void;
  /** A message is not to be attempted at or after this instant. */
  noteBound(notAfter: Instant): void;
  /** The target was created, changed or removed. The engine's copies of it are out of date. */
  targetChanged(accountId: string, targetKey: number): void;
  /** A job was created or resumed. */
  noteJob(): void;
  /** A recurring schedule was created, changed or triggered, or its account was resumed. */
  noteSchedule(): void;
}
