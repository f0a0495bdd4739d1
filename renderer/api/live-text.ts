// Transcription while somebody speaks, as one turn that the window ends: dictation.

import { openLiveConnection, type LiveTextOptions } from "./live-connection.ts";

/** After the last sample; then the recording is transcribed as a file. */
const maxWaitMs = 20_000;
const connectionLost = (): Error => new Error("the connection for live text broke");

export function openLiveText(
  options: LiveTextOptions,
  onWords: (words: { settled: string; unsettled: string }) => void,
) {
  let settled = "";
  const completed = Promise.withResolvers<string>();
  // Possibly nobody waits for it.
  completed.promise.catch(() => {});
  const connection = openLiveConnection(
    { ...options, findsTurns: false },
    {
      onEvent({ type, delta, unsettled, transcript }) {
        if (type.endsWith(".delta")) {
          settled += delta;
          onWords({ settled, unsettled });
        } else if (type.endsWith(".completed")) completed.resolve(transcript);
        else if (type === "error" || type.endsWith(".failed")) completed.reject(connectionLost());
      },
      onClose: () => completed.reject(connectionLost()),
    },
  );
  return {
    push: connection.push,
    finish(signal: AbortSignal): Promise<string> {
      signal.addEventListener("abort", () => completed.reject(signal.reason), { once: true });
      connection.send({ type: "input_audio_buffer.commit" });
      setTimeout(() => completed.reject(connectionLost()), maxWaitMs);
      return completed.promise;
    },
    close: connection.close,
  };
}
