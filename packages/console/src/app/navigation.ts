import { useScopes } from "../api/session.tsx";

/** The pages of the menu, with the second key of their shortcut: `g m`. */
const places = [
  { to: "/", label: "Overview", key: "o", needs: null },
  { to: "/messages", label: "Messages", key: "m", needs: null },
  { to: "/targets", label: "Targets", key: "t", needs: "readAll" },
  { to: "/dead-letters", label: "Dead letters", key: "d", needs: null },
  { to: "/forecast", label: "Forecast", key: "f", needs: null },
  { to: "/schedules", label: "Schedules", key: "s", needs: "readAll" },
  { to: "/jobs", label: "Jobs", key: "j", needs: null },
  { to: "/live", label: "Live", key: "e", needs: "readAll" },
  { to: "/access", label: "Access", key: "a", needs: "readAll" },
  { to: "/audit", label: "Audit log", key: "l", needs: "readAll" },
  { to: "/usage", label: "Usage", key: "u", needs: null },
  { to: "/nodes", label: "Nodes", key: "n", needs: "readNodes" },
  { to: "/operator", label: "Operator", key: "p", needs: "readNodes" },
] as const;

/** Those that the session may see. */
export function usePlaces(): (typeof places)[number][] {
  const scopes = useScopes();
  return places.filter(({ needs }) => needs === null || scopes[needs]);
}
