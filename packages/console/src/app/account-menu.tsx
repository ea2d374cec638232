import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { useSession, useSignOut } from "../api/session.tsx";
import { serverUrl } from "../place.ts";
import { Icon } from "./icons.tsx";

const schemes = { auto: "As the system", light: "Light", dark: "Dark" } as const;

export function AccountMenu({ onShowKeys }: { readonly onShowKeys: () => void }) {
  const { accountId, keyId } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label="Account and appearance">
          <Icon name="Person" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Account {accountId}, key {keyId}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {Object.entries(schemes).map(([scheme, name]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme as keyof typeof schemes)}
            rightSection={colorScheme === scheme ? "✓" : null}
            aria-current={colorScheme === scheme}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onShowKeys} rightSection="?">
          Keyboard
        </Menu.Item>
        <Menu.Item component="a" href={`${serverUrl}/docs/`}>
          API documentation
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
