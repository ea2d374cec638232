import { Button, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { Fields } from "../../presentation/fields.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { duration } from "../../time/time-text.ts";

/** One attempt now, without retries, whose outcome is shown and not kept. */
export function TestTab({ targetId }: { readonly targetId: string }) {
  const [payload, setPayload] = useState("");
  const test = useMutation({
    mutationFn: () => postdate.targets.test(targetId, payload === "" ? {} : { payload }),
  });
  const attempt = test.data?.attempt;
  return (
    <Panel title="Send a test">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          One attempt at once. It is signed like any other, is not repeated, and counts nowhere.
        </Text>
        <Textarea
          label="Payload"
          placeholder="Leave it empty for a test text"
          autosize
          minRows={2}
          maxRows={10}
          value={payload}
          onChange={({ currentTarget }) => setPayload(currentTarget.value)}
        />
        <div>
          <Button size="xs" loading={test.isPending} onClick={() => test.mutate()}>
            Send
          </Button>
        </div>
        {test.error && <ProblemNote error={test.error} />}
        <div role="status">
          {attempt && (
            <Fields
              entries={[
                ["Outcome", attempt.outcome.toLowerCase().replaceAll("_", " ")],
                ["Status", attempt.statusCode],
                ["Took", duration(Date.parse(attempt.endTime) - Date.parse(attempt.startTime))],
                ["What went wrong", attempt.error && inertText(attempt.error)],
                ["Answer", attempt.response && inertText(attempt.response)],
              ]}
            />
          )}
        </div>
      </Stack>
    </Panel>
  );
}
