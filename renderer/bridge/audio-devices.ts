// Audio devices that can be recorded. The browser reveals labels only after microphone permission. System audio comes
// from a loopback device (monitor, Stereo Mix, BlackHole) or from screen sharing.

export type AudioDevice = { readonly label: string; readonly isSystem: boolean };

/** Loopback devices record what is played; only their labels identify them. */
export const isSystemDevice = (label: string): boolean =>
  /^monitor of |\.monitor$|\bstereo ?mix\b|\bblackhole\b/i.test(label);

/** Chromium's aliases of another device in the list. */
const isAlias = ({ deviceId }: MediaDeviceInfo): boolean =>
  deviceId === "default" || deviceId === "communications";

const listInputDevices = async (): Promise<MediaDeviceInfo[]> =>
  (await navigator.mediaDevices.enumerateDevices()).filter(
    (device) => device.kind === "audioinput" && !isAlias(device),
  );

/** `hasUnlabeled`: some devices have no label yet; see `requestDeviceLabels`. */
export async function listAudioDevices(): Promise<{
  devices: AudioDevice[];
  hasUnlabeled: boolean;
}> {
  const inputDevices = await listInputDevices();
  const labels = new Set(inputDevices.map(({ label }) => label).filter((label) => label !== ""));
  return {
    devices: [...labels].map((label) => ({ label, isSystem: isSystemDevice(label) })),
    hasUnlabeled: inputDevices.some(({ label }) => label === ""),
  };
}

/** Id of the device with that label; undefined if there is none or labels are not available. */
export async function findDeviceId(label: string | undefined): Promise<string | undefined> {
  return label === undefined
    ? undefined
    : (await listInputDevices()).find((device) => device.label === label)?.deviceId;
}

/**
 * Opens the microphone and closes it again, so that the browser reveals the labels.
 * @throws DOMException of the browser if permission is denied
 */
export async function requestDeviceLabels(): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) track.stop();
}

/** Whether this browser can share system audio. Browsers that can also know this constraint, which keeps it audible. */
export const canShareSystemAudio = (): boolean =>
  "suppressLocalAudioPlayback" in navigator.mediaDevices.getSupportedConstraints();

/** @returns unsubscribe */
export function onAudioDevicesChange(listener: () => void): () => void {
  navigator.mediaDevices.addEventListener("devicechange", listener);
  return () => navigator.mediaDevices.removeEventListener("devicechange", listener);
}
