// Output of `hearsay serve` once it listens: address, key, and an example command for each direction.

import { networkAddresses } from "../../server/http/network-addresses.ts";

export type DisplayedKey = {
  /** For display. */
  text: string;
  /** Escaped for double quotes in a shell. */
  shellText: string;
};

export type KeySource = {
  key: string;
  /** Omitted if the key was set by flag or environment. */
  keyFile: string | undefined;
  isFromFlag: boolean;
  /** On a terminal the key may be shown; otherwise the output may be a log that others read. */
  isTerminal: boolean;
};

export function displayKey({ key, keyFile, isFromFlag, isTerminal }: KeySource): DisplayedKey {
  if (isTerminal) return { text: key, shellText: key };
  if (keyFile !== undefined)
    return {
      text: `in the file ${keyFile}`,
      shellText: `$(cat '${keyFile.replaceAll("'", "'\\''")}')`,
    };
  return isFromFlag
    ? { text: "as given by --api-key", shellText: "<API key>" }
    : { text: "as given by HEARSAY_API_KEY", shellText: "$HEARSAY_API_KEY" };
}

/** `unavailablePort`: the requested port, if it was not free. */
export function greeting(
  listeningUrl: string,
  key: DisplayedKey,
  unavailablePort: number | undefined,
): string {
  const wildcardHost = /(?<=\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
  const baseUrl = listeningUrl.replace(wildcardHost, "127.0.0.1");
  const networkUrls = wildcardHost.test(listeningUrl)
    ? networkAddresses().map((host) => listeningUrl.replace(wildcardHost, host))
    : [];
  const notes = [
    ...(unavailablePort === undefined ? [] : [`port ${unavailablePort} is in use`]),
    ...(networkUrls.length === 0 ? [] : [`from other machines: ${networkUrls.join("  ")}`]),
  ];
  const authorization = `-H "Authorization: Bearer ${key.shellText}"`;
  const speechRequest = '{"model":"tts-1","voice":"nova","input":"Hello from Hearsay."}';
  const speechFlags = `-H "Content-Type: application/json" -d '${speechRequest}' -o hello.mp3`;
  return `Hearsay is listening.

  Base URL  ${baseUrl}
${notes.map((note) => `            ${note}\n`).join("")}  API key   ${key.text}
  API page  ${baseUrl.replace(/\/v1$/, "/docs")}

Generate speech:
  curl ${baseUrl}/audio/speech ${authorization} ${speechFlags}

Transcribe it, or any other file:
  curl ${baseUrl}/audio/transcriptions ${authorization} -F model=whisper-1 -F file=@hello.mp3

Ctrl-C stops it.
`;
}
