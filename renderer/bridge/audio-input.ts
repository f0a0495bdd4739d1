// Records a microphone or the system's audio as 16 kHz samples: requests permission, runs the worklet, passes on its
// blocks. See audio-devices.ts for the list of devices.

// oxlint-disable-next-line import/default -- the bundler makes the default export: the worklet's address.
import workletUrl from "./capture-worklet.ts?worker&url";
import { findDeviceId } from "./audio-devices.ts";
import type { AudioInputEvents, AudioInput, AudioSource } from "./audio-source.ts";

/**
 * @param systemAudio recorded beside the source, as a second track; the caller stops it
 * @throws DOMException of the browser; see `microphoneProblem` and `sharingProblem`
 */
export async function openAudioInput(
  source: AudioSource,
  { onBlock, onLost }: AudioInputEvents,
  systemAudio?: MediaStream,
): Promise<AudioInput> {
  const { stream, missingDevice } = await (source.kind === "system"
    ? systemStream()
    : microphoneStream(source.deviceLabel, systemAudio !== undefined));
  const streams = systemAudio === undefined ? [stream] : [stream, systemAudio];
  const context = new AudioContext();
  const stop = async (): Promise<void> => {
    stopTracks(stream);
    await context.close();
  };
  try {
    await context.audioWorklet.addModule(workletUrl);
    await ensureRunning(context);
  } catch (error) {
    await stop();
    throw error;
  }
  const node = new AudioWorkletNode(context, "hearsay-capture", {
    numberOfInputs: streams.length,
    numberOfOutputs: 0,
  });
  const ended = Promise.withResolvers<void>();
  node.port.addEventListener(
    "message",
    ({ data }: MessageEvent<"ended" | { samples: Int16Array; peak: number }>) => {
      if (data === "ended") ended.resolve();
      else onBlock(data.samples, data.peak);
    },
  );
  node.port.start();
  for (const [index, each] of streams.entries())
    context.createMediaStreamSource(each).connect(node, 0, index);
  const [track] = stream.getAudioTracks();
  track?.addEventListener("ended", onLost);
  const post = (command: "pause" | "resume" | "end"): void => node.port.postMessage(command, []);
  return {
    label: track?.label ?? "",
    missingDevice,
    pause: () => post("pause"),
    resume: () => post("resume"),
    async close() {
      post("end");
      await ended.promise;
      await stop();
    },
  };
}

const unprocessed = { echoCancellation: false, noiseSuppression: false } as const;

const requestMicrophone = (
  deviceId: string | undefined,
  cancelsEcho: boolean,
): Promise<MediaStream> =>
  navigator.mediaDevices.getUserMedia({
    audio: {
      channelCount: 1,
      ...unprocessed,
      // Loudspeakers play what the other track records.
      echoCancellation: cancelsEcho,
      autoGainControl: true,
      ...(deviceId !== undefined && { deviceId: { exact: deviceId } }),
    },
  });

type OpenedStream = { stream: MediaStream; missingDevice?: string | undefined };

/** Falls back to the system's default if the device is not connected. */
async function microphoneStream(
  label: string | undefined,
  cancelsEcho: boolean,
): Promise<OpenedStream> {
  const deviceId = await findDeviceId(label);
  const stream = await requestMicrophone(deviceId, cancelsEcho);
  if (label === undefined || deviceId !== undefined) return { stream };
  // Labels are available only after permission was granted.
  const newDeviceId = await findDeviceId(label);
  if (newDeviceId === undefined) return { stream, missingDevice: label };
  stopTracks(stream);
  return { stream: await requestMicrophone(newDeviceId, cancelsEcho) };
}

const systemStream = async (): Promise<OpenedStream> => ({ stream: await shareSystemAudio() });

/** Browsers ask the user, and only after a click. @throws DOMException; see `sharingProblem` */
export async function shareSystemAudio(): Promise<MediaStream> {
  // Every browser requires video for `getDisplayMedia`.
  const options: DisplayMediaStreamOptions & { systemAudio: "include" } = {
    video: true,
    audio: { ...unprocessed, autoGainControl: false },
    systemAudio: "include",
  };
  const sharedStream = await navigator.mediaDevices.getDisplayMedia(options);
  for (const videoTrack of sharedStream.getVideoTracks()) videoTrack.stop();
  if (sharedStream.getAudioTracks().length === 0) throw new DOMException("", "NotFoundError");
  return new MediaStream(sharedStream.getAudioTracks());
}

/** Browsers may suspend an AudioContext until the user interacts with the page. */
async function ensureRunning(context: AudioContext): Promise<void> {
  const resume = (): void => void context.resume();
  addEventListener("pointerdown", resume);
  addEventListener("keydown", resume);
  await context.resume();
  removeEventListener("pointerdown", resume);
  removeEventListener("keydown", resume);
}

export function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
