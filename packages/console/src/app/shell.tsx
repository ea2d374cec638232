import { AppShell, Burger, Kbd, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { moveInRows } from "../keyboard/move-in-rows.ts";
import { ShortcutList } from "../keyboard/shortcut-list.tsx";
import { useShortcuts, type Shortcut } from "../keyboard/shortcuts.ts";
import { Announcements } from "../presentation/announcements.tsx";
import { ZonePicker } from "../time/zone-picker.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Icon } from "./icons.tsx";
import { Jump } from "./jump.tsx";
import { usePlaces } from "./navigation.ts";
import styles from "./shell.module.css";

/** The frame around every page. */
export function Shell() {
  const places = usePlaces();
  const [menuIsOpen, menu] = useDisclosure();
  const [keysAreShown, keys] = useDisclosure();
  const shortcuts = useGlobalShortcuts(keys.open);
  const main = useFocusAtNewPage(menu.close);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 196, breakpoint: "sm", collapsed: { mobile: !menuIsOpen } }}
      padding={{ base: "md", sm: "lg" }}
      transitionDuration={0}
    >
      <a href="#main" className="skip" onClick={() => main.current?.focus()}>
        Skip the menu
      </a>
      <AppShell.Header className={styles["header"]}>
        <Burger
          opened={menuIsOpen}
          onClick={menu.toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label="Menu"
        />
        <Link to="/" className={styles["name"]} aria-label="Postdate, overview">
          <Mark />
          <span>Postdate</span>
        </Link>
        <UnstyledButton className={styles["jump"]} onClick={spotlight.open}>
          <Icon name="Search" size={16} />
          <span className={styles["jump-text"]}>Jump to…</span>
          <Kbd size="xs" aria-hidden="true" className={styles["jump-key"]}>
            ⌘K
          </Kbd>
        </UnstyledButton>
        <ZonePicker />
        <AccountMenu onShowKeys={keys.open} />
      </AppShell.Header>
      <AppShell.Navbar className={styles["navbar"]} aria-label="Pages">
        {places.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            className={styles["place"]}
            activeOptions={{ exact: to === "/", includeSearch: false }}
          >
            <Icon name={label} />
            {label}
          </Link>
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} ref={main}>
        <Outlet />
      </AppShell.Main>
      <Jump />
      <ShortcutList shortcuts={shortcuts} opened={keysAreShown} onClose={keys.close} />
      <Announcements />
    </AppShell>
  );
}

function useGlobalShortcuts(showKeys: () => void): readonly Shortcut[] {
  const navigate = useNavigate();
  const places = usePlaces();
  const shortcuts: readonly Shortcut[] = [
    { keys: "/", what: "Search messages", run: () => focusSearch() || void goToSearch() },
    ...places.map(({ to, label, key }) => ({
      keys: `g ${key}`,
      what: `Go to ${label}`,
      run: () => void navigate({ to }),
    })),
    { keys: "j", what: "Next row of a list", run: () => moveInRows(1) },
    { keys: "k", what: "Previous row of a list", run: () => moveInRows(-1) },
    { keys: "?", what: "Show this list", run: showKeys },
  ];
  const goToSearch = async (): Promise<void> => {
    await navigate({ to: "/messages" });
    requestAnimationFrame(() => focusSearch());
  };
  useShortcuts(shortcuts);
  return shortcuts;
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}

/** A new page begins at its top, for the eyes, the keyboard and screen readers. */
function useFocusAtNewPage(onNewPage: () => void) {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    onNewPage();
    main.current?.focus({ preventScroll: true });
  }, [path, onNewPage]);
  return main;
}

export function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="var(--mantine-color-post-7)" />
      <circle cx="16" cy="16" r="8.6" fill="none" stroke="#fff" strokeWidth="2.4" />
      <path
        d="M16 11v5l3.6 2.4"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
