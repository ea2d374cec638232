import type { Message } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Fields } from "../../presentation/fields.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { reasonText } from "../../presentation/reason-text.ts";
import { StateMark } from "../../presentation/state-mark.tsx";
import { duration } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";

export function MessageFields({ message }: { readonly message: Message }) {
  const { targetId, state, deadLetterReason, notAfter, notAfterMs, timeoutMs, flexWindowMs } =
    message;
  return (
    <Fields
      entries={[
        ["State", <StateMark key="state" state={state} />],
        [
          "Target",
          <Link key="target" to="/targets/$targetId" params={{ targetId }}>
            {targetId}
          </Link>,
        ],
        ["Due", moment(message.nextDeliveryTime, true)],
        ["First due", moment(message.originalDeliveryTime)],
        ["Scheduled", moment(message.schedulingTime)],
        ["Last attempt", moment(message.lastDeliveryTime)],
        ["Failed attempts", message.deliveryFailureCount],
        ["Dead since", moment(message.deadLetterTime, true)],
        ["Why", deadLetterReason && reasonText(deadLetterReason, null)],
        ["Cancelled", moment(message.cancellationTime, true)],
        ["Replaced", message.cancellationReason && "another message has taken its key"],
        ["Removed", moment(message.expirationTime, true)],
        ["Key", message.key && inertText(message.key)],
        ["Labels", pairs(message.labels)],
        ["Headers", message.headers && inertText(Object.keys(message.headers).join(", "))],
        ["Content type", message.contentType && inertText(message.contentType)],
        ["Not after", moment(notAfter)],
        ["Not after due by", span(notAfterMs)],
        ["Timeout", span(timeoutMs)],
        ["Spread over", span(flexWindowMs)],
        ["Attempts at most", message.retryPolicy?.maxAttempts],
      ]}
    />
  );
}

function moment(at: string | null | undefined, isRelative = false): ReactNode {
  return at && <Time at={at} withMs isRelative={isRelative} />;
}

function span(ms: number | undefined): ReactNode {
  return ms === undefined ? undefined : duration(ms);
}

function pairs(labels: Readonly<Record<string, string>> | undefined): ReactNode {
  return (
    labels &&
    Object.entries(labels).map(([name, value]) => (
      <div key={name}>
        <code>
          {inertText(name)}={inertText(value)}
        </code>
      </div>
    ))
  );
}
