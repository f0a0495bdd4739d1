// How long one request to a provider may live: until its answer was read, the caller leaves, or its time is over.
// Whatever the request holds open is let go then, once.

export type RequestLifetime = {
  /** Aborted with the caller's reason, or with what `createTimeoutError` makes once the time is over. */
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
  // Nobody may be waiting for it.
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
