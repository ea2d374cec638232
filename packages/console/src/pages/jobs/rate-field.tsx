import { TextInput } from "@mantine/core";
import { rateProblem } from "./rate.ts";

interface RateFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hasFocus?: boolean;
}

/** How fast a job goes. */
export function RateField({ value, onChange, hasFocus }: RateFieldProps) {
  return (
    <TextInput
      label="Messages a second"
      inputMode="numeric"
      data-autofocus={hasFocus || undefined}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={rateProblem(value)}
    />
  );
}
