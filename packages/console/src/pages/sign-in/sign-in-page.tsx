import { Button, PasswordInput, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { problemOf } from "../../api/problem.ts";
import { useSignIn } from "../../api/session.tsx";
import { Mark } from "../../app/shell.tsx";
import { takeKeyInLink } from "./key-in-link.ts";
import styles from "./sign-in-page.module.css";

/** A key opens a session, whose cookie no script can read. The key itself is not kept. */
export function SignInPage() {
  const [key, setKey] = useState("");
  const { mutate: signIn, isPending, error } = useSignIn();
  useEffect(() => {
    document.title = "Sign in · Postdate";
    const given = takeKeyInLink();
    if (given !== undefined) signIn(given);
  }, [signIn]);
  return (
    <main className={styles["place"]}>
      <form
        className={styles["card"]}
        onSubmit={(event) => {
          event.preventDefault();
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
          error={error && `${problemOf(error).title} ${adviceOf(error)}`}
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

function adviceOf(error: unknown): string {
  const { title, advice } = problemOf(error);
  return advice === "Sign in again." ? "Check the key and try again." : title && advice;
}
