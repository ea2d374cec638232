import { Select } from "@mantine/core";
import { useMemo } from "react";
import { zoneName } from "./time-text.ts";
import { useSetZone, useZone } from "./zone.tsx";

const shownAtOnce = 40;

export function ZonePicker() {
  const zone = useZone();
  const setZone = useSetZone();
  const data = useMemo(
    () => [
      { value: "UTC", label: "UTC" },
      { value: "local", label: `Local: ${zoneName("local")}` },
      ...Intl.supportedValuesOf("timeZone")
        .filter((name) => name !== "UTC")
        .map((name) => ({ value: name, label: name })),
    ],
    [],
  );
  return (
    <Select
      aria-label="Time zone"
      size="xs"
      w={{ base: 112, sm: 190 }}
      searchable
      allowDeselect={false}
      limit={shownAtOnce}
      nothingFoundMessage="No such zone"
      comboboxProps={{ width: 240, position: "bottom-end" }}
      data={data}
      value={zone}
      onChange={(chosen) => chosen !== null && setZone(chosen)}
    />
  );
}
