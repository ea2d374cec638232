import { useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { usageQuery } from "../../api/queries.ts";
import { useScopes, useSession } from "../../api/session.tsx";
import { Fields } from "../../presentation/fields.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { duration } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";
import styles from "./usage.module.css";

/** What the account has used of what it may use. */
export default function UsagePage() {
  const { readAll } = useScopes();
  const { accountId, keyId, expirationTime } = useSession();
  const usage = useQuery(usageQuery());
  const account = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => postdate.account({ signal }),
    enabled: readAll,
  });
  const error = usage.error ?? account.error;
  return (
    <Page title="Usage">
      {error && <ProblemNote error={error} onRetry={() => void usage.refetch()} />}
      {usage.isPending && <Reading />}
      <div className={styles["columns"]}>
        {usage.data && (
          <Panel title={`Messages in ${usage.data.month}`}>
            <Meter used={usage.data.used} limit={usage.data.limit} />
            <Fields
              entries={[
                ["Scheduled", count(usage.data.used)],
                ["Limit", usage.data.limit === null ? "none" : count(usage.data.limit)],
                ["Left", usage.data.remaining === null ? null : count(usage.data.remaining)],
                ["Counts anew", <Time key="reset" at={usage.data.resetTime} isRelative />],
              ]}
            />
          </Panel>
        )}
        <Panel title="Account">
          <Fields
            entries={[
              ["Id", <code key="id">{accountId}</code>],
              ["Name", account.data?.name ? inertText(account.data.name) : null],
              ["State", account.data?.state.toLowerCase()],
              ["Requests", account.data && requestsWords(account.data.requestLimit)],
              ["Created", account.data && <Time key="created" at={account.data.creationTime} />],
              ["Signed in with", `key ${keyId}`],
              ["Session ends", <Time key="end" at={expirationTime} isRelative />],
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}

function Meter({ used, limit }: { readonly used: number; readonly limit: number | null }) {
  if (limit === null) return null;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <div
      className={styles["meter"]}
      role="meter"
      aria-label="Used of the monthly limit"
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
    >
      <div
        className={styles["used"]}
        data-full={share >= 0.9}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}

function requestsWords(limit: { max: number; intervalMs: number } | null): string {
  return limit === null ? "no limit" : `${count(limit.max)} in ${duration(limit.intervalMs)}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
