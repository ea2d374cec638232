import { useNow } from "./now.ts";
import { dateTime, fromNow, zoneMark } from "./time-text.ts";
import { useZone } from "./zone.tsx";
import styles from "./time.module.css";

interface TimeProps {
  readonly at: string | number;
  readonly withMs?: boolean;
  /** Whether the distance from now stands beside it. */
  readonly isRelative?: boolean;
}

/** A moment in the chosen zone, which is always printed. */
export function Time({ at, withMs = false, isRelative = false }: TimeProps) {
  const zone = useZone();
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={iso} className={styles["time"]}>
      {dateTime(at, zone, withMs)} <span className={styles["quiet"]}>{zoneMark(at, zone)}</span>
      {isRelative && <Distance at={at} />}
    </time>
  );
}

function Distance({ at }: { readonly at: string | number }) {
  const now = useNow();
  return <span className={styles["quiet"]}> · {fromNow(at, now)}</span>;
}
