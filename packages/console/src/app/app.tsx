import { RouterProvider } from "@tanstack/react-router";
import { SessionProvider, useSessionQuery } from "../api/session.tsx";
import { SignInPage } from "../pages/sign-in/sign-in-page.tsx";
import { ProblemNote } from "../presentation/problem-note.tsx";
import { router } from "./router.tsx";

/** The pages for whoever is signed in, and the way in for everybody else. */
export function App() {
  const { data: session, error, refetch } = useSessionQuery();
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
