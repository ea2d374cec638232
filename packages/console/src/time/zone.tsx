import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { isZone, type Zone } from "./time-text.ts";

const storedAs = "postdate-zone";

/** The zone of this browser's last choice. */
function storedZone(): Zone {
  const stored = localStorage.getItem(storedAs);
  return isZone(stored) ? stored : "UTC";
}

/** The zone in the address comes first, so that a link shows everybody the same. */
export function useZone(): Zone {
  const { zone } = useSearch({ from: "__root__" });
  return zone ?? storedZone();
}

export function useSetZone(): (zone: Zone) => void {
  const navigate = useNavigate();
  return useCallback(
    (zone) => {
      localStorage.setItem(storedAs, zone);
      void navigate({ to: ".", search: (search) => ({ ...search, zone }), replace: true });
    },
    [navigate],
  );
}
