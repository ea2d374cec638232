import type { Target } from "@postdate/client";
import { Bars } from "../../charts/bars.tsx";
import { plural } from "../../presentation/amount.ts";
import { Fields } from "../../presentation/fields.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Panel } from "../../presentation/panel.tsx";
import { duration } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";
import { retryWaits } from "./retry-waits.ts";
import styles from "./targets.module.css";

const drawnAtMost = 40;

export function SettingsTab({ target }: { readonly target: Target }) {
  const { retryPolicy, rateLimit, headers } = target;
  const waits = retryWaits(retryPolicy).slice(0, drawnAtMost);
  const allMs = waits.reduce((sum, waitMs) => sum + waitMs, 0);
  return (
    <div className={styles["grid"]}>
      <Panel title="Settings">
        <Fields
          entries={[
            ["Kind", target.kind],
            ["Address", inertText(target.url)],
            ["Content type", inertText(target.contentType)],
            ["Headers", inertText(Object.keys(headers).join(", ")) || "none"],
            ["Timeout", duration(target.timeoutMs)],
            ["In flight at most", target.maxConcurrency],
            [
              "Rate",
              rateLimit === null
                ? "no limit"
                : `${rateLimit.max} in ${duration(rateLimit.intervalMs)}`,
            ],
            ["Created", <Time key="created" at={target.creationTime} />],
            ["Changed", <Time key="changed" at={target.updateTime} />],
          ]}
        />
      </Panel>
      <Panel
        title="Retries"
        aside={
          waits.length === 0
            ? "1 attempt, and no other"
            : `${plural(retryPolicy.maxAttempts, "attempt")}, the last ${duration(allMs)} after the first`
        }
      >
        <Bars
          bars={waits.map((waitMs, index) => ({
            label: `before attempt ${index + 2}`,
            parts: [{ value: waitMs, tone: "plain", name: `ms (${duration(waitMs)})` }],
          }))}
          summary={`The waits between attempts: ${waits.map(duration).join(", ")}.`}
          ticks={waits.length < 2 ? [] : [duration(waits[0]!), duration(waits.at(-1)!)]}
        />
        <Fields
          entries={[
            ["Final statuses", ["410", ...retryPolicy.finalStatuses].join(", ")],
            ["Retry-After at most", duration(retryPolicy.maxRetryAfterMs)],
          ]}
        />
      </Panel>
    </div>
  );
}
