// A child's end of the line to the pool. Under plain Node it is the IPC channel of a forked process; a child
// whose parent is gone ends by itself.

export type ParentPort = { send(message: unknown): void; onMessage(listener: (message: unknown) => void): void };

/** @throws Error where the process was not started by the app */
export function connectToParent(): ParentPort {
  if (process.send === undefined) throw new Error('engine processes are started by Hearsay itself');
  // Ctrl-C reaches the whole group; the parent decides what ends when.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  return {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
  };
}
