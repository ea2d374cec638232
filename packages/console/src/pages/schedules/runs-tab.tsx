import type { ScheduleRun } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { postdate } from "../../api/postdate.ts";
import { usePages } from "../../api/use-pages.ts";
import { Mark } from "../../presentation/mark.tsx";
import { PagedTable } from "../../presentation/paged-table.tsx";
import { Time } from "../../time/time.tsx";
import { outcomeOf, reasonWords } from "./schedule-words.ts";

const triggers = {
  TIME: "by time",
  MANUAL: "by hand",
  BACKFILL: "backfill",
  CATCH_UP: "caught up",
} as const;

/** What became of its runs, also of those that made no message. */
export function RunsTab({ scheduleId }: { readonly scheduleId: string }) {
  const found = usePages({
    queryKey: ["runs", scheduleId],
    list: (query, options) => postdate.schedules.runs(scheduleId, query, options),
    refetchInterval: 10_000,
  });
  return (
    <PagedTable
      found={found}
      label="Runs"
      keyOf={({ runTime, trigger, messageId }) => `${runTime} ${trigger} ${messageId}`}
      ifEmpty="It has had no run yet."
      columns={[
        { name: "Run time", show: ({ runTime }) => <Time at={runTime} isRelative /> },
        { name: "Outcome", show: (run) => <Outcome run={run} /> },
        { name: "Made", show: ({ trigger }) => triggers[trigger] },
        { name: "Why", show: reasonWords },
        { name: "Message", show: ({ messageId }) => messageId && <MessageLink id={messageId} /> },
      ]}
    />
  );
}

function Outcome({ run }: { readonly run: ScheduleRun }) {
  const [name, tone] = outcomeOf(run);
  return <Mark tone={tone}>{name}</Mark>;
}

function MessageLink({ id }: { readonly id: string }) {
  return (
    <Link to="/messages/$messageId" params={{ messageId: id }}>
      {id}
    </Link>
  );
}
