// Types of audio sources, and the reasons why one cannot be opened. See audio-input.ts for opening it.

/** Devices are stored by label, because their ids change at every start of the app. Omitted: the system's default. */
export type AudioSource = {
  readonly kind: "microphone" | "system";
  readonly deviceLabel?: string | undefined;
};

export type AudioInput = {
  /** Label of the device in use; empty if the browser does not reveal it. */
  readonly label: string;
  /** The chosen device, if it is not connected: the system's default is used instead. */
  readonly missingDevice?: string | undefined;
  pause(): void;
  resume(): void;
  /** Blocks in transit are delivered before this resolves. */
  close(): Promise<void>;
};

export type AudioInputEvents = {
  /** 16 kHz, the samples of two tracks interleaved; `peak` is the block's highest absolute value, 0 to 1. */
  onBlock(samples: Int16Array, peak: number): void;
  /** The device was unplugged, or the browser or system ended the stream. */
  onLost(): void;
};

/** Why there is no microphone: permission denied, none connected, or in use by another program. */
export type MicrophoneProblem = "refused" | "missing" | "busy";

export function microphoneProblem(error: unknown): MicrophoneProblem {
  const name = errorName(error);
  if (name === "NotAllowedError" || name === "SecurityError") return "refused";
  return name === "NotFoundError" || name === "OverconstrainedError" ? "missing" : "busy";
}

/** Why system audio is not shared: permission denied, no audio track, or no user gesture before the call. */
export type SharingProblem = "not-shared" | "no-sound" | "no-click";

export function sharingProblem(error: unknown): SharingProblem {
  const name = errorName(error);
  if (name === "InvalidStateError") return "no-click";
  return name === "NotFoundError" || name === "NotReadableError" ? "no-sound" : "not-shared";
}

const errorName = (error: unknown): string => (error instanceof DOMException ? error.name : "");
