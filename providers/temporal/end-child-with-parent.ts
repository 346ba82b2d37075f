/**
 * Ends a child process when this process dies without a chance to do so, as by SIGKILL.
 *
 * A shell waits on a pipe whose other end only this process holds. When this process dies, the
 * kernel closes that end, the shell's `read` returns and the shell ends the child. This works on
 * Linux and macOS; Node cannot set Linux's parent-death signal, and macOS has none. The watched
 * process is our own child rather than the shell's, so that its exit status and signals stay
 * direct, and the shell costs about 1 MB where a second Node would cost 40.
 * Windows has no such shell: there the next start finds a server that was left behind
 * (server-orphan.ts).
 */
import { spawn } from 'node:child_process';

/** Seconds between asking a left-behind process to end and ending it. */
const GRACE_SECONDS = 5;

const SCRIPT = `
read -r word
[ "$word" = released ] && exit 0
kill -TERM "$1" 2>/dev/null || exit 0
left=${GRACE_SECONDS}
while [ "$left" -gt 0 ] && kill -0 "$1" 2>/dev/null; do sleep 1; left=$((left - 1)); done
kill -KILL "$1" 2>/dev/null
`;

/** Watches over a child of ours; call the returned function once the child has ended. */
export function endChildWithParent(pid: number): () => void {
  if (process.platform === 'win32') return () => undefined;
  // The shell gets its own session, so that Ctrl-C in the terminal doesn't end the watchdog first.
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'varve-watchdog', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
  });
  watchdog.unref();
  // Without a shell, or once it has ended, the child is just not watched; that must not fail us.
  watchdog.on('error', () => watchdog.stdin.destroy());
  watchdog.stdin.on('error', () => watchdog.stdin.destroy());
  return () => {
    if (watchdog.stdin.writable) watchdog.stdin.end('released\n');
  };
}
