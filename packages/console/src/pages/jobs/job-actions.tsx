import { Button } from "@mantine/core";
import type { Job } from "@postdate/client";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { jobQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { FormButton } from "../../presentation/form-button.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { hasEnded } from "./job-words.ts";
import { RateField } from "./rate-field.tsx";
import { isRate } from "./rate.ts";

/** Pause, resume, stop, change the rate. */
export function JobActions({ job }: { readonly job: Job }) {
  const { jobId, state } = job;
  const touches = [jobQuery(jobId).queryKey, ["jobs"]];
  const pause = useChange({
    change: () => postdate.jobs.pause(jobId),
    done: "Paused: it keeps its place.",
    touches,
  });
  const resume = useChange({
    change: () => postdate.jobs.resume(jobId),
    done: "It goes on.",
    touches,
  });
  const stop = useChange({
    change: () => postdate.jobs.stop(jobId),
    done: "Stopped: it changes nothing more.",
    touches,
  });
  if (hasEnded(job)) return null;
  const error = pause.error ?? resume.error;
  return (
    <>
      {error && <ProblemNote error={error} />}
      {state === "RUNNING" ? (
        <Button
          size="xs"
          variant="default"
          loading={pause.isPending}
          onClick={() => pause.mutate()}
        >
          Pause
        </Button>
      ) : (
        <Button size="xs" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      <RateButton job={job} />
      <ConfirmButton label="Stop" title="Stop this job?" action="Stop the job" change={stop}>
        What it has changed stays changed, and it cannot go on. Pause it if you mean to.
      </ConfirmButton>
    </>
  );
}

function RateButton({ job: { jobId, ratePerSecond } }: { readonly job: Job }) {
  const [text, setText] = useState("");
  const change = useChange({
    change: () => postdate.jobs.setRate(jobId, Number(text)),
    done: "The rate is changed.",
    touches: [jobQuery(jobId).queryKey, ["jobs"]],
  });
  return (
    <FormButton
      label="Rate"
      title="Change the rate"
      action="Change"
      isReady={isRate(text)}
      change={change}
      onOpen={() => setText(String(ratePerSecond))}
    >
      <RateField value={text} onChange={setText} hasFocus />
    </FormButton>
  );
}
