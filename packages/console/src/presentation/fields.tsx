import type { ReactNode } from "react";
import styles from "./fields.module.css";

export type FieldEntry = readonly [name: string, value: ReactNode];

/** Names and values. What has no value is left out. */
export function Fields({ entries }: { readonly entries: readonly FieldEntry[] }) {
  return (
    <dl className={styles["fields"]}>
      {entries
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name} className={styles["field"]}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
