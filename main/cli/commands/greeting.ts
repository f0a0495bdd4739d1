// What `hearsay serve` prints once it listens: where, with which key, and a line to try each direction.

import { networkAddresses } from "../../server/http/network-addresses.ts";

export type ShownKey = {
  /** As a person reads it. */
  text: string;
  /** As a shell's double quotes take it. */
  inCommand: string;
};

export type KeySource = {
  key: string;
  /** Absent where the key was given from outside. */
  keyFile: string | undefined;
  isFlag: boolean;
  /** Somebody reads it on a screen; else it goes to a log that may be read by others. */
  isTerminal: boolean;
};

export function shownKey({ key, keyFile, isFlag, isTerminal }: KeySource): ShownKey {
  if (isTerminal) return { text: key, inCommand: key };
  if (keyFile !== undefined)
    return {
      text: `in the file ${keyFile}`,
      inCommand: `$(cat '${keyFile.replaceAll("'", "'\\''")}')`,
    };
  return isFlag
    ? { text: "as given by --api-key", inCommand: "<API key>" }
    : { text: "as given by HEARSAY_API_KEY", inCommand: "$HEARSAY_API_KEY" };
}

/** `taken`: the port that was wanted, where another one had to do. */
export function greeting(listening: string, key: ShownKey, taken: number | undefined): string {
  const everywhere = /(?<=\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
  const baseUrl = listening.replace(everywhere, "127.0.0.1");
  const others = everywhere.test(listening)
    ? networkAddresses().map((host) => listening.replace(everywhere, host))
    : [];
  const notes = [
    ...(taken === undefined ? [] : [`port ${taken} is in use`]),
    ...(others.length === 0 ? [] : [`from other machines: ${others.join("  ")}`]),
  ];
  return `Hearsay is listening.

  Base URL  ${baseUrl}
${notes.map((note) => `            ${note}\n`).join("")}  API key   ${key.text}
  API page  ${baseUrl.replace(/\/v1$/, "/docs")}

Say something:
  curl ${baseUrl}/audio/speech -H "Authorization: Bearer ${key.inCommand}" -H "Content-Type: application/json" -d '{"model":"tts-1","voice":"nova","input":"Hello from Hearsay."}' -o hello.mp3

Hear it, or any other file:
  curl ${baseUrl}/audio/transcriptions -H "Authorization: Bearer ${key.inCommand}" -F model=whisper-1 -F file=@hello.mp3

Ctrl-C stops it.
`;
}
