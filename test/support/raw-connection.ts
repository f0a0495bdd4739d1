// A raw TCP connection, to send what no correct client would send.

import { connect } from "node:net";
import type { Socket } from "node:net";

import { onTestFinished } from "vitest";

export type RawConnection = {
  socket: Socket;
  /** Resolves when the data has been written. */
  send(data: string | Uint8Array): Promise<void>;
  /** Resolves with all received data once it contains the text; rejects if the connection ends before. */
  waitFor(text: string | RegExp): Promise<string>;
  /** All data received until the connection ended, in whatever way. */
  closed: Promise<string>;
  /** Sends the same data repeatedly until the connection ends. */
  sendUntilClosed(data: Uint8Array): Promise<void>;
};

export async function openRawConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  let checkReceived: (() => void) | undefined;
  const closed = Promise.withResolvers<string>();
  socket.on("data", (data) => {
    received += data.toString("latin1");
    checkReceived?.();
  });
  socket.on("error", () => {});
  socket.on("close", () => closed.resolve(received));
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  async function send(data: string | Uint8Array): Promise<void> {
    if (!socket.write(data))
      await Promise.race([
        new Promise<void>((resolve) => socket.once("drain", resolve)),
        closed.promise,
      ]);
  }
  return {
    socket,
    closed: closed.promise,
    send,
    async sendUntilClosed(data) {
      while (!socket.destroyed) await send(data);
    },
    waitFor(text) {
      const matched = Promise.withResolvers<string>();
      checkReceived = () => {
        if (typeof text === "string" ? received.includes(text) : text.test(received))
          matched.resolve(received);
      };
      checkReceived();
      void closed.promise.then((all) =>
        matched.reject(new Error(`the connection ended after: ${all}`)),
      );
      return matched.promise;
    },
  };
}
