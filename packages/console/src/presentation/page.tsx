import { Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";
import styles from "./page.module.css";

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postdate`;
  }, [title]);
  return (
    <div className={styles["page"]}>
      <header className={styles["head"]}>
        <Title order={1} size="h2" className={styles["title"]}>
          {title}
        </Title>
        <div className={styles["actions"]}>{actions}</div>
      </header>
      {children}
    </div>
  );
}
