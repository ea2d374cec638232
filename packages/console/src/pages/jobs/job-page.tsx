import { Text } from "@mantine/core";
import type { Job } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { jobQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { Fields } from "../../presentation/fields.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Time } from "../../time/time.tsx";
import { useZone } from "../../time/zone.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobState } from "./job-state.tsx";
import { actionWords, filterWords, stopWords } from "./job-words.ts";
import { TimeLeft } from "./time-left.tsx";
import styles from "./jobs.module.css";

/** One job: what it does, how far it is, and the means to steer it. */
export default function JobPage() {
  const { jobId } = useParams({ from: "/jobs/$jobId" });
  const { writeMessages } = useScopes();
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  if (job === null) {
    return (
      <Page title="There is no such job">
        <Text>
          Ended jobs are kept for some time. <Link to="/jobs">All jobs</Link>
        </Text>
      </Page>
    );
  }
  return (
    <Page title="Job" actions={job && writeMessages && <JobActions job={job} />}>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {job === undefined && !error && <Reading height={240} />}
      {job && (
        <>
          <p className={styles["what"]}>
            <What job={job} />
          </p>
          <div className={styles["columns"]}>
            <Panel title="Progress" aside={<JobState state={job.state} />}>
              <Progress job={job} />
            </Panel>
            <Panel title="Details">
              <Details job={job} />
            </Panel>
          </div>
        </>
      )}
    </Page>
  );
}

function What({ job }: { readonly job: Job }) {
  const zone = useZone();
  return (
    <>
      <strong>{actionWords(job, zone)}</strong>: {filterWords(job.action, job.filter, zone)}
    </>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const { matched, done, skipped, failedAgain, action } = job;
  return (
    <Fields
      entries={[
        [action === "backfill" ? "Messages made" : "Changed", count(done)],
        ["Looked at", count(matched)],
        ["Not possible", count(skipped.changed)],
        ["In flight, left out", count(skipped.inFlight)],
        ["Failed again", action === "redrive" ? count(failedAgain) : null],
        ["Rate", `${count(job.ratePerSecond)} a second at most`],
        ["Time left", <TimeLeft key="left" job={job} />],
        ["Why", stopWords(job)],
      ]}
    />
  );
}

function Details({ job }: { readonly job: Job }) {
  const { jobId, filter, actor, maxMessages, stopAfterFailures, note } = job;
  const { targetId, scheduleId } = filter;
  return (
    <Fields
      entries={[
        ["Id", <code key="id">{jobId}</code>],
        [
          "Target",
          targetId && (
            <Link key="target" to="/targets/$targetId" params={{ targetId }}>
              {targetId}
            </Link>
          ),
        ],
        [
          "Schedule",
          scheduleId && (
            <Link key="schedule" to="/schedules/$scheduleId" params={{ scheduleId }}>
              {scheduleId}
            </Link>
          ),
        ],
        ["Started", <Time key="started" at={job.creationTime} isRelative />],
        ["Ended", job.endTime && <Time key="ended" at={job.endTime} isRelative />],
        ["By", inertText(`${actor.kind} ${actor.id}`)],
        ["Note", note && inertText(note)],
        ["At most", maxMessages && `${count(maxMessages)} messages`],
        ["Pauses after", stopAfterFailures && `${count(stopAfterFailures)} failures in a row`],
        ["Afterwards", job.removesTarget ? "the target is removed" : null],
      ]}
    />
  );
}

function count(value: number): string {
  return value.toLocaleString("en");
}
