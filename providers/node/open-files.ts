/** Reads how many files and sockets this process may have open. */

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** Returns the limit; null if the system sets none, or does not report it. */
export function openFilesMax(): number | null {
  if (process.report === undefined) return null;
  // Otherwise the report resolves the host names of all open connections.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}
