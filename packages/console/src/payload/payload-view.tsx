import { Button, SegmentedControl, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { CopyButton } from "../copy/copy-button.tsx";
import { inertText } from "../presentation/inert-text.ts";
import { formattedJson } from "./formatted-json.ts";
import { hexDump } from "./hex-dump.ts";
import styles from "./payload-view.module.css";

type Form = "text" | "formatted" | "hex";

/** What a page shows at first. More would make a browser slow. */
const shownFirst = 20_000;

/** A payload as text, as formatted JSON, or byte by byte. It is never parsed, and nothing in it comes alive. */
export function PayloadView({ payload }: { readonly payload: string }) {
  const bytes = useMemo(() => new TextEncoder().encode(payload), [payload]);
  const formatted = useMemo(() => formattedJson(payload), [payload]);
  const [form, setForm] = useState<Form>(formatted === undefined ? "text" : "formatted");
  const [isWhole, setWhole] = useState(false);
  const all = form === "hex" ? hexDump(bytes) : form === "formatted" ? (formatted ?? "") : payload;
  const shown = isWhole ? all : all.slice(0, shownFirst);
  return (
    <div className={styles["view"]}>
      <div className={styles["bar"]}>
        <SegmentedControl
          size="xs"
          aria-label="Form of the payload"
          value={form}
          onChange={(chosen) => setForm(chosen)}
          data={[
            { value: "text", label: "Text" },
            { value: "formatted", label: "Formatted", disabled: formatted === undefined },
            { value: "hex", label: "Hex" },
          ]}
        />
        <Text size="sm" c="dimmed">
          {bytes.length.toLocaleString("en")} bytes
        </Text>
        <CopyButton text={payload} what="the payload" />
      </div>
      <pre
        className={styles["text"]}
        data-hex={form === "hex"}
        tabIndex={0}
        role="region"
        aria-label="Payload text"
      >
        {inertText(shown)}
      </pre>
      {shown.length < all.length && (
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show the rest
        </Button>
      )}
    </div>
  );
}
