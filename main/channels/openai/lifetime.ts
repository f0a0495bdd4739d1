// How long one request to a provider may live: until its answer was read, the caller leaves, or its time is over.
// Whatever the request holds open is let go then, once.

export type Lifetime = {
  /** Aborted with the caller's reason, or with what `late` makes once the time is over. */
  readonly signal: AbortSignal;
  /** Rejects when `signal` is aborted; never resolves. */
  readonly aborted: Promise<never>;
  onEnd(release: () => void): void;
  end(): void;
};

export function createLifetime(caller: AbortSignal, totalMs: number, late: () => Error): Lifetime {
  const stop = new AbortController();
  const aborted = Promise.withResolvers<never>();
  // Nobody may be waiting for it.
  aborted.promise.catch(() => {});
  const releases: (() => void)[] = [];
  let ended = false;

  const timer = setTimeout(() => abort(late()), totalMs);
  const left = () => abort(caller.reason);

  function abort(reason: unknown): void {
    stop.abort(reason);
    aborted.reject(stop.signal.reason);
    end();
  }

  function end(): void {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    caller.removeEventListener("abort", left);
    for (const release of releases) release();
  }

  if (caller.aborted) left();
  else caller.addEventListener("abort", left, { once: true });

  return {
    signal: stop.signal,
    aborted: aborted.promise,
    onEnd(release) {
      if (ended) release();
      else releases.push(release);
    },
    end,
  };
}
