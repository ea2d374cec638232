import { Select } from "@mantine/core";
import type { Scope } from "@postdate/client";

export const scopeWords: Readonly<Record<Scope, string>> = {
  "scheduler.all.readwrite": "Everything",
  "scheduler.all.read": "Everything, reading only",
  "scheduler.messages.readwrite": "Messages",
  "scheduler.messages.read": "Messages, reading only",
};

interface ScopeSelectProps {
  readonly value: Scope;
  readonly onChange: (scope: Scope) => void;
}

export function ScopeSelect({ value, onChange }: ScopeSelectProps) {
  return (
    <Select
      label="What it may do"
      description={value}
      allowDeselect={false}
      data={Object.entries(scopeWords).map(([scope, label]) => ({ value: scope, label }))}
      value={value}
      onChange={(scope) => scope !== null && onChange(scope as Scope)}
    />
  );
}
