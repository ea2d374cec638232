import type { Schedule } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { PayloadView } from "../../payload/payload-view.tsx";
import { Fields } from "../../presentation/fields.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Panel } from "../../presentation/panel.tsx";
import { duration } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";
import { catchUpWords, overlapWords } from "./schedule-words.ts";
import styles from "./schedules.module.css";

export function SettingsTab({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, cron, everyMs, at, startTime, endTime, except, catchUp, message } = schedule;
  const { labels = {} } = message;
  return (
    <div className={styles["editor"]}>
      <Panel
        title="Settings"
        aside={
          <Link to="/messages" search={{ q: `schedule:${scheduleId}` }}>
            Its messages
          </Link>
        }
      >
        <Fields
          entries={[
            [
              "Expression",
              cron?.map((one) => (
                <div key={one}>
                  <code>{one}</code>
                </div>
              )),
            ],
            ["Every", everyMs && duration(everyMs)],
            ["At", at?.join(", ")],
            ["Time zone", schedule.timeZone],
            ["Starts", startTime && <Time key="start" at={startTime} />],
            ["Ends", endTime && <Time key="end" at={endTime} />],
            ["Runs at most", schedule.maxRuns?.toLocaleString("en")],
            ["Except", except.length > 0 ? except.join(", ") : null],
            ["Spread over", schedule.flexWindowMs > 0 ? duration(schedule.flexWindowMs) : null],
            ["If one still waits", overlapWords[schedule.overlap]],
            [
              "Missed runs",
              `${catchUpWords[catchUp.mode]}, of the last ${duration(catchUp.windowMs)}`,
            ],
            [
              "Pauses after",
              schedule.pauseAfterDeadLetters &&
                `${schedule.pauseAfterDeadLetters} dead letters in a row`,
            ],
            [
              "Labels",
              inertText(
                Object.entries(labels)
                  .map((pair) => pair.join("="))
                  .join(", "),
              ) || null,
            ],
            ["Not after due by", message.notAfterMs && duration(message.notAfterMs)],
            ["Timeout", message.timeoutMs && duration(message.timeoutMs)],
            ["Created", <Time key="created" at={schedule.creationTime} />],
            ["Changed", <Time key="changed" at={schedule.updateTime} />],
            ["Revision", schedule.revision],
          ]}
        />
      </Panel>
      <Panel title="Payload of each message">
        <PayloadView payload={schedule.payload} />
      </Panel>
    </div>
  );
}
