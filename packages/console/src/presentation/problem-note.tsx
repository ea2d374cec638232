import { Alert, Button, Text } from "@mantine/core";
import { inertText } from "./inert-text.ts";
import { problemOf } from "../api/problem.ts";

interface ProblemNoteProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** What went wrong, and what to do. */
export function ProblemNote({ error, onRetry }: ProblemNoteProps) {
  const { title, advice, requestId } = problemOf(error);
  return (
    <Alert color="red" variant="default" role="alert" title={inertText(title)} className="problem">
      <Text size="sm">{inertText(advice)}</Text>
      {requestId !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          Request {requestId}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" mt="sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
