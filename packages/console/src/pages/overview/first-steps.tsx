import { Text } from "@mantine/core";
import { Command } from "../../copy/command.tsx";
import { serverUrl } from "../../place.ts";
import { Panel } from "../../presentation/panel.tsx";
import styles from "./first-steps.module.css";

/** For an account without any target: three commands lead to the first delivery. */
export function FirstSteps() {
  return (
    <Panel title="Three commands to the first delivery">
      <div className={styles["steps"]}>
        <Text size="sm" c="dimmed">
          In a terminal, with the key that you signed in with:
        </Text>
        <Command
          what="the first command"
          text={`export POSTDATE_URL=${serverUrl} POSTDATE_KEY=pd_…`}
        />
        <Command
          what="the second command"
          text="npx postdate target add https://example.com/hooks --id billing"
        />
        <Command what="the third command" text='npx postdate send billing "hello" --in 5s --wait' />
      </div>
    </Panel>
  );
}
