/**
 * The environment variables that child processes get. Nothing else is passed on: neither keys of
 * models and stores nor the user's own settings for the `temporal` program.
 */
import type { Environment } from './server-platform.ts';

/** Paths of programs, home and temporary files; language; time zone. */
const OF_THE_MACHINE = /^(?:PATH|HOME|TMPDIR|TE?MP|LANG|LC_[A-Z]+|TZ)$/iu;
const OF_WINDOWS = /^(?:SYSTEMROOT|USERPROFILE|APPDATA|LOCALAPPDATA)$/iu;
/** Runtime limits of Go programs. */
const OF_GO_PROGRAMS = /^GO(?:MAXPROCS|MEMLIMIT|GC|DEBUG)$/u;
/**
 * Where and how Go and git find modules, and where Go stores them. Listed one by one, since much
 * else begins with `GO`; variables that would change the program are not among them.
 */
const OF_GO_BUILDS: ReadonlySet<string> = new Set(
  `GOPROXY GOPRIVATE GONOPROXY GOSUMDB GONOSUMDB GOINSECURE GOVCS GOAUTH GOENV GOROOT GOPATH GOBIN
  GOCACHE GOCACHEPROG GOMODCACHE GOTMPDIR GOTELEMETRY GOFIPS140 XDG_CACHE_HOME XDG_CONFIG_HOME
  NETRC`.split(/\s+/u),
);
const OF_PROXIES = /^(?:HTTPS?|ALL|NO)_PROXY$/iu;
const OF_CERTIFICATES = /^(?:SSL_CERT_(?:FILE|DIR)|GIT_SSL_(?:CAINFO|CAPATH))$/u;

/** Returns the environment of the server, and of programs that need no network. */
export function programEnvironment(env: Environment): Environment {
  return passedOn(env, isOfPrograms);
}

/**
 * Returns the environment of a Go build: it keeps the user's proxies and caches, but nothing that
 * would change the program. GOFLAGS is set, since Go would otherwise take it from its settings
 * file.
 */
export function goBuildEnvironment(env: Environment): Environment {
  return {
    ...passedOn(env, (name) => isOfPrograms(name) || isOfGoBuilds(name)),
    GOFLAGS: '-mod=readonly',
    GOWORK: 'off',
    CGO_ENABLED: '0',
    GOTOOLCHAIN: env['GOTOOLCHAIN'] ?? 'auto',
  };
}

function isOfPrograms(name: string): boolean {
  return [OF_THE_MACHINE, OF_WINDOWS, OF_GO_PROGRAMS].some((names) => names.test(name));
}

function isOfGoBuilds(name: string): boolean {
  return OF_GO_BUILDS.has(name) || OF_PROXIES.test(name) || OF_CERTIFICATES.test(name);
}

function passedOn(env: Environment, isPassed: (name: string) => boolean): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name)));
}
