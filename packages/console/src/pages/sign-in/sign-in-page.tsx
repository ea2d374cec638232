import { Button, PasswordInput, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { problemOf } from "../../api/problem.ts";
import { useSignIn } from "../../api/session.tsx";
import { Mark } from "../../app/shell.tsx";
import { takeCodeInLink } from "./code-in-link.ts";
import styles from "./sign-in-page.module.css";

/** A key opens a session, whose cookie no script can read. The key itself is not kept. */
export function SignInPage() {
  const [key, setKey] = useState("");
  const [linkFailed, setLinkFailed] = useState(false);
  const { mutate: signIn, isPending, error } = useSignIn();
  useEffect(() => {
    document.title = "Sign in · Postdate";
    const code = takeCodeInLink();
    if (code !== undefined) signIn(code, { onError: () => setLinkFailed(true) });
  }, [signIn]);
  return (
    <main className={styles["place"]}>
      <form
        className={styles["card"]}
        onSubmit={(event) => {
          event.preventDefault();
          setLinkFailed(false);
          signIn(key.trim());
        }}
      >
        <Mark />
        <Title order={1} size="h3">
          Sign in to Postdate
        </Title>
        <Text size="sm" c="dimmed">
          The session allows what the key allows, and ends after 12 hours.
        </Text>
        <PasswordInput
          label="API key"
          placeholder="pd_…"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
          error={error && problemText(error, linkFailed)}
        />
        <Button type="submit" loading={isPending} fullWidth>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          The first start of the server prints a key. <code>npx postdate key create</code> makes
          more.
        </Text>
      </form>
    </main>
  );
}

function problemText(error: unknown, linkFailed: boolean): string {
  const { title, advice } = problemOf(error);
  if (advice !== "Sign in again.") return `${title} ${advice}`;
  return linkFailed
    ? "This link has signed in before, or its server was restarted. Sign in with the key."
    : `${title} Check the key and try again.`;
}
