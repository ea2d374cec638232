import { positionText, readPositionText } from "../../../src/domain/events/position-text.ts";
import type { Operations } from "../../../src/operations/operations.ts";

/** Bugs that a node could have in what callers ask of it. */
export const operationDefectNames = ["resume-off-by-one"] as const;

export type OperationDefectName = (typeof operationDefectNames)[number];

const oneBehind = (text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : positionText({ position: readPositionText(text)!.position + 1, mark: null });

const wrongOperations: Record<
  OperationDefectName,
  (operations: Operations) => Partial<Operations>
> = {
  "resume-off-by-one": ({ readEvents, streamEvents }) => ({
    readEvents: (caller, endpointId, request) =>
      readEvents(caller, endpointId, { ...request, after: oneBehind(request.after) }),
    streamEvents: (caller, endpointId, request) =>
      streamEvents(caller, endpointId, {
        ...request,
        lastEventId: oneBehind(request.lastEventId),
      }),
  }),
};

export function withOperationDefects(
  operations: Operations,
  defects: ReadonlySet<string>,
): Operations {
  const wrong = operationDefectNames.filter((name) => defects.has(name));
  return wrong.reduce(
    (before, name) => ({ ...before, ...wrongOperations[name](before) }),
    operations,
  );
}
