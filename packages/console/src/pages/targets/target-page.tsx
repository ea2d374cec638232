import { Button, Tabs, Text } from "@mantine/core";
import type { Target } from "@postdate/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { postdate } from "../../api/postdate.ts";
import { targetQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import type { TargetTab } from "../../app/router.tsx";
import { announce } from "../../presentation/announcements.tsx";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { HealthTab } from "./health-tab.tsx";
import { SecretTab } from "./secret-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { TestTab } from "./test-tab.tsx";

const TargetMessages = lazy(() => import("./target-messages.tsx"));

/** One target: how it goes, what waits for it, what it refused, and how it is set. */
export default function TargetPage() {
  const { targetId } = useParams({ from: "/targets/$targetId" });
  const { tab: wanted = "health" } = useSearch({ from: "/targets/$targetId" });
  const navigate = useNavigate();
  const { writeAll } = useScopes();
  // A link may come from somebody who may do more.
  const tab = !writeAll && (wanted === "secret" || wanted === "test") ? "health" : wanted;
  const { data: target, error, refetch } = useQuery(targetQuery(targetId));
  if (target === null) {
    return (
      <Page title="There is no such target">
        <Text>
          It may have been removed. <Link to="/targets">All targets</Link>
        </Text>
      </Page>
    );
  }
  const show = (chosen: string | null): void =>
    void navigate({
      to: "/targets/$targetId",
      params: { targetId },
      search: (old) => ({ ...old, tab: chosen as TargetTab, selected: undefined }),
      replace: true,
    });
  return (
    <Page title={targetId} actions={target && writeAll && <PauseButton target={target} />}>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {target === undefined && !error && <Reading height={240} />}
      {target && (
        <Tabs value={tab} onChange={show} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="health">Health</Tabs.Tab>
            <Tabs.Tab value="scheduled">Scheduled</Tabs.Tab>
            <Tabs.Tab value="dead-letters">Dead letters</Tabs.Tab>
            <Tabs.Tab value="settings">Settings</Tabs.Tab>
            {writeAll && <Tabs.Tab value="secret">Secret</Tabs.Tab>}
            {writeAll && <Tabs.Tab value="test">Test</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="health">
            <HealthTab targetId={targetId} />
          </Tabs.Panel>
          <Tabs.Panel value="scheduled">
            <Suspense fallback={<Reading height={240} />}>
              <TargetMessages targetId={targetId} list="scheduled" />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="dead-letters">
            <Suspense fallback={<Reading height={240} />}>
              <TargetMessages targetId={targetId} list="deadLetters" />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <SettingsTab target={target} />
          </Tabs.Panel>
          <Tabs.Panel value="secret">
            <SecretTab targetId={targetId} />
          </Tabs.Panel>
          <Tabs.Panel value="test">
            <TestTab targetId={targetId} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  );
}

function PauseButton({ target: { targetId, paused } }: { readonly target: Target }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      paused ? postdate.targets.resume(targetId) : postdate.targets.pause(targetId),
    onSuccess(target) {
      queries.setQueryData(targetQuery(targetId).queryKey, target);
      announce(target.paused ? "Paused: nothing is sent to it." : "Resumed.");
    },
  });
  return (
    <>
      {change.error && <ProblemNote error={change.error} />}
      <Button
        size="xs"
        variant={paused ? "filled" : "default"}
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {paused ? "Resume" : "Pause"}
      </Button>
    </>
  );
}
