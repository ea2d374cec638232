import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";
import { SessionProvider, useSessionQuery } from "../api/session.tsx";
import { takeCodeInLink } from "../pages/sign-in/code-in-link.ts";
import { SignInPage } from "../pages/sign-in/sign-in-page.tsx";
import { ProblemNote } from "../presentation/problem-note.tsx";
import { router } from "./router.tsx";

/** The pages for whoever is signed in, and the way in for everybody else. */
export function App() {
  const { data: session, error, refetch } = useSessionQuery();
  const isSignedIn = session != null;
  useEffect(() => {
    // Whoever is signed in already needs no code, and must not be signed in by it after signing out.
    if (isSignedIn) takeCodeInLink();
  }, [isSignedIn]);
  if (session) {
    return (
      <SessionProvider value={session}>
        <RouterProvider router={router} />
      </SessionProvider>
    );
  }
  if (session === null) return <SignInPage />;
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  return null;
}
