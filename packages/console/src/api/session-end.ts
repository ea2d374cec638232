const listeners = new Set<() => void>();

/** Some answer said that nobody is signed in any more. */
export function sessionHasEnded(): void {
  for (const listener of listeners) listener();
}

export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
