/** The error that a statement raises with `raise_undecided()`. It has done nothing then. */
export function isUndecided(error: unknown): boolean {
  return (error as { readonly code?: string }).code === "PD001";
}
