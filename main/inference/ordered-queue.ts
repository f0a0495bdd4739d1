// Runs work in parallel and returns results in order: the producer adds promises, the consumer gets their values in the
// order they were added, each as soon as it is ready.

export type OrderedQueue<Value> = {
  /** Adds a promise; waits while the consumer is `maxAhead` values behind. */
  add(value: Promise<Value>): Promise<void>;
  /** The next `add` would wait. */
  isFull(): boolean;
  /** No more values follow. */
  end(): void;
  /** Ends the iteration with this error, after the values added before. */
  fail(error: unknown): void;
  values(): AsyncGenerator<Value, void, undefined>;
};

/** @param maxAhead how many values the producer may be ahead of the consumer */
export function createOrderedQueue<Value>(maxAhead: number): OrderedQueue<Value> {
  const queue: Promise<Value>[] = [];
  const state = { ended: false };
  let changed = Promise.withResolvers<void>();
  const notifyChange = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const enqueue = (value: Promise<Value>): void => {
    // A rejection is reported when its turn comes.
    value.catch(() => {});
    queue.push(value);
    notifyChange();
  };
  const isFull = (): boolean => queue.length > maxAhead && !state.ended;
  return {
    async add(value) {
      enqueue(value);
      while (isFull()) await changed.promise;
    },
    isFull,
    end() {
      state.ended = true;
      notifyChange();
    },
    fail(reason) {
      enqueue(Promise.reject(reason));
      state.ended = true;
      notifyChange();
    },
    async *values() {
      try {
        for (;;) {
          const next = queue[0];
          if (next !== undefined) {
            yield await next;
            queue.shift();
            notifyChange();
          } else if (state.ended) return;
          else await changed.promise;
        }
      } finally {
        // The consumer stopped iterating: the producer must not wait for it.
        state.ended = true;
        notifyChange();
      }
    },
  };
}
