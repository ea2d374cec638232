import { TextInput } from "@mantine/core";
import type { Scope } from "@postdate/client";
import { useState } from "react";
import { useChange } from "../../api/use-change.ts";
import { FormButton } from "../../presentation/form-button.tsx";
import { ScopeSelect } from "./scope-select.tsx";

interface NewCredentialProps {
  readonly label: string;
  readonly title: string;
  readonly create: (given: { readonly name: string; readonly scopes: Scope[] }) => Promise<void>;
  readonly touches: readonly (readonly string[])[];
}

/** A button that asks for the name and the scope of a new key or client. */
export function NewCredential({ label, title, create, touches }: NewCredentialProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("scheduler.messages.readwrite");
  const change = useChange({
    change: () => create({ name: name.trim(), scopes: [scope] }),
    touches,
  });
  return (
    <FormButton
      label={label}
      title={title}
      action="Create"
      isReady={name.trim() !== ""}
      change={change}
      onOpen={() => setName("")}
    >
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <ScopeSelect value={scope} onChange={setScope} />
    </FormButton>
  );
}
