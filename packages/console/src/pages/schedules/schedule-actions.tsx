import { Button } from "@mantine/core";
import type { Schedule } from "@postdate/client";
import { useNavigate } from "@tanstack/react-router";
import { postdate } from "../../api/postdate.ts";
import { scheduleQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { BackfillButton } from "./backfill-button.tsx";

/** Run it now, pause, resume, fill in, remove. */
export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, paused } = schedule;
  const navigate = useNavigate();
  const touches = [scheduleQuery(scheduleId).queryKey, ["schedules"], ["runs", scheduleId]];
  const trigger = useChange({
    change: () => postdate.schedules.trigger(scheduleId),
    done: "A run was made.",
    touches,
  });
  const pauseOrResume = useChange({
    change: () =>
      paused ? postdate.schedules.resume(scheduleId) : postdate.schedules.pause(scheduleId),
    done: paused ? "Resumed." : "Paused: it makes no messages.",
    touches,
  });
  const remove = useChange({
    change: () => postdate.schedules.remove(scheduleId),
    done() {
      void navigate({ to: "/schedules" });
      return "Removed.";
    },
    touches: [["schedules"]],
  });
  const error = trigger.error ?? pauseOrResume.error;
  return (
    <>
      {error && <ProblemNote error={error} />}
      <Button size="xs" loading={trigger.isPending} onClick={() => trigger.mutate()}>
        Run now
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={pauseOrResume.isPending}
        onClick={() => pauseOrResume.mutate()}
      >
        {paused ? "Resume" : "Pause"}
      </Button>
      <BackfillButton scheduleId={scheduleId} />
      <ConfirmButton
        label="Remove"
        title={`Remove ${scheduleId}?`}
        action="Remove the schedule"
        change={remove}
      >
        It makes no more messages. One that is made and not due yet is taken back.
      </ConfirmButton>
    </>
  );
}
