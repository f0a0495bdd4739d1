// Work that runs side by side and is handed out in order: the producer adds promises, the consumer gets their
// values in the order they were added, as soon as each is there.

export type OrderedWork<Value> = {
  /** Adds one more; waits while `ahead` of them are still to be taken. */
  add(value: Promise<Value>): Promise<void>;
  /** The next one added waits. */
  isFull(): boolean;
  /** Nothing more will come. */
  end(): void;
  /** Ends the iteration with this error, after what was added before. */
  fail(error: unknown): void;
  values(): AsyncGenerator<Value, void, undefined>;
};

/** @param ahead how far the producer may be in front of the consumer */
export function createOrderedWork<Value>(ahead: number): OrderedWork<Value> {
  const queue: Promise<Value>[] = [];
  const state = { ended: false };
  let changed = Promise.withResolvers<void>();
  const tell = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const put = (value: Promise<Value>): void => {
    // Its failure is reported when its turn comes.
    value.catch(() => {});
    queue.push(value);
    tell();
  };
  const isFull = (): boolean => queue.length > ahead && !state.ended;
  return {
    async add(value) {
      put(value);
      while (isFull()) await changed.promise;
    },
    isFull,
    end() {
      state.ended = true;
      tell();
    },
    fail(reason) {
      put(Promise.reject(reason));
      state.ended = true;
      tell();
    },
    async *values() {
      try {
        for (;;) {
          const next = queue[0];
          if (next !== undefined) {
            yield await next;
            queue.shift();
            tell();
          } else if (state.ended) return;
          else await changed.promise;
        }
      } finally {
        // The consumer left: the producer must not wait for it.
        state.ended = true;
        tell();
      }
    },
  };
}
