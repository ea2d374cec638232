import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { amount } from "../../presentation/amount.ts";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { readSpan } from "../../time/span.ts";
import { isRate, rateProblem } from "../jobs/rate.ts";

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
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) start.mutate();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Of the last"
          description="30m, 2h or 7d"
          data-autofocus
          value={span}
          onChange={({ currentTarget }) => setSpan(currentTarget.value)}
          error={!isSpan && "This is no span."}
        />
        <TextInput
          label="Messages a second"
          inputMode="numeric"
          value={rate}
          onChange={({ currentTarget }) => setRate(currentTarget.value)}
          error={rateProblem(rate)}
        />
        <Text size="sm" role="status" data-reading={(isSpan && preview.isPending) || undefined}>
          {preview.data &&
            `${amount({ ...preview.data, value: preview.data.count })} run times have had no run.`}
        </Text>
        {(preview.error ?? start.error) && <ProblemNote error={preview.error ?? start.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" loading={start.isPending} disabled={!isReady}>
            Start
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ago(spanMs: number): Date {
  return new Date(Date.now() - spanMs);
}
