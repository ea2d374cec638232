import { Page } from "../../presentation/page.tsx";
import { ClientsPanel } from "./clients-panel.tsx";
import { KeysPanel } from "./keys-panel.tsx";

/** Who may use this account: people and programs with a key, programs with an OAuth client. */
export default function AccessPage() {
  return (
    <Page title="Access">
      <KeysPanel />
      <ClientsPanel />
    </Page>
  );
}
