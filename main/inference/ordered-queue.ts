// Work that runs side by side and is handed out in order: the producer adds promises, the consumer gets their
// values in the order they were added, as soon as each is there.

export type OrderedQueue<Value> = {
  /** Adds one more; waits while `maxAhead` of them are still to be taken. */
  add(value: Promise<Value>): Promise<void>;
  /** The next one added waits. */
  isFull(): boolean;
  /** Nothing more will come. */
  end(): void;
  /** Ends the iteration with this error, after what was added before. */
  fail(error: unknown): void;
  values(): AsyncGenerator<Value, void, undefined>;
};

/** @param maxAhead how far the producer may be in front of the consumer */
export function createOrderedQueue<Value>(maxAhead: number): OrderedQueue<Value> {
  const queue: Promise<Value>[] = [];
  const state = { ended: false };
  let changed = Promise.withResolvers<void>();
  const notifyChange = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const enqueue = (value: Promise<Value>): void => {
    // Its failure is reported when its turn comes.
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
        // The consumer left: the producer must not wait for it.
        state.ended = true;
        notifyChange();
      }
    },
  };
}
