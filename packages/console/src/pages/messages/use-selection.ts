import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";

/** Which of the messages in a list are selected, by id. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** With `isRange`, everything from the last one that was chosen gets the same state. */
  readonly toggle: (index: number, isRange: boolean) => void;
  readonly clear: () => void;
}

/** More would make an address that servers and chats cut off. A larger selection is in this page's memory alone. */
const mostInAddress = 100;

/**
 * The selection stands in the address, so it outlives reloading and can be shared. Only messages of the list count: nobody
 * is made to act on what is not shown.
 */
export function useSelection(all: readonly string[]): Selection {
  const { selected = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(selected.split(",").filter(Boolean)),
  );
  const ids = useMemo(() => new Set(all.filter((id) => chosen.has(id))), [all, chosen]);
  const last = useRef(0);
  const choose = useCallback(
    (next: ReadonlySet<string>) => {
      setChosen(next);
      const text = next.size > mostInAddress ? "" : [...next].join(",");
      void navigate({
        to: ".",
        search: (old) => ({ ...old, selected: text === "" ? undefined : text }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const toggle = useCallback(
    (index: number, isRange: boolean) => {
      const from = isRange ? last.current : index;
      last.current = index;
      const next = new Set(ids);
      const isOn = !ids.has(all[index]!);
      for (const id of all.slice(Math.min(from, index), Math.max(from, index) + 1)) {
        if (isOn) next.add(id);
        else next.delete(id);
      }
      choose(next);
    },
    [all, ids, choose],
  );
  const clear = useCallback(() => choose(new Set()), [choose]);
  return { ids, toggle, clear };
}
