import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { Page } from "../../presentation/page.tsx";
import { jobOrderOf } from "../../search/job-order.ts";
import { readSearch } from "../../search/qualifiers.ts";
import { SearchField } from "../../search/search-field.tsx";
import { MessageList } from "./message-list.tsx";
import { useFoundMessages } from "./use-found-messages.ts";

/** All messages of the account, by what one knows of them. */
export default function MessagesPage() {
  const { q = "" } = useSearch({ from: "/messages" });
  const navigate = useNavigate();
  // Spans count from the moment of the search, also when later pages are read.
  const search = useMemo(() => readSearch(q, Date.now), [q]);
  useEffect(() => {
    if (search.kind !== "message") return;
    const { messageId } = search;
    void navigate({ to: "/messages/$messageId", params: { messageId }, replace: true });
  }, [search, navigate]);
  const found = useFoundMessages(q, search);
  return (
    <Page title="Messages">
      <SearchField
        value={q}
        problem={search.kind === "unclear" ? search.problem : undefined}
        onSearch={(text) =>
          void navigate({
            to: "/messages",
            search: (old) => ({ ...old, q: text, selected: undefined }),
          })
        }
      />
      {search.kind !== "unclear" && (
        <MessageList key={q} found={found} order={jobOrderOf(search)} />
      )}
    </Page>
  );
}
