/**
 * What child processes are given of the environment. Nothing else is passed on: neither keys of
 * models and stores nor the user's own settings for the `temporal` program.
 */
import type { Environment } from './server-platform.ts';

/** Where programs, the home and temporary files are, language, and time zone. */
const OF_THE_MACHINE = /^(?:PATH|HOME|TMPDIR|TE?MP|LANG|LC_[A-Z]+|TZ)$/iu;
const OF_WINDOWS = /^(?:SYSTEMROOT|USERPROFILE|APPDATA|LOCALAPPDATA)$/iu;
/** Limits of whatever is written in Go. */
const OF_GO_PROGRAMS = /^GO(?:MAXPROCS|MEMLIMIT|GC|DEBUG)$/u;
/**
 * Where Go and git find modules, by which way, and where Go keeps them. One by one, since so much
 * else begins with `GO`; what would change the program is not among them.
 */
const OF_GO_BUILDS: ReadonlySet<string> = new Set(
  `GOPROXY GOPRIVATE GONOPROXY GOSUMDB GONOSUMDB GOINSECURE GOVCS GOAUTH GOENV GOROOT GOPATH GOBIN
  GOCACHE GOCACHEPROG GOMODCACHE GOTMPDIR GOTELEMETRY GOFIPS140 XDG_CACHE_HOME XDG_CONFIG_HOME
  NETRC`.split(/\s+/u),
);
const OF_PROXIES = /^(?:HTTPS?|ALL|NO)_PROXY$/iu;
const OF_CERTIFICATES = /^(?:SSL_CERT_(?:FILE|DIR)|GIT_SSL_(?:CAINFO|CAPATH))$/u;

/** Of a program that needs no network, and of the server. */
export function programEnvironment(env: Environment): Environment {
  return passedOn(env, isOfPrograms);
}

/**
 * Of a build with Go: the user's proxies and caches stay, what would change the program doesn't.
 * GOFLAGS isn't left empty, since Go then takes the one in its own settings file.
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
