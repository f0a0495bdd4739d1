// Records a clip for a trial. Goes on while other pages are open; the clip is selected when it ends.

import { create } from "zustand";
import { openAudioInput } from "../../bridge/audio-input.ts";
import { microphoneProblem, type AudioInput } from "../../bridge/audio-source.ts";
import { encodeWav } from "../../bridge/wav.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { showRecording } from "../../stores/recording.ts";
import { go, parseRoute } from "../../stores/route.ts";
import { toast } from "../../stores/toasts.ts";
import { chooseClip } from "./clip.ts";

const sampleRateHz = 16_000;
/** A trial needs only a short clip. */
const maxSec = 120;
const minSec = 0.3;
const pagePath = "/models/try";

type ClipRecording = {
  readonly phase: "idle" | "starting" | "recording" | "ending";
  readonly sec: number;
  readonly error: string | undefined;
};

const idle: ClipRecording = { phase: "idle", sec: 0, error: undefined };
export const useClipRecording = create<ClipRecording>(() => idle);
const { setState: set, getState: get } = useClipRecording;

let input: AudioInput | undefined;
let blocks: Int16Array[] = [];
const recordedSec = (): number =>
  blocks.reduce((sum, { length }) => sum + length, 0) / sampleRateHz;

// The frame shows it on every page.
useClipRecording.subscribe(({ phase, sec }) => {
  showRecording(
    "trial",
    phase === "recording" || phase === "ending"
      ? { phase, sec, path: pagePath, stop: stopClip }
      : undefined,
  );
});

export async function startClip(): Promise<void> {
  if (get().phase !== "idle") return;
  set({ ...idle, phase: "starting" });
  blocks = [];
  let isLost = false;
  const { recordFrom } = usePreferences.getState();
  try {
    input = await openAudioInput(
      recordFrom.kind === "microphone" ? recordFrom : { kind: "microphone" },
      {
        onBlock(samples) {
          blocks.push(samples);
          const sec = recordedSec();
          if (Math.floor(sec) !== get().sec) set({ sec: Math.floor(sec) });
          if (sec >= maxSec) void stopClip();
        },
        onLost() {
          isLost = true;
          void stopClip();
        },
      },
    );
  } catch (failure) {
    fail(t(`models.clip.trouble.${microphoneProblem(failure)}`));
    return;
  }
  set({ phase: "recording" });
  if (isLost) await stopClip();
}

/** Resolves when the clip is selected. */
export async function stopClip(): Promise<void> {
  if (get().phase !== "recording") return;
  set({ phase: "ending" });
  // Closing delivers the blocks in transit, which belong to the clip.
  await input?.close();
  input = undefined;
  const sec = recordedSec();
  const recordedBlocks = blocks;
  blocks = [];
  if (sec < minSec) {
    fail(t("models.clip.short"));
    return;
  }
  const name = t("models.clip.recorded", { time: formatTime(sec) });
  chooseClip({
    from: "file",
    file: new File([encodeWav(recordedBlocks)], `${name}.wav`, { type: "audio/wav" }),
  });
  set(idle);
  if (!isPageOpen())
    toast({ text: name, action: { label: t("frame.recording.open"), run: () => go(pagePath) } });
}

function isPageOpen(): boolean {
  const { page, rest } = parseRoute(location.hash);
  return page === "models" && rest[0] === "try";
}

function fail(error: string): void {
  set({ ...idle, error });
  if (!isPageOpen()) toast({ tone: "bad", text: error });
}
