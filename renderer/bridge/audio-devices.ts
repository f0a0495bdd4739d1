// What can be recorded from here. Names of devices are told only once a microphone was allowed; sound of the system is
// to be had where a device gives it (monitors, Stereo Mix, BlackHole), or where it can be shared.

export type AudioDevice = { readonly label: string; readonly isSystem: boolean };

/** Devices that record what is played; only names tell them. */
export const isSystemDevice = (label: string): boolean =>
  /^monitor of |\.monitor$|\bstereo ?mix\b|\bblackhole\b/i.test(label);

/** Entries of Chromium that stand for another one of the list. */
const isAlias = ({ deviceId }: MediaDeviceInfo): boolean =>
  deviceId === "default" || deviceId === "communications";

const listInputDevices = async (): Promise<MediaDeviceInfo[]> =>
  (await navigator.mediaDevices.enumerateDevices()).filter(
    (device) => device.kind === "audioinput" && !isAlias(device),
  );

/** `hasUnlabeled`: there are some whose names are not told yet; see `requestDeviceLabels`. */
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

/** Id of the device with that label; undefined where there is none, or names are not told. */
export async function findDeviceId(label: string | undefined): Promise<string | undefined> {
  return label === undefined
    ? undefined
    : (await listInputDevices()).find((device) => device.label === label)?.deviceId;
}

/** Asks for the microphone and lets it go, so that names are told. Throws the browser's DOMException where it is refused. */
export async function requestDeviceLabels(): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) track.stop();
}

/** Whether this browser gives the sound of what is shared: those that can leave it playing here meanwhile. */
export const canShareSystemAudio = (): boolean =>
  "suppressLocalAudioPlayback" in navigator.mediaDevices.getSupportedConstraints();

/** @returns how to stop */
export function onAudioDevicesChange(listener: () => void): () => void {
  navigator.mediaDevices.addEventListener("devicechange", listener);
  return () => navigator.mediaDevices.removeEventListener("devicechange", listener);
}
