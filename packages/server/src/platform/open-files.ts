/** The types of Node.js do not have this setting yet. */
type Report = typeof process.report & { excludeNetwork: boolean };

/** How many files and sockets the process may have open at once; infinite where there is no limit. */
export function mostOpenFiles(): number {
  const report = process.report as Report;
  const { excludeNetwork } = report;
  // Only the limits are wanted. Names of peers would be looked up, which takes seconds.
  report.excludeNetwork = true;
  try {
    const { userLimits } = report.getReport() as {
      readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
    };
    const soft = userLimits?.open_files?.soft;
    return typeof soft === "number" ? soft : Infinity;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}
