// Clipboard and file downloads, in a browser as in the desktop's window.

/** @returns whether it succeeded: a browser may refuse access to the clipboard */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Downloads an address of the app; the response names the file. */
export function downloadUrl(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

export function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has read the blob by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
