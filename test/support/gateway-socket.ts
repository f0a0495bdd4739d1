// A raw connection, for what no well-behaved client sends.

import { connect } from "node:net";
import type { Socket } from "node:net";

import { onTestFinished } from "vitest";

export type RawConnection = {
  socket: Socket;
  /** Resolves when written bytes were taken. */
  send(data: string | Uint8Array): Promise<void>;
  /** All that arrived, once the text is in it; rejects if the connection ends before. */
  until(text: string | RegExp): Promise<string>;
  /** All that arrived until the connection ended, however it did. */
  ended: Promise<string>;
  /** Sends the same again and again until the connection ends. */
  sendUntilEnded(data: Uint8Array): Promise<void>;
};

export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  let look: (() => void) | undefined;
  const ended = Promise.withResolvers<string>();
  socket.on("data", (data) => {
    received += data.toString("latin1");
    look?.();
  });
  socket.on("error", () => {});
  socket.on("close", () => ended.resolve(received));
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  async function send(data: string | Uint8Array): Promise<void> {
    if (!socket.write(data))
      await Promise.race([
        new Promise<void>((resolve) => socket.once("drain", resolve)),
        ended.promise,
      ]);
  }
  return {
    socket,
    ended: ended.promise,
    send,
    async sendUntilEnded(data) {
      while (!socket.destroyed) await send(data);
    },
    until(text) {
      const found = Promise.withResolvers<string>();
      look = () => {
        if (typeof text === "string" ? received.includes(text) : text.test(received))
          found.resolve(received);
      };
      look();
      void ended.promise.then((all) =>
        found.reject(new Error(`the connection ended after: ${all}`)),
      );
      return found.promise;
    },
  };
}
