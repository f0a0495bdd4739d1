// State that a child process keeps between the tasks of a session, by the session's id.

type Sessions<Session extends { close(): void }> = {
  add(id: string, session: Session): void;
  /** @throws Error if the session is not in this process */
  get(id: string): Session;
  /** Does nothing if the session is not in this process. */
  close(id: string): void;
};

export function createSessions<Session extends { close(): void }>(): Sessions<Session> {
  const sessions = new Map<string, Session>();
  return {
    add: (id, session) => void sessions.set(id, session),
    get(id) {
      const session = sessions.get(id);
      if (session === undefined) throw new Error(`no session ${id} in this process`);
      return session;
    },
    close(id) {
      sessions.get(id)?.close();
      sessions.delete(id);
    },
  };
}
