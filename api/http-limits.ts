/** How large, how slow and how idle a request and its connection may be. */

export const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** The URL carries the inputs of queries and takes up to nine bytes per character. */
const HEADER_BYTES_MAX = 128 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
export const HEADERS_TIMEOUT_MS = 10_000;
/** Interval between checks for connections that exceed a timeout. */
const TIMEOUT_LOOK_MS = 2_000;
/** Maximum idle time of a connection without a call. */
const IDLE_TIMEOUT_MS = 5_000;
/** Calls of one tRPC request. */
export const BATCH_SIZE_MAX = 32;

/** As options of Node's HTTP server. */
export const SERVER_LIMITS = {
  maxHeaderSize: HEADER_BYTES_MAX,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_LOOK_MS,
  // The server refuses such requests itself, with an error code.
  requireHostHeader: false,
};
