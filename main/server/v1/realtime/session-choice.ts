// Where a realtime session is served: here, piece by piece, or by the provider of its model, if that has such sessions.
// It is decided when the model is known, which clients may tell after the connection is open; audio decides for here.

import type { RealtimeSession } from "./realtime-session.ts";
import { parseEvent } from "./realtime-session.ts";
import { modelOf } from "./relay.ts";

export type SessionChoiceOptions = {
  /** The session here, which has begun. */
  local: RealtimeSession;
  /** @returns undefined if the session is to be served here */
  openRelay(model: string, isBeta: boolean): Promise<RealtimeSession | undefined>;
  /** Named when the connection was opened, as the first event of the session. */
  firstUpdate?: { type: string; session: Record<string, unknown> } | undefined;
};

/** Messages that name a model are short. */
const maxUpdateBytes = 64 * 1024;

export function chooseSession({
  local,
  openRelay,
  firstUpdate,
}: SessionChoiceOptions): RealtimeSession {
  let isDecided = false;
  let isClosed = false;
  let session = local;

  async function decide(event: { type?: unknown; session?: unknown }): Promise<void> {
    if (event.type === "input_audio_buffer.append") isDecided = true;
    const model = modelOf(event.session);
    if (isDecided || model === undefined) return;
    // An unknown model is refused by the session here.
    const relay = await openRelay(model, event.type === "transcription_session.update").catch(
      () => undefined,
    );
    if (relay === undefined) return;
    isDecided = true;
    session = relay;
    await local.close();
    if (isClosed) await relay.close();
  }

  async function begin(): Promise<void> {
    if (firstUpdate === undefined) return;
    await decide(firstUpdate);
    if (session !== local) await session.receive(Buffer.from(JSON.stringify(firstUpdate)));
  }
  const beginning = begin();

  return {
    async receive(json) {
      await beginning;
      if (!isDecided && json.length <= maxUpdateBytes) await decide(parseQuietly(json));
      else isDecided = true;
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
