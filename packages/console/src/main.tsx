import "./app/styles.ts";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followOtherTabs } from "./api/session.tsx";
import { App } from "./app/app.tsx";
import { styleNonce } from "./app/nonce.ts";
import { cssVariables, theme } from "./app/theme.ts";

// Browsers look the icon up again at every new path, from which a relative address would lead elsewhere.
for (const icon of document.querySelectorAll<HTMLLinkElement>("link[rel=icon]")) {
  icon.setAttribute("href", icon.href);
}

followOtherTabs();

const queries = new QueryClient({
  // The client itself repeats what may be repeated.
  defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
});

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
