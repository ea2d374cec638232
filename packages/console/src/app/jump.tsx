import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { targetPageQuery } from "../api/queries.ts";
import { useScopes } from "../api/session.tsx";
import { inertText } from "../presentation/inert-text.ts";
import { Icon } from "./icons.tsx";
import { usePlaces } from "./navigation.ts";

const shownAtOnce = 8;
const targetId = /^[\w-]{1,64}$/;

/** ⌘K: a page, a target by its name, a message by its id, or a search. */
export function Jump() {
  const navigate = useNavigate();
  const places = usePlaces();
  const { readAll } = useScopes();
  const [query, setQuery] = useState("");
  const { data: targets } = useQuery({ ...targetPageQuery(), enabled: readAll && query !== "" });
  const typed = query.trim();
  // The list has the first targets only. Any other one is reached by its whole name.
  const isFurther =
    targets?.nextPageToken != null &&
    targetId.test(typed) &&
    !targets.items.some((target) => target.targetId === typed);
  const actions: SpotlightActionData[] = [
    ...places.map(({ to, label, key }) => ({
      id: to,
      label,
      description: `g ${key}`,
      leftSection: <Icon name={label} />,
      onClick: () => void navigate({ to }),
    })),
    ...(targets?.items ?? []).map(({ targetId, url }) => ({
      id: `target ${targetId}`,
      label: targetId,
      description: inertText(url),
      leftSection: <Icon name="Targets" />,
      onClick: () => void navigate({ to: "/targets/$targetId", params: { targetId } }),
    })),
  ];
  const found = actions
    .filter(({ label, description }) =>
      `${label} ${description}`.toLowerCase().includes(typed.toLowerCase()),
    )
    .slice(0, shownAtOnce);
  const search: SpotlightActionData = {
    id: "search",
    label: `Search messages for “${typed}”`,
    leftSection: <Icon name="Search" />,
    onClick: () => void navigate({ to: "/messages", search: { q: typed } }),
  };
  const further: SpotlightActionData = {
    id: "further target",
    label: `The target “${typed}”`,
    leftSection: <Icon name="Targets" />,
    onClick: () => void navigate({ to: "/targets/$targetId", params: { targetId: typed } }),
  };
  return (
    <Spotlight
      actions={typed === "" ? found : [...found, ...(isFurther ? [further] : []), search]}
      filter={(_query, all) => all}
      query={query}
      onQueryChange={setQuery}
      shortcut="mod + K"
      searchProps={{
        placeholder: "A page, a target, or the id of a message",
        "aria-label": "Jump to",
        leftSection: <Icon name="Search" />,
      }}
      transitionProps={{ duration: 0 }}
    />
  );
}
