import type { ReactNode } from "react";
import styles from "./rows.module.css";

export function Rows({ children }: { readonly children: ReactNode }) {
  return (
    <ul className={styles["rows"]} data-rows>
      {children}
    </ul>
  );
}

interface RowProps {
  readonly children: ReactNode;
  /** At the right. */
  readonly side: ReactNode;
}

export function Row({ children, side }: RowProps) {
  return (
    <li className={styles["row"]}>
      <span className={styles["text"]}>{children}</span>
      <span className={styles["side"]}>{side}</span>
    </li>
  );
}
