/**
 * Reads tokens of ServiceAccounts, verified by the API server that issued them (TokenReview): only
 * it knows whether an account, or the pod that a token is bound to, still exists.
 *
 * Guarantees: no other kind of token is sent to it; an answer is cached for KEPT_MS and no longer;
 * callers with the same token share one review; pending reviews and cached answers are bounded.
 */
import { keepNewest } from '#core/keep-newest.ts';
import { parsedJson } from '#core/parsed-json.ts';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenCaller, TokenReader } from '#core/ports/access-token-reader.ts';
import { callerOfAccount, type NamespaceTenants } from '#core/access-token-claims.ts';
import { openAccess } from './server-and-credentials.ts';
import { createRequestLimiter, type RequestTime } from './request-limiter.ts';
import { createRequests, OBJECT_BYTES_MAX, type Requests } from './requests.ts';
import { createSharedDispatcher } from './shared-dispatcher.ts';

/** How long a token stays valid after its account or pod is gone. */
const KEPT_MS = 30_000;
const ANSWERS_MAX = 10_000;
const UNDER_WAY_MAX = 64;
const TOKEN_LENGTH_MAX = 16_384;
const REVIEW_MS_MAX = 10_000;
const PER_SECOND = 50;
const BURST = 100;
const SECOND_MS = 1_000;
const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';

export interface TokenReviewSettings {
  /** The audience that a token must name; tokens for the API server itself are not accepted. */
  readonly audience: string;
  readonly tenants: NamespaceTenants;
}

export interface TokenReviewOptions {
  readonly settings: TokenReviewSettings;
  /** Kubeconfig files that name the API server; null for the ServiceAccount of the pod. */
  readonly kubeconfig: string | null;
  readonly timers: RequestTime;
  readonly platform: Pick<Platform, 'clock' | 'digest' | 'log'>;
}

const Review = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    audiences: z.array(z.string()).default([]),
    // Absent if the token is not valid.
    user: z.object({ username: z.string().default('') }).optional(),
  }),
});

/** The claims of a token, before they are verified. */
const Claims = z.object({
  sub: z.string(),
  exp: z.number(),
  aud: z.union([z.string(), z.array(z.string())]),
});

/**
 * Opens the reader.
 * @throws VarveError INVALID_INPUT if the API server cannot be found
 */
export function openTokenReviews(options: TokenReviewOptions): TokenReader & AsyncDisposable {
  const { settings, kubeconfig, timers, platform } = options;
  const { clock, digest, log } = platform;
  const dispatcher = createSharedDispatcher();
  const ending = new AbortController();
  const requests = createRequests({
    access: openAccess({ kubeconfig, timer: timers.timer }),
    dispatcher,
    limiter: createRequestLimiter({ perSecond: PER_SECOND, burst: BURST }, timers),
    metrics: NO_OPERATOR_METRICS,
    userAgent: 'varve-api',
    timeLimitMs: REVIEW_MS_MAX,
    ending: ending.signal,
  });
  const answers = new Map<string, { at: number; caller: Promise<TokenCaller | null> }>();
  let underWay = 0;

  const ask = async (token: string): Promise<TokenCaller | null> => {
    if (underWay >= UNDER_WAY_MAX) throw unknownNow();
    underWay += 1;
    try {
      return await reviewed(requests, token, settings);
    } catch (error) {
      // Do not pass a refusal on to callers: it concerns the permissions of this process.
      log.warn({ error }, 'token of a ServiceAccount cannot be reviewed');
      throw unknownNow();
    } finally {
      underWay -= 1;
    }
  };
  return {
    read: (token) => {
      const now = clock();
      if (!isCandidate(token, settings, now)) return Promise.resolve(null);
      const name = digest(token);
      const known = answers.get(name);
      if (known !== undefined && now - known.at < KEPT_MS) return known.caller;
      const caller = ask(token);
      // Failed reviews are not cached.
      caller.catch(() => answers.delete(name));
      keepNewest(answers, ANSWERS_MAX, [name, { at: now, caller }]);
      return caller;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await dispatcher[Symbol.asyncDispose]();
    },
  };
}

async function reviewed(
  requests: Requests,
  token: string,
  { audience, tenants }: TokenReviewSettings,
): Promise<TokenCaller | null> {
  const value = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  };
  const body = { contentType: 'application/json', value };
  const bytesMax = OBJECT_BYTES_MAX;
  const call = { method: 'POST', path: PATH, body, isSecret: true, bytesMax } as const;
  const { status } = Review.parse(await requests.answer(call));
  const { authenticated, audiences, user } = status;
  if (!authenticated || user === undefined || !audiences.includes(audience)) return null;
  return callerOfAccount(user.username, tenants);
}

/** Whether the token claims to be of the accepted kind; others are not sent to the API server. */
function isCandidate(
  token: string,
  { audience, tenants }: TokenReviewSettings,
  now: number,
): boolean {
  if (token.length > TOKEN_LENGTH_MAX) return false;
  const [, body = ''] = token.split('.');
  const claims = Claims.safeParse(parsedJson(Buffer.from(body, 'base64url').toString('utf8')));
  if (!claims.success) return false;
  const { sub, exp, aud } = claims.data;
  const isFor = typeof aud === 'string' ? aud === audience : aud.includes(audience);
  return isFor && exp * SECOND_MS > now && callerOfAccount(sub, tenants) !== null;
}

function unknownNow(): VarveError {
  const message = 'Kubernetes cannot say now whose token this is; try again.';
  return new VarveError('PROVIDER_ERROR', message, { details: { retryAfterMs: SECOND_MS } });
}
