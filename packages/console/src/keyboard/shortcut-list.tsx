import { Kbd, Modal, Switch } from "@mantine/core";
import { useState } from "react";
import { singleKeysAreOn, turnSingleKeys, type Shortcut } from "./shortcuts.ts";
import styles from "./shortcut-list.module.css";

interface ShortcutListProps {
  readonly shortcuts: readonly Shortcut[];
  readonly opened: boolean;
  readonly onClose: () => void;
}

const always = [
  { keys: "⌘ K", what: "Jump to a page, a target or a message" },
  { keys: "Esc", what: "Close, or leave a field" },
  { keys: "x", what: "Select the row; with Shift and the mouse, several" },
  { keys: "a", what: "Act on all messages that match" },
  { keys: "Enter", what: "Open the row" },
];

export function ShortcutList({ shortcuts, opened, onClose }: ShortcutListProps) {
  const [on, setOn] = useState(singleKeysAreOn);
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard" centered>
      <dl className={styles["list"]}>
        {[...shortcuts, ...always].map(({ keys, what }) => (
          <div key={keys} className={styles["row"]}>
            <dt>
              {keys.split(" ").map((key) => (
                <Kbd key={key} mr={4}>
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Switch
        mt="md"
        checked={on}
        label="Single keys do something"
        onChange={({ currentTarget }) => {
          turnSingleKeys(currentTarget.checked);
          setOn(currentTarget.checked);
        }}
      />
    </Modal>
  );
}
