import type { Job } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { duration } from "../../time/time-text.ts";

/** What these jobs have changed does not match any more, so what matches is what is left. */
const shrinking = new Set(["redrive", "cancel"]);

/** How long a running job needs at its rate, as far as anybody can know. */
export function TimeLeft({ job }: { readonly job: Job }) {
  const { jobId, action, filter, ratePerSecond, state } = job;
  const isKnown = state === "RUNNING" && shrinking.has(action);
  const { data } = useQuery({
    queryKey: ["left", jobId],
    queryFn: ({ signal }) =>
      postdate.jobs.preview({ action: action as "redrive" | "cancel", filter }, { signal }),
    enabled: isKnown,
    refetchInterval: 10_000,
    gcTime: 0,
  });
  if (state === "PAUSED") return "it is paused";
  if (state !== "RUNNING") return "none";
  if (!isKnown || data === undefined) return "unknown";
  const left = duration(Math.ceil(data.count / ratePerSecond) * 1_000);
  return `${data.exact ? "about" : "more than"} ${left}, for ${data.count.toLocaleString("en")}${data.exact ? "" : "+"} messages`;
}
