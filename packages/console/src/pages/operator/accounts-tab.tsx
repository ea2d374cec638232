import { Stack, TextInput } from "@mantine/core";
import type { Account, Postdate } from "@postdate/client";
import { useState } from "react";
import { useChange } from "../../api/use-change.ts";
import { usePages } from "../../api/use-pages.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { FormButton } from "../../presentation/form-button.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Mark } from "../../presentation/mark.tsx";
import { OneTimeSecret } from "../../presentation/one-time-secret.tsx";
import { PagedTable } from "../../presentation/paged-table.tsx";
import { Time } from "../../time/time.tsx";
import { isLimit, limitOf } from "./limit.ts";
import styles from "../access/access.module.css";

const queryKey = ["operator", "accounts"];

interface AccountsTabProps {
  readonly operator: Postdate;
}

export function AccountsTab({ operator }: AccountsTabProps) {
  const [key, setKey] = useState<string | null>(null);
  const found = usePages({
    queryKey,
    list: (query, options) => operator.accounts.list(query, options),
  });
  return (
    <Stack gap="sm">
      <div>
        <NewAccount operator={operator} onKey={setKey} />
      </div>
      <PagedTable
        found={found}
        label="Accounts"
        keyOf={({ accountId }) => accountId}
        ifEmpty="None."
        columns={[
          { name: "Account", show: ({ accountId }) => <code>{accountId}</code> },
          { name: "Name", show: ({ name }) => inertText(name) },
          { name: "State", show: ({ state }) => <AccountState state={state} /> },
          {
            name: "Messages a month",
            show: ({ monthlyMessageLimit }) =>
              monthlyMessageLimit === null ? "no limit" : monthlyMessageLimit.toLocaleString("en"),
            isAtRight: true,
          },
          { name: "Created", show: ({ creationTime }) => <Time at={creationTime} /> },
          {
            name: "Action",
            show: (account) => (
              <AccountActions operator={operator} account={account} onKey={setKey} />
            ),
            isAtRight: true,
          },
        ]}
      />
      <OneTimeSecret
        title="A key of the account"
        what="the key"
        secret={key}
        onClose={() => setKey(null)}
      />
    </Stack>
  );
}

function AccountState({ state }: Pick<Account, "state">) {
  return state === "ACTIVE" ? <Mark tone="good">Active</Mark> : <Mark tone="bad">Suspended</Mark>;
}

interface KeyTaker extends AccountsTabProps {
  readonly onKey: (key: string) => void;
}

function NewAccount({ operator, onKey }: KeyTaker) {
  const [name, setName] = useState("");
  const [limit, setLimit] = useState("");
  const create = useChange({
    async change() {
      const monthlyMessageLimit = limitOf(limit);
      onKey((await operator.accounts.create({ name: name.trim(), monthlyMessageLimit })).key);
    },
    touches: [queryKey],
  });
  return (
    <FormButton
      label="New account"
      title="New account"
      action="Create"
      isReady={isLimit(limit)}
      change={create}
      onOpen={() => {
        setName("");
        setLimit("");
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <LimitInput value={limit} onChange={setLimit} />
    </FormButton>
  );
}

interface LimitInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function LimitInput({ value, onChange }: LimitInputProps) {
  return (
    <TextInput
      label="Messages a month"
      placeholder="no limit"
      inputMode="numeric"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={!isLimit(value) && "A whole number, or nothing"}
    />
  );
}

function AccountActions({ operator, account, onKey }: KeyTaker & { readonly account: Account }) {
  const { accountId, state, monthlyMessageLimit } = account;
  const [limit, setLimit] = useState("");
  const touches = [queryKey];
  const isActive = state === "ACTIVE";
  const suspendOrResume = useChange({
    change: () =>
      isActive ? operator.accounts.suspend(accountId) : operator.accounts.resume(accountId),
    done: isActive ? "Suspended." : "Resumed.",
    touches,
  });
  const change = useChange({
    change: () => operator.accounts.update(accountId, { monthlyMessageLimit: limitOf(limit) }),
    done: "Changed.",
    touches,
  });
  const createKey = useChange({
    async change() {
      const scopes = ["scheduler.all.readwrite" as const];
      onKey(
        (await operator.accounts.createKey(accountId, { name: "by the operator", scopes })).key,
      );
    },
    touches,
  });
  const remove = useChange({
    change: () => operator.accounts.remove(accountId),
    done: "Removed.",
    touches,
  });
  return (
    <div className={styles["actions"]}>
      <FormButton
        label="Limit"
        name={`Limit of ${accountId}`}
        size="compact-xs"
        title={`Limit of ${accountId}`}
        action="Change"
        isReady={isLimit(limit)}
        change={change}
        onOpen={() => setLimit(monthlyMessageLimit === null ? "" : String(monthlyMessageLimit))}
      >
        <LimitInput value={limit} onChange={setLimit} />
      </FormButton>
      <ConfirmButton
        label="New key"
        name={`New key for ${accountId}`}
        size="compact-xs"
        title={`New key for ${accountId}?`}
        action="Create the key"
        change={createKey}
      >
        The key may do everything in this account. Give it to its owner.
      </ConfirmButton>
      <ConfirmButton
        label={isActive ? "Suspend" : "Resume"}
        name={`${isActive ? "Suspend" : "Resume"} ${accountId}`}
        size="compact-xs"
        title={`${isActive ? "Suspend" : "Resume"} ${accountId}?`}
        action={isActive ? "Suspend it" : "Resume it"}
        change={suspendOrResume}
      >
        {isActive
          ? "Its requests are refused, and its messages wait until it is resumed."
          : "Its requests are answered, and its messages are delivered again."}
      </ConfirmButton>
      {!isActive && (
        <ConfirmButton
          label="Remove"
          name={`Remove ${accountId}`}
          size="compact-xs"
          title={`Remove ${accountId}?`}
          action="Remove the account"
          change={remove}
        >
          Everything of it is removed: messages, targets, keys. This cannot be taken back.
        </ConfirmButton>
      )}
    </div>
  );
}
