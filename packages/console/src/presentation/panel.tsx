import { Title } from "@mantine/core";
import { useId, type ReactNode } from "react";
import styles from "./panel.module.css";

interface PanelProps {
  readonly title: string;
  /** Beside the title: a figure, a link, an action. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with its own heading. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section className={styles["panel"]} aria-labelledby={id}>
      <header className={styles["head"]}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        <div className={styles["aside"]}>{aside}</div>
      </header>
      {children}
    </section>
  );
}
