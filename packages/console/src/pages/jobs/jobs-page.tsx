import type { Job } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { postdate } from "../../api/postdate.ts";
import { usePages } from "../../api/use-pages.ts";
import { inertText } from "../../presentation/inert-text.ts";
import { Page } from "../../presentation/page.tsx";
import { PagedTable } from "../../presentation/paged-table.tsx";
import { Time } from "../../time/time.tsx";
import { useZone } from "../../time/zone.tsx";
import { JobState } from "./job-state.tsx";
import { actionWords, filterWords } from "./job-words.ts";

/** Changes of many messages at once, the newest first. */
export default function JobsPage() {
  const found = usePages({
    queryKey: ["jobs"],
    list: (query, options) => postdate.jobs.list(query, options),
    refetchInterval: 5_000,
  });
  return (
    <Page title="Jobs">
      <PagedTable
        found={found}
        label="Jobs"
        keyOf={({ jobId }) => jobId}
        ifEmpty="None yet. Select messages, or redrive dead letters, and the job is here."
        columns={[
          { name: "What", show: (job) => <JobLink job={job} /> },
          { name: "State", show: ({ state }) => <JobState state={state} /> },
          { name: "Done", show: ({ done }) => done.toLocaleString("en"), isAtRight: true },
          { name: "Skipped", show: (job) => skippedOf(job).toLocaleString("en"), isAtRight: true },
          {
            name: "A second",
            show: (job) => job.ratePerSecond.toLocaleString("en"),
            isAtRight: true,
          },
          { name: "Started", show: ({ creationTime }) => <Time at={creationTime} isRelative /> },
          {
            name: "By",
            isWhole: true,
            show: ({ actor }) => inertText(`${actor.kind} ${actor.id}`),
          },
        ]}
      />
    </Page>
  );
}

function JobLink({ job }: { readonly job: Job }) {
  const zone = useZone();
  const { jobId, action, filter } = job;
  return (
    <Link to="/jobs/$jobId" params={{ jobId }}>
      {actionWords(job, zone)}: {filterWords(action, filter, zone)}
    </Link>
  );
}

function skippedOf({ skipped }: Job): number {
  return skipped.changed + skipped.inFlight;
}
