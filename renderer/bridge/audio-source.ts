// What there is to say of sound that is recorded: where from, how it comes, why it does not. Opening it is
// sound-input.ts's work.

/** A device goes by its label: its id is another at every start of the app. Omitted for the system's default. */
export type AudioSource = {
  readonly kind: "microphone" | "system";
  readonly deviceLabel?: string | undefined;
};

export type AudioInput = {
  /** Of what is heard; empty where the browser does not tell. */
  readonly label: string;
  pause(): void;
  resume(): void;
  /** The blocks that are on their way still come before this resolves. */
  close(): Promise<void>;
};

export type AudioInputEvents = {
  /** 16 kHz mono; `peak` is the loudest value of the block, 0 to 1. */
  onBlock(samples: Int16Array, peak: number): void;
  /** It was unplugged or taken away. */
  onLost(): void;
};

/** Why there is no microphone: the person or the system refused, there is none, or something else uses it. */
export type MicrophoneProblem = "refused" | "missing" | "busy";

export function microphoneProblem(error: unknown): MicrophoneProblem {
  const name = errorName(error);
  if (name === "NotAllowedError" || name === "SecurityError") return "refused";
  return name === "NotFoundError" || name === "OverconstrainedError" ? "missing" : "busy";
}

/** Why the system's sound is not shared: the person or the system refused, it has none, or nobody clicked or pressed a key. */
export type SharingProblem = "not-shared" | "no-sound" | "no-click";

export function sharingProblem(error: unknown): SharingProblem {
  const name = errorName(error);
  if (name === "InvalidStateError") return "no-click";
  return name === "NotFoundError" || name === "NotReadableError" ? "no-sound" : "not-shared";
}

const errorName = (error: unknown): string => (error instanceof DOMException ? error.name : "");
