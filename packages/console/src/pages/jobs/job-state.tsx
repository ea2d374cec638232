import type { Job } from "@postdate/client";
import { Mark } from "../../presentation/mark.tsx";

const tones = {
  RUNNING: "wait",
  PAUSED: "bad",
  DONE: "good",
  STOPPED: "quiet",
  FAILED: "bad",
} as const;

export function JobState({ state }: Pick<Job, "state">) {
  return <Mark tone={tones[state]}>{state[0] + state.slice(1).toLowerCase()}</Mark>;
}
