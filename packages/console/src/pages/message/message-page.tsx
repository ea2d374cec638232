import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { messageQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { MessageActions } from "./message-actions.tsx";
import { MessageFields } from "./message-fields.tsx";
import { PayloadPanel } from "./payload-panel.tsx";
import { Timeline } from "./timeline.tsx";
import styles from "./message-page.module.css";

/** One message: what it is, what became of it, and what can be done about it. */
export default function MessagePage() {
  const { messageId } = useParams({ from: "/messages/$messageId" });
  const { writeMessages } = useScopes();
  const { data: message, error, refetch } = useQuery(messageQuery(messageId));
  if (message === null) {
    return (
      <Page title="There is no such message">
        <Text>
          Messages are removed some time after they have ended. <Link to="/messages">Search</Link>{" "}
          for another one.
        </Text>
      </Page>
    );
  }
  return (
    <Page
      title="Message"
      actions={message && writeMessages && <MessageActions message={message} />}
    >
      <Text className={styles["id"]}>{messageId}</Text>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {message === undefined && !error && <Reading height={240} />}
      {message && (
        <div className={styles["columns"]}>
          <Panel title="Fields">
            <MessageFields message={message} />
          </Panel>
          <Panel title="Timeline">
            <Timeline message={message} />
          </Panel>
          <div className={styles["wide"]}>
            <PayloadPanel message={message} />
          </div>
        </div>
      )}
    </Page>
  );
}
