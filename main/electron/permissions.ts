// Permissions of pages: our own page may use the microphone, capture system audio, and write to the clipboard. Electron
// grants everything that is not denied here.

import type { Session, WebContents } from "electron";

/** Harmless in our own page. */
const allowedPermissions: readonly string[] = ["clipboard-sanitized-write", "speaker-selection"];

/**
 * @param origin of our pages
 * @param askForMicrophone lets the system ask the user if needed; never rejects
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
  // Audio only. If a picture is required, it is that of the requesting page, so that no screen is captured and no
  // system asks which one. Recent macOS versions provide audio only for a choice in their own picker, if there is one.
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

/** Kernel version of macOS 13. */
const minDarwinMajor = 22;

/**
 * True if Chromium can capture system audio: on Windows, on macOS 13 and later, and on Linux with the feature that
 * main.ts enables.
 */
export function canCaptureSystemAudio(system: NodeJS.Platform, kernelRelease: string): boolean {
  return (
    system === "win32" ||
    system === "linux" ||
    (system === "darwin" && Number.parseInt(kernelRelease, 10) >= minDarwinMajor)
  );
}
