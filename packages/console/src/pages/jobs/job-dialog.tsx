import { Modal, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import type { JobInput } from "@postdate/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { amount } from "../../presentation/amount.ts";
import { announce } from "../../presentation/announcements.tsx";
import { DialogForm } from "../../presentation/dialog-form.tsx";
import type { JobOrder } from "../../search/job-order.ts";
import { readNewTime } from "../../time/new-time.ts";
import { readSpan } from "../../time/span.ts";
import { useZone } from "../../time/zone.tsx";
import { filterWords } from "./job-words.ts";
import { RateField } from "./rate-field.tsx";
import { isRate } from "./rate.ts";

interface JobDialogProps {
  /** Null: the dialog is closed. */
  readonly order: JobOrder | null;
  readonly onClose: () => void;
}

/** Changes all messages of a filter: first how many, then what and how fast. The page of the job shows the rest. */
export function JobDialog({ order, onClose }: JobDialogProps) {
  // It may come late, with an order. Opened once it is there, it gives the focus back to where that was.
  const isThere = useMounted();
  return (
    <Modal
      opened={isThere && order !== null}
      onClose={onClose}
      title="Change many messages"
      centered
    >
      {order && <JobForm order={order} onClose={onClose} />}
    </Modal>
  );
}

const labels = {
  redrive: "Send again",
  cancel: "Cancel",
  reschedule: "Reschedule",
  shift: "Move",
} as const;

const usualRates = { redrive: "50", cancel: "2000", reschedule: "2000", shift: "2000" } as const;

function JobForm({ order, onClose }: { readonly order: JobOrder; readonly onClose: () => void }) {
  const { filter, actions } = order;
  const zone = useZone();
  const navigate = useNavigate();
  const [action, setAction] = useState(actions[0]);
  const [rate, setRate] = useState<string>();
  const [time, setTime] = useState("1h");
  const ratePerSecond = rate ?? usualRates[action];
  const preview = useQuery({
    queryKey: ["job preview", filter, actions[0]],
    queryFn: ({ signal }) => postdate.jobs.preview({ action: actions[0], filter }, { signal }),
    gcTime: 0,
  });
  const timing = timingOf(action, time);
  const start = useMutation({
    mutationFn: () =>
      postdate.jobs.create({ action, filter, ratePerSecond: Number(ratePerSecond), ...timing }),
    onSuccess({ jobId }) {
      announce("The job has started.");
      void navigate({ to: "/jobs/$jobId", params: { jobId } });
    },
  });
  const isReady = isRate(ratePerSecond) && timing !== undefined && preview.data?.count !== 0;
  return (
    <DialogForm
      action="Start"
      isReady={isReady}
      isPending={start.isPending}
      error={preview.error ?? start.error}
      onSubmit={() => start.mutate()}
      onBack={onClose}
    >
      <Text size="sm" data-reading={preview.isPending || undefined}>
        <strong>
          {preview.data ? amount({ ...preview.data, value: preview.data.count }) : "…"}
        </strong>{" "}
        {filterWords(action, filter, zone)}
      </Text>
      {actions.length > 1 && (
        <SegmentedControl
          aria-label="What to do"
          value={action}
          onChange={(chosen) => setAction(chosen)}
          data={actions.map((value) => ({ value, label: labels[value] }))}
        />
      )}
      {(action === "reschedule" || action === "shift") && (
        <TextInput
          label={action === "shift" ? "By" : "New time"}
          description={
            action === "shift"
              ? "Later by 30m, 2h or 1d; earlier with a minus: -2h"
              : "A span from now (30s, 5m, 2h, 1d), or a time such as 2026-11-18T09:30:00Z"
          }
          value={time}
          onChange={({ currentTarget }) => setTime(currentTarget.value)}
          error={timing === undefined && "This is not understood."}
        />
      )}
      {action === "redrive" && (
        <Text size="sm" c="dimmed">
          They are scheduled again, for now. Should 20 in a row fail again, it pauses.
        </Text>
      )}
      <RateField value={ratePerSecond} onChange={setRate} hasFocus />
    </DialogForm>
  );
}

/** When, as far as the action needs it; undefined if the text says no time. */
function timingOf(action: JobInput["action"], text: string) {
  if (action === "shift") {
    const byMs = readSpan(text);
    return byMs === undefined || byMs === 0 ? undefined : { byMs };
  }
  if (action !== "reschedule") return {};
  const time = readNewTime(text);
  if (time === undefined) return undefined;
  return { deliveryTime: "at" in time ? String(time.at) : new Date(Date.now() + Number(time.in)) };
}
