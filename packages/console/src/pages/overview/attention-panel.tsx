import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { activityQuery, deadLetterGroupsQuery, targetStatsQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import type { JobOrder } from "../../search/job-order.ts";
import { redriveOrder } from "../dead-letters/redrive-order.ts";
import { reasonText } from "../../presentation/reason-text.ts";
import { amount, plural } from "../../presentation/amount.ts";
import { troubledTargets } from "./troubled-targets.ts";
import { Panel } from "../../presentation/panel.tsx";
import { Rows, Row } from "../../presentation/rows.tsx";

const JobDialog = lazy(async () => ({
  default: (await import("../jobs/job-dialog.tsx")).JobDialog,
}));

const shownAtOnce = 6;

/** Targets that are paused or fail, and what could not be delivered. */
export function AttentionPanel() {
  const { readAll, writeMessages } = useScopes();
  const [chosen, choose] = useState<JobOrder | null>(null);
  const groups = useQuery(deadLetterGroupsQuery());
  const activity = useQuery(activityQuery());
  const stats = useQuery({ ...targetStatsQuery(), enabled: readAll });
  const { paused, failing, full } = troubledTargets([...(stats.data?.found.values() ?? [])]);
  const worst = (groups.data?.items ?? []).slice(0, shownAtOnce);
  const { attempts = 0, outcomes = {} } = activity.data?.total ?? {};
  const isNoneFailed = attempts === (outcomes["DELIVERED"] ?? 0);
  const isWhole = !readAll || stats.data?.isWhole === true;
  const hasSome = writeMessages && worst.length > 0;
  const hidden = [paused, failing, full].reduce(
    (sum, { length }) => sum + Math.max(0, length - shownAtOnce),
    0,
  );
  const troubles = worst.length + paused.length + failing.length + full.length;
  const isCalm = groups.data?.exact === true && activity.data && isWhole && troubles === 0;
  return (
    <Panel
      title="Needs attention"
      aside={worst.length > 0 && <Link to="/dead-letters">All dead letters</Link>}
    >
      {isCalm && (
        <p>
          {isNoneFailed
            ? "Nothing. Every target has taken what it was sent in the last hour."
            : "Nothing. Some attempts have failed, and are repeated."}
        </p>
      )}
      <Rows>
        {paused.slice(0, shownAtOnce).map(({ targetId, waiting }) => (
          <Row key={targetId} side="paused">
            <Link to="/targets/$targetId" params={{ targetId }}>
              {targetId}
            </Link>{" "}
            {waiting.value > 0 && `${amount(waiting)} due and waiting`}
          </Row>
        ))}
        {failing.slice(0, shownAtOnce).map(({ targetId, lastHour }) => (
          <Row key={`failing ${targetId}`} side="failing">
            <Link to="/targets/$targetId" params={{ targetId }}>
              {targetId}
            </Link>{" "}
            {lastHour.failed.toLocaleString("en")} of {lastHour.attempts.toLocaleString("en")}{" "}
            attempts failed in the last hour
          </Row>
        ))}
        {full.slice(0, shownAtOnce).map(({ targetId, inFlight, waiting }) => (
          <Row key={`full ${targetId}`} side="at its limit">
            <Link to="/targets/$targetId" params={{ targetId }}>
              {targetId}
            </Link>{" "}
            {amount(waiting)} due and waiting behind {inFlight.toLocaleString("en")} in flight
          </Row>
        ))}
        {worst.map((group) => {
          const { targetId, deadLetterReason, lastStatusCode, count } = group;
          return (
            <Row
              key={`${targetId} ${deadLetterReason} ${lastStatusCode}`}
              side={
                <>
                  {count.toLocaleString("en")} dead{" "}
                  {writeMessages && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Redrive those of ${targetId}`}
                      onClick={() => choose(redriveOrder(group))}
                    >
                      Redrive…
                    </Button>
                  )}
                </>
              }
            >
              <Link to="/targets/$targetId" params={{ targetId }} search={{ tab: "dead-letters" }}>
                {targetId}
              </Link>{" "}
              {reasonText(deadLetterReason, lastStatusCode)}
            </Row>
          );
        })}
      </Rows>
      {hidden > 0 && (
        <p>
          And {plural(hidden, "more target")}: <Link to="/targets">all targets</Link>
        </p>
      )}
      {readAll && stats.data?.isWhole === false && (
        <p>Only the first {stats.data.found.size.toLocaleString("en")} targets were looked at.</p>
      )}
      {/* There before it is open, so that the button gets the focus back. */}
      <Suspense>{hasSome && <JobDialog order={chosen} onClose={() => choose(null)} />}</Suspense>
    </Panel>
  );
}
