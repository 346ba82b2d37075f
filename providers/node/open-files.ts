/** How many files and sockets this process may have open. */

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** Null if the system sets no limit, or does not report it. */
export function openFilesMax(): number | null {
  if (process.report === undefined) return null;
  // The report would look up the names of all open connections.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}
