import type { MessageState } from "@postdate/client";
import { Mark, type MarkTone } from "./mark.tsx";

const marks: Readonly<Record<MessageState, readonly [name: string, tone: MarkTone]>> = {
  SCHEDULED: ["Scheduled", "wait"],
  DELIVERED: ["Delivered", "good"],
  DEAD_LETTER: ["Dead letter", "bad"],
  CANCELLED: ["Cancelled", "quiet"],
};

export function StateMark({ state }: { readonly state: MessageState }) {
  const [name, tone] = marks[state];
  return <Mark tone={tone}>{name}</Mark>;
}
