import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { deadLetterGroupsQuery, targetPageQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import type { JobOrder } from "../../search/job-order.ts";
import { redriveOrder } from "../dead-letters/redrive-order.ts";
import { reasonText } from "../../presentation/reason-text.ts";
import { useFailingTargets } from "./use-failing-targets.ts";
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
  const targets = useQuery({ ...targetPageQuery(), enabled: readAll });
  const paused = (targets.data?.items ?? []).filter(({ paused }) => paused);
  const worst = (groups.data?.items ?? []).slice(0, shownAtOnce);
  const { failing, isNoneFailed } = useFailingTargets(targets.data?.items ?? []);
  const hasSome = writeMessages && worst.length > 0;
  const isCalm = groups.data?.exact === true && worst.length + paused.length + failing.length === 0;
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
        {paused.slice(0, shownAtOnce).map(({ targetId }) => (
          <Row key={targetId} side="paused">
            <Link to="/targets/$targetId" params={{ targetId }}>
              {targetId}
            </Link>
          </Row>
        ))}
        {failing.slice(0, shownAtOnce).map(({ targetId, failed, attempts }) => (
          <Row key={`failing ${targetId}`} side="failing">
            <Link to="/targets/$targetId" params={{ targetId }}>
              {targetId}
            </Link>{" "}
            {failed.toLocaleString("en")} of {attempts.toLocaleString("en")} attempts failed in the
            last hour
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
      {/* There before it is open, so that the button gets the focus back. */}
      <Suspense>{hasSome && <JobDialog order={chosen} onClose={() => choose(null)} />}</Suspense>
    </Panel>
  );
}
