// Lifetime of one request to a provider: ends when the response was read, the caller aborts, or the timeout expires.
// Releases the request's resources then, exactly once.

export type RequestLifetime = {
  /** Aborted with the caller's reason, or with the error of `createTimeoutError` after the timeout. */
  readonly signal: AbortSignal;
  /** Rejects when `signal` is aborted; never resolves. */
  readonly aborted: Promise<never>;
  onEnd(release: () => void): void;
  end(): void;
};

export function createRequestLifetime(
  caller: AbortSignal,
  totalMs: number,
  createTimeoutError: () => Error,
): RequestLifetime {
  const stopController = new AbortController();
  const aborted = Promise.withResolvers<never>();
  // Prevents an unhandled rejection if no code awaits it.
  aborted.promise.catch(() => {});
  const releases: (() => void)[] = [];
  let hasEnded = false;

  const timer = setTimeout(() => abort(createTimeoutError()), totalMs);
  const onCallerAbort = () => abort(caller.reason);

  function abort(reason: unknown): void {
    stopController.abort(reason);
    aborted.reject(stopController.signal.reason);
    end();
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    caller.removeEventListener("abort", onCallerAbort);
    for (const release of releases) release();
  }

  if (caller.aborted) onCallerAbort();
  else caller.addEventListener("abort", onCallerAbort, { once: true });

  return {
    signal: stopController.signal,
    aborted: aborted.promise,
    onEnd(release) {
      if (hasEnded) release();
      else releases.push(release);
    },
    end,
  };
}
