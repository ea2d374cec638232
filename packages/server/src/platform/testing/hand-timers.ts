/** Timers that go off when the test says so. */
export function handTimers() {
  let waiting: { readonly delayMs: number; readonly callback: () => void }[] = [];
  return {
    timers: {
      after(delayMs: number, callback: () => void) {
        const timer = { delayMs, callback };
        waiting.push(timer);
        return { cancel: () => void (waiting = waiting.filter((other) => other !== timer)) };
      },
    },
    /** The delays that are waited for. */
    delays: () => waiting.map(({ delayMs }) => delayMs),
    async goOff() {
      for (const { callback } of waiting.splice(0)) callback();
      await new Promise(setImmediate);
    },
  };
}
