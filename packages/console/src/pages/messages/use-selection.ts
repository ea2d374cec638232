import { useCallback, useRef, useState } from "react";

/** Which of the messages in a list are selected, by id. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** With `isRange`, everything from the last one that was chosen gets the same state. */
  readonly toggle: (index: number, isRange: boolean) => void;
  readonly clear: () => void;
}

export function useSelection(all: readonly string[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const last = useRef(0);
  const toggle = useCallback(
    (index: number, isRange: boolean) => {
      const from = isRange ? last.current : index;
      last.current = index;
      setIds((old) => {
        const next = new Set(old);
        const isOn = !old.has(all[index]!);
        const chosen = all.slice(Math.min(from, index), Math.max(from, index) + 1);
        for (const id of chosen) {
          if (isOn) next.add(id);
          else next.delete(id);
        }
        return next;
      });
    },
    [all],
  );
  const clear = useCallback(() => setIds(new Set()), []);
  return { ids, toggle, clear };
}
