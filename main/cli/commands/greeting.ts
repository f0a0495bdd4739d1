// What `hearsay serve` prints once it listens: where, with which key, and a line to try each direction.

import { networkAddresses } from "../../server/http/network-addresses.ts";

export type DisplayedKey = {
  /** As a person reads it. */
  text: string;
  /** As a shell's double quotes take it. */
  shellText: string;
};

export type KeySource = {
  key: string;
  /** Absent where the key was given from outside. */
  keyFile: string | undefined;
  isFromFlag: boolean;
  /** Somebody reads it on a screen; else it goes to a log that may be read by others. */
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

/** `unavailablePort`: the port that was wanted, where another one had to do. */
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
  return `Hearsay is listening.

  Base URL  ${baseUrl}
${notes.map((note) => `            ${note}\n`).join("")}  API key   ${key.text}
  API page  ${baseUrl.replace(/\/v1$/, "/docs")}

Say something:
  curl ${baseUrl}/audio/speech -H "Authorization: Bearer ${key.shellText}" -H "Content-Type: application/json" -d '{"model":"tts-1","voice":"nova","input":"Hello from Hearsay."}' -o hello.mp3

Hear it, or any other file:
  curl ${baseUrl}/audio/transcriptions -H "Authorization: Bearer ${key.shellText}" -F model=whisper-1 -F file=@hello.mp3

Ctrl-C stops it.
`;
}
