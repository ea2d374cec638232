import type { Schedule } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { inertText } from "../../presentation/inert-text.ts";
import { Time } from "../../time/time.tsx";
import { whenWords } from "./schedule-words.ts";
import { ScheduleState } from "./schedules-page.tsx";
import styles from "./schedules.module.css";

/** The schedule in a few lines: its state, its times in words, its target. */
export function ScheduleSummary({ schedule }: { readonly schedule: Schedule }) {
  const { targetId, timeZone, nextRunTime, pause } = schedule;
  return (
    <div className={styles["summary"]}>
      <div>
        <ScheduleState schedule={schedule} />
        {pause && (
          <span>
            {" "}
            since <Time at={pause.time} isRelative />
            {pause.until && (
              <>
                , until <Time at={pause.until} />
              </>
            )}
            {pause.reason === "DEAD_LETTERS" && ", because too many became dead letters"}
            {pause.note && `: ${inertText(pause.note)}`}
          </span>
        )}
      </div>
      <div>
        Due <strong>{whenWords(schedule)}</strong>, on the clocks of {timeZone}, for{" "}
        <Link to="/targets/$targetId" params={{ targetId }}>
          {targetId}
        </Link>
        .
      </div>
      {nextRunTime && (
        <div>
          Next run <Time at={nextRunTime} isRelative />
        </div>
      )}
    </div>
  );
}
