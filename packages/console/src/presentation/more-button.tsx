import { Button } from "@mantine/core";

interface MoreButtonProps {
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children?: string;
}

/** Reads the next page of a list, as long as there is one. */
export function MoreButton({ of, children = "Show more" }: MoreButtonProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = of;
  if (!hasNextPage) return null;
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        loading={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      >
        {children}
      </Button>
    </div>
  );
}
