import type { Zone } from "../../domain/time-zones/time-zone.ts";
import { momentText } from "./moment/moment-text.ts";
import type { Moment } from "./moment/moment.ts";
import { remark, type Remark } from "./remark.ts";

export interface MomentReading {
  /** What happens then, such as `Paused until`. */
  readonly meaning: string;
  readonly now: number;
  /** It is asked only if there is something to explain. */
  readonly zone: () => Zone;
  /** The user wrote it so that it needs no explanation. */
  readonly isClear: boolean;
}

/** How a moment was understood, and what was chosen because clocks change then. */
export function remarksOn(
  moment: Moment,
  { meaning, now, zone, isClear }: MomentReading,
): readonly Remark[] {
  const line = (): string => `${meaning} ${momentText(moment, now, zone())}.`;
  return [
    ...(isClear ? [] : [remark(line(), moment.isNextDay)]),
    ...(moment.choice === null ? [] : [remark(moment.choice)]),
  ];
}
