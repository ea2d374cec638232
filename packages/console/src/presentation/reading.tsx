import { Skeleton, VisuallyHidden } from "@mantine/core";

/** Stands where something will be shown once it has been read. */
export function Reading({ height = 160 }: { readonly height?: number }) {
  return (
    <div data-reading>
      <Skeleton height={height} radius="md" />
      <VisuallyHidden>Reading…</VisuallyHidden>
    </div>
  );
}
