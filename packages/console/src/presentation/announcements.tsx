import { useSyncExternalStore } from "react";
import styles from "./announcements.module.css";

const shownMs = 6_000;
let text = "";
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function show(next: string): void {
  text = next;
  for (const listener of listeners) listener();
}

/** Says, on the screen and to screen readers, what has just been done. One at a time. */
export function announce(what: string): void {
  clearTimeout(timer);
  show(what);
  timer = setTimeout(() => show(""), shownMs);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function Announcements() {
  const shown = useSyncExternalStore(subscribe, () => text);
  return (
    <div role="status" className={styles["place"]}>
      {shown !== "" && <p className={styles["note"]}>{shown}</p>}
    </div>
  );
}
