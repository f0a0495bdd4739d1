// What pages may use of the machine: our own page the microphone, the sound of the system when it was asked for, and
// the clipboard to write to. Electron grants everything that is not refused here.

import type { Session, WebContents } from "electron";

/** Harmless in our own page. */
const allowedPermissions: readonly string[] = ["clipboard-sanitized-write", "speaker-selection"];

/**
 * @param origin of our pages
 * @param askForMicrophone has the system ask the person, where it wants to be asked to; never rejects
 */
export function guardPermissions(
  session: Session,
  origin: string,
  askForMicrophone: () => Promise<boolean>,
): void {
  const isOwnPage = (
    contents: WebContents | null,
    isMainFrame: boolean,
    address: string | undefined,
  ): boolean =>
    contents !== null &&
    isMainFrame &&
    originOf(address) === origin &&
    originOf(contents.getURL()) === origin;

  session.setPermissionRequestHandler(async (contents, permission, callback, details) => {
    const { mediaTypes = [] } = details as { mediaTypes?: readonly string[] };
    const isAudio =
      permission === "media" &&
      mediaTypes.length > 0 &&
      mediaTypes.every((type) => type === "audio");
    const isAllowed =
      isOwnPage(contents, details.isMainFrame, details.requestingUrl) &&
      (isAudio || permission === "display-capture" || allowedPermissions.includes(permission));
    callback(isAllowed && (!isAudio || (await askForMicrophone())));
  });
  session.setPermissionCheckHandler(
    (contents, permission, requestingOrigin, { isMainFrame, mediaType }) => {
      const isAudio = permission === "media" && mediaType === "audio";
      return (
        isOwnPage(contents, isMainFrame, requestingOrigin) &&
        (isAudio || permission === "display-capture" || allowedPermissions.includes(permission))
      );
    },
  );
  session.setDevicePermissionHandler(() => false);
  // Sound alone: where a picture has to come with it, it is that of the page that asks, so that no screen is captured
  // and no system asks which one. Recent macOS gives sound only to what its own picker chose, where it has one.
  session.setDisplayMediaRequestHandler(
    ({ frame, securityOrigin, userGesture, audioRequested, videoRequested }, callback) => {
      const isAllowed =
        frame !== null &&
        frame.parent === null &&
        originOf(securityOrigin) === origin &&
        originOf(frame.url) === origin &&
        userGesture &&
        audioRequested;
      callback(
        isAllowed ? { audio: "loopback", ...(videoRequested ? { video: frame } : {}) } : null,
      );
    },
    { useSystemPicker: true },
  );
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : (URL.parse(address)?.origin ?? undefined);
}

/** Of macOS 13. */
const minDarwinMajor = 22;

/** Can Chromium capture the system's sound? On Windows; on macOS from 13 on; on Linux by the feature that main.ts switches on. */
export function canCaptureSystemAudio(system: NodeJS.Platform, kernelRelease: string): boolean {
  return (
    system === "win32" ||
    system === "linux" ||
    (system === "darwin" && Number.parseInt(kernelRelease, 10) >= minDarwinMajor)
  );
}
