import { Button, Modal, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { amount } from "../../presentation/amount.ts";
import { DialogForm } from "../../presentation/dialog-form.tsx";
import { readSpan } from "../../time/span.ts";
import { RateField } from "../jobs/rate-field.tsx";
import { isRate } from "../jobs/rate.ts";

/** Makes the runs of times that are past, as a job. */
export function BackfillButton({ scheduleId }: { readonly scheduleId: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Backfill
      </Button>
      <Modal opened={isOpen} onClose={close} title="Make the runs of times that are past" centered>
        <Backfill scheduleId={scheduleId} onClose={close} />
      </Modal>
    </>
  );
}

interface BackfillProps {
  readonly scheduleId: string;
  readonly onClose: () => void;
}

function Backfill({ scheduleId, onClose }: BackfillProps) {
  const navigate = useNavigate();
  const [span, setSpan] = useState("1d");
  const [rate, setRate] = useState("50");
  const spanMs = readSpan(span);
  const isSpan = spanMs !== undefined && spanMs > 0;
  const preview = useQuery({
    queryKey: ["backfill preview", scheduleId, spanMs],
    queryFn: ({ signal }) =>
      postdate.schedules.previewBackfill(scheduleId, { from: ago(spanMs!) }, { signal }),
    enabled: isSpan,
    gcTime: 0,
  });
  const start = useMutation({
    mutationFn: () =>
      postdate.schedules.backfill(scheduleId, {
        from: ago(spanMs!),
        ratePerSecond: Number(rate),
      }),
    onSuccess: ({ jobId }) => void navigate({ to: "/jobs/$jobId", params: { jobId } }),
  });
  const isReady = isSpan && isRate(rate) && preview.data !== undefined && preview.data.count > 0;
  return (
    <DialogForm
      action="Start"
      isReady={isReady}
      isPending={start.isPending}
      error={preview.error ?? start.error}
      onSubmit={() => start.mutate()}
      onBack={onClose}
    >
      <TextInput
        label="Of the last"
        description="30m, 2h or 7d"
        data-autofocus
        value={span}
        onChange={({ currentTarget }) => setSpan(currentTarget.value)}
        error={!isSpan && "This is no span."}
      />
      <RateField value={rate} onChange={setRate} />
      <Text size="sm" role="status" data-reading={(isSpan && preview.isPending) || undefined}>
        {preview.data &&
          `${amount({ ...preview.data, value: preview.data.count })} run times have had no run.`}
      </Text>
    </DialogForm>
  );
}

function ago(spanMs: number): Date {
  return new Date(Date.now() - spanMs);
}
