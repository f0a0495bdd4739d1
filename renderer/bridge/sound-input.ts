// What is recorded from, as 16 kHz samples: a microphone, or the sound of the system. Asks for it, runs the
// worklet, hands blocks on as they come. See sound-devices.ts for what there is to choose from.

// oxlint-disable-next-line import/default -- the bundler makes the default export: the worklet's address.
import workletUrl from "./capture-worklet.ts?worker&url";
import { deviceOf } from "./sound-devices.ts";
import type { SoundEvents, SoundInput, SoundSource } from "./sound.ts";

/** Throws the browser's own DOMException where there is nothing to be had: see `microphoneTrouble`, `sharingTrouble`. */
export async function openSound(
  source: SoundSource,
  { onBlock, onLost }: SoundEvents,
): Promise<SoundInput> {
  const stream = await (source.kind === "system"
    ? systemStream()
    : microphoneStream(source.deviceLabel));
  const context = new AudioContext();
  const stop = async (): Promise<void> => {
    stopTracks(stream);
    await context.close();
  };
  try {
    await context.audioWorklet.addModule(workletUrl);
    await running(context);
  } catch (error) {
    await stop();
    throw error;
  }
  const node = new AudioWorkletNode(context, "hearsay-capture", { numberOfOutputs: 0 });
  const ended = Promise.withResolvers<void>();
  node.port.addEventListener(
    "message",
    ({ data }: MessageEvent<"ended" | { samples: Int16Array; peak: number }>) => {
      if (data === "ended") ended.resolve();
      else onBlock(data.samples, data.peak);
    },
  );
  node.port.start();
  context.createMediaStreamSource(stream).connect(node);
  const [track] = stream.getAudioTracks();
  track?.addEventListener("ended", onLost);
  const tell = (what: "pause" | "resume" | "end"): void => node.port.postMessage(what, []);
  return {
    label: track?.label ?? "",
    pause: () => tell("pause"),
    resume: () => tell("resume"),
    async close() {
      tell("end");
      await ended.promise;
      await stop();
    },
  };
}

const untouched = { echoCancellation: false, noiseSuppression: false } as const;

const microphone = (deviceId: string | undefined): Promise<MediaStream> =>
  navigator.mediaDevices.getUserMedia({
    audio: {
      channelCount: 1,
      ...untouched,
      autoGainControl: true,
      ...(deviceId !== undefined && { deviceId: { exact: deviceId } }),
    },
  });

/** A device that is gone gives way to the system's choice. */
async function microphoneStream(label: string | undefined): Promise<MediaStream> {
  const known = await deviceOf(label);
  const stream = await microphone(known);
  if (label === undefined || known !== undefined) return stream;
  // Names are told only once a microphone was allowed.
  const wanted = await deviceOf(label);
  if (wanted === undefined) return stream;
  stopTracks(stream);
  return microphone(wanted);
}

async function systemStream(): Promise<MediaStream> {
  // Without a picture there is nothing to share, in any browser.
  const options: DisplayMediaStreamOptions & { systemAudio: "include" } = {
    video: true,
    audio: { ...untouched, autoGainControl: false },
    systemAudio: "include",
  };
  const shared = await navigator.mediaDevices.getDisplayMedia(options);
  for (const picture of shared.getVideoTracks()) picture.stop();
  if (shared.getAudioTracks().length === 0) throw new DOMException("", "NotFoundError");
  return new MediaStream(shared.getAudioTracks());
}

/** A browser may hold sound back until the page is touched. */
async function running(context: AudioContext): Promise<void> {
  const touched = (): void => void context.resume();
  addEventListener("pointerdown", touched);
  addEventListener("keydown", touched);
  await context.resume();
  removeEventListener("pointerdown", touched);
  removeEventListener("keydown", touched);
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
