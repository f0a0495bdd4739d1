// Where a realtime session is served: here, one speech segment at a time, or by the provider of its model, if that has
// such sessions. The address of the connection decides, or the client's first event.

import { parseEvent, type RealtimeSession } from "./realtime-session.ts";
import { modelOf, usesExtensions } from "./relay.ts";

export type SessionChoiceOptions = {
  /** The session here, which has begun. */
  local: RealtimeSession;
  /** @returns undefined if the session is to be served here */
  openRelay(model: string, isBeta: boolean): Promise<RealtimeSession | undefined>;
  /** The session as the connection was opened. */
  firstUpdate: UpdateEvent;
};

type UpdateEvent = { type: string; session: Record<string, unknown> };

/** Events that name a model are short. */
const maxUpdateBytes = 64 * 1024;

export function chooseSession({
  local,
  openRelay,
  firstUpdate,
}: SessionChoiceOptions): RealtimeSession {
  let isDecided = false;
  let isClosed = false;
  let session = local;

  async function decide({ type, session: update }: Record<string, unknown>): Promise<void> {
    const model = modelOf(update);
    if (model === undefined || usesExtensions(update)) return;
    const isBeta = type === "transcription_session.update";
    // The session here refuses an unknown model.
    const relay = await openRelay(model, isBeta).catch(() => undefined);
    if (relay === undefined) return;
    isDecided = true;
    session = relay;
    await local.close();
    if (isClosed) await relay.close();
  }

  async function begin(): Promise<void> {
    await decide(firstUpdate);
    if (session !== local) await session.receive(Buffer.from(JSON.stringify(firstUpdate)));
  }
  const beginning = begin();

  return {
    async receive(json) {
      await beginning;
      if (!isDecided) {
        isDecided = true;
        if (json.length <= maxUpdateBytes) await decide(parseQuietly(json));
      }
      await session.receive(json);
    },
    async close() {
      isClosed = true;
      await session.close();
    },
  };
}

/** What is no event is refused by the session. */
function parseQuietly(json: Uint8Array): Record<string, unknown> {
  try {
    return parseEvent(json);
  } catch {
    return {};
  }
}
