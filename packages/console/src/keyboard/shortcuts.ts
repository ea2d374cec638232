import { useEffect, useRef } from "react";

export interface Shortcut {
  /** `/`, or two keys after each other: `g m`. */
  readonly keys: string;
  readonly what: string;
  readonly run: () => void;
}

const storedAs = "postdate-single-keys";
/** How long a first key waits for its second. */
const pauseMs = 1_500;

/** Keys without a modifier disturb people who speak to their computer, so they can be turned off. */
export function singleKeysAreOn(): boolean {
  return localStorage.getItem(storedAs) !== "off";
}

export function turnSingleKeys(on: boolean): void {
  localStorage.setItem(storedAs, on ? "on" : "off");
}

/** What every part of the page that is shown now listens to. One listener serves them all, so two keys after each other belong together. */
const registered = new Set<{ readonly current: readonly Shortcut[] }>();
let first = "";
let firstAt = 0;

function listen(event: KeyboardEvent): void {
  if (isForSomethingElse(event)) return;
  const shortcuts = [...registered].flatMap(({ current }) => current);
  const before = event.timeStamp - firstAt < pauseMs ? first : "";
  const typed = before === "" ? event.key : `${before} ${event.key}`;
  const found = shortcuts.findLast(({ keys }) => keys === typed);
  const begins = shortcuts.some(({ keys }) => keys.startsWith(`${event.key} `));
  first = found === undefined && begins ? event.key : "";
  firstAt = event.timeStamp;
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    if (registered.size === 0) document.addEventListener("keydown", listen);
    registered.add(latest);
    return () => {
      registered.delete(latest);
      if (registered.size === 0) document.removeEventListener("keydown", listen);
    };
  }, []);
}

function isForSomethingElse(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  const isTyping =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
  return isTyping || !singleKeysAreOn() || document.querySelector("[role=dialog]") !== null;
}
