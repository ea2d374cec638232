import { Button, PasswordInput, Stack, Tabs, Text } from "@mantine/core";
import type { Postdate } from "@postdate/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { becomeOperator, forgetOperator, useOperator } from "../../api/operator.ts";
import { usePages } from "../../api/use-pages.ts";
import type { OperatorTab } from "../../app/router.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { AuditTable } from "../audit/audit-table.tsx";
import { AccountsTab } from "./accounts-tab.tsx";
import { SigningKeysTab } from "./signing-keys-tab.tsx";

/** For whoever runs the service: all accounts, and what was done to them. */
export default function OperatorPage() {
  const operator = useOperator();
  return (
    <Page
      title="Operator"
      actions={
        operator && (
          <Button size="xs" variant="default" onClick={forgetOperator}>
            Forget the key
          </Button>
        )
      }
    >
      {operator ? <Service operator={operator} /> : <GiveKey />}
    </Page>
  );
}

function GiveKey() {
  const [key, setKey] = useState("");
  const give = useMutation({ mutationFn: () => becomeOperator(key.trim()) });
  return (
    <Panel title="The operator's key">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          give.mutate();
        }}
      >
        <Stack gap="sm" maw={420}>
          <Text size="sm" c="dimmed">
            Accounts are managed with the key in POSTDATE_OPERATOR_KEY. This page keeps it until you
            leave or reload the console, and stores it nowhere.
          </Text>
          <PasswordInput
            label="Operator's key"
            placeholder="pdo_…"
            autoComplete="off"
            value={key}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
          />
          {give.error && <ProblemNote error={give.error} />}
          <div>
            <Button type="submit" size="xs" loading={give.isPending} disabled={key.trim() === ""}>
              Open
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}

function Service({ operator }: { readonly operator: Postdate }) {
  const { tab = "accounts" } = useSearch({ from: "/operator" });
  const navigate = useNavigate();
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(chosen) =>
        void navigate({
          to: "/operator",
          search: (old) => ({ ...old, tab: chosen as OperatorTab }),
          replace: true,
        })
      }
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="accounts">Accounts</Tabs.Tab>
        <Tabs.Tab value="signing-keys">Signing keys</Tabs.Tab>
        <Tabs.Tab value="audit">Audit log</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="accounts">
        <AccountsTab operator={operator} />
      </Tabs.Panel>
      <Tabs.Panel value="signing-keys">
        <SigningKeysTab operator={operator} />
      </Tabs.Panel>
      <Tabs.Panel value="audit">
        <OperatorAudit operator={operator} />
      </Tabs.Panel>
    </Tabs>
  );
}

function OperatorAudit({ operator }: { readonly operator: Postdate }) {
  const found = usePages({
    queryKey: ["operator", "audit"],
    list: (query, options) => operator.operatorAuditLog(query, options),
  });
  return (
    <AuditTable
      found={found}
      columns={[{ name: "Account", show: ({ accountId }) => accountId && inertText(accountId) }]}
    />
  );
}
